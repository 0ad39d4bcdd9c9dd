//! Paths.

use std::borrow::Cow;

/// A path in normal form: begins with `/`, does not end with one unless it is the root, no empty, `.`
/// or `..` segment, no query, no parameters, and one spelling for every letter.
///
/// ```
/// use tollgate_rules::normalise::Path;
///
/// let path = Path::new("/api//v1/./users/%7Ealice;v=2/?page=3")?;
/// assert_eq!(path.as_str(), "/api/v1/users/~alice");
/// # Ok::<(), tollgate_rules::normalise::PathError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Path<'a>(Cow<'a, str>);

impl<'a> Path<'a> {
    /// The longest path that is read.
    pub const BYTES_MAX: usize = 8_192;

    /// The normal form of `text`.
    ///
    /// # Errors
    ///
    /// [`PathError`] for what has no normal form.
    pub fn new(text: &'a str) -> Result<Self, PathError> {
        if text.len() > Self::BYTES_MAX {
            return Err(PathError::TooLong {
                bytes: text.len(),
                max: Self::BYTES_MAX,
            });
        }
        if !text.starts_with('/') {
            return Err(PathError::NoSlash);
        }
        Ok(Self(Cow::Borrowed(text)))
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
    /// More than [`Path::BYTES_MAX`].
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
}
