//! Methods.

use std::{fmt, str::FromStr};

/// A method in upper case: `get` and `GET` are one.
///
/// ```
/// use tollgate_rules::normalise::Method;
///
/// let method: Method = "post".parse()?;
/// assert_eq!(method.as_str(), "POST");
/// # Ok::<(), tollgate_rules::normalise::MethodError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Method {
    letters: [u8; Self::BYTES_MAX],
    len: u8,
}

impl Method {
    /// The longest method.
    pub const BYTES_MAX: usize = 23;

    /// The method as text.
    pub fn as_str(&self) -> &str {
        let letters = self.letters.get(..usize::from(self.len));
        letters
            .and_then(|letters| str::from_utf8(letters).ok())
            .unwrap_or_default()
    }
}

impl FromStr for Method {
    type Err = MethodError;

    fn from_str(text: &str) -> Result<Self, MethodError> {
        let error = || MethodError(text.chars().take(64).collect());
        let text = text.trim_ascii();
        let is_token =
            |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if text.is_empty() || !text.bytes().all(is_token) {
            return Err(error());
        }
        let mut letters = [0; Self::BYTES_MAX];
        let room = letters.get_mut(..text.len()).ok_or_else(error)?;
        room.copy_from_slice(text.as_bytes());
        room.make_ascii_uppercase();
        let len = u8::try_from(text.len()).map_err(|_| error())?;
        Ok(Self { letters, len })
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

/// A text that is not a method.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a method: at most {max} letters, write for example GET",
    max = Method::BYTES_MAX
)]
pub struct MethodError(String);
