//! The path itself.

use std::borrow::Cow;

use super::{PathError, common, letter::Braces, normal, rewrite};

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
        if text.len() <= Self::BYTES_MAX && common::is_normal(text) {
            return Ok(Self(Cow::Borrowed(text)));
        }
        match normal::prefix(text) {
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
