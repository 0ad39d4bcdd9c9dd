//! The path itself.

use std::borrow::Cow;

use super::{rewrite, rewrite::Braces};

/// A path in normal form: begins with `/`, does not end with one unless it is the root, no empty, `.`
/// or `..` segment, no query, no fragment, no parameters, and one spelling for every letter. Upper and
/// lower case differ.
///
/// A letter that URIs call unreserved is always written plainly. Another escape stays an escape, in
/// upper case, so that `%2F` does not part two segments. What a URI may not hold plainly, such as `é`
/// or a blank, is always an escape. Escapes are read once: `%252e` is no dot.
///
/// A path that servers read in two ways has no normal form: see [`super::Ambiguity`].
///
/// ```
/// use tollgate_rules::normalise::Path;
///
/// let path = Path::new("/api//v1/./users/%7Ealice;v=2/?page=3")?;
/// assert_eq!(path.as_str(), "/api/v1/users/~alice");
/// assert_eq!(Path::new("/caf%c3%a9")?, Path::new("/café")?);
/// assert!(Path::new("/files/../../etc").is_err());
/// assert!(Path::new("/api//../login").is_err());
/// # Ok::<(), tollgate_rules::normalise::PathError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Path<'a>(Cow<'a, str>);

impl<'a> Path<'a> {
    /// The longest path that is read, the query and the fragment not counted.
    pub const BYTES_MAX: usize = 8_192;

    /// The normal form of `text`; borrowed where `text` already has it.
    ///
    /// # Errors
    ///
    /// [`PathError`] for what has no normal form.
    pub fn new(text: &'a str) -> Result<Self, PathError> {
        if text.len() <= Self::BYTES_MAX && rewrite::is_normal(text) {
            return Ok(Self(Cow::Borrowed(text)));
        }
        match rewrite::prefix(text) {
            Some(normal) if normal.len() <= Self::BYTES_MAX => Ok(Self(Cow::Borrowed(normal))),
            _ => rewrite::rewrite(text, Braces::Escaped).map(|path| Self(Cow::Owned(path))),
        }
    }

    /// The normal form of a pattern: that of a path, but for braces, which name a segment.
    pub(crate) fn of_pattern(text: &str) -> Result<Path<'static>, PathError> {
        rewrite::rewrite(text, Braces::Plain).map(|path| Path(Cow::Owned(path)))
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The segments; the root has none.
    pub fn segments(&self) -> impl Iterator<Item = &str> {
        Self::segments_of(&self.0)
    }

    /// The segments of a text that is in normal form.
    pub fn segments_of(path: &str) -> impl Iterator<Item = &str> {
        let path = path.strip_prefix('/').unwrap_or(path);
        path.split('/').filter(|segment| !segment.is_empty())
    }
}

/// Why a text has no normal form as a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// More than [`super::Path::BYTES_MAX`].
    #[error("path has {bytes} bytes, at most {max} are read")]
    TooLong {
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        max: usize,
    },
    /// Not an absolute path.
    #[error("path does not begin with /, write for example /api/v1/login")]
    NoSlash,
    /// A percent sign without two hexadecimal digits.
    #[error("path holds a % that two hexadecimal digits do not follow")]
    Escape,
    /// A control character, escaped or not.
    #[error("path holds a control character")]
    Control,
    /// Escapes that are not UTF-8.
    #[error("path is not UTF-8")]
    Utf8,
    /// More `..` than segments.
    #[error("path climbs above the root")]
    AboveRoot,
    /// Servers disagree about which path this is. A request that is counted at one of the readings would
    /// pass the rules about the other.
    #[error("path {0}")]
    Ambiguous(Ambiguity),
}

/// What makes servers read one path in two ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Ambiguity {
    /// `//x/a`: WHATWG URLs take `x` for a host and read `/a`. Also what becomes that once dots and
    /// parameters are gone, such as `/.//x/a`: a second server behind the first may read it again.
    #[error("begins with //, which some servers read as the name of a host: write one slash")]
    LeadingSlashes,
    /// `/a//../b`, `/a//x/../../b`, `/a/;x/../b`: `/b` where empty segments are folded first, `/a/b` where
    /// the climb removes the empty segment.
    #[error(
        "climbs by .. over an empty segment, which servers read differently: leave out the empty segment"
    )]
    ClimbOverEmpty,
    /// `..;x` and `.;x`: some servers drop the parameters first and climb, others take it for a name.
    #[error(
        "mixes . or .. with ;parameters, which servers read differently: leave the parameters out"
    )]
    DotsWithParameters,
    /// A plain `\`, which no URI holds: WHATWG URLs read a slash, other servers a letter.
    #[error("holds a \\, which some servers read as a slash: write / or %5C")]
    Backslash,
    /// `/x#/a`: no client should send a fragment. Some servers drop it and read `/x`, others take the `#`
    /// for a letter and read two segments.
    #[error(
        "holds a # with a slash behind it, which servers read differently: leave it out or write %23"
    )]
    SlashInFragment,
}
