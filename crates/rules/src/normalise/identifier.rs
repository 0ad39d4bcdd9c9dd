//! Identifiers: users, organisations, keys, tiers, regions, attributes.

use std::{
    fmt,
    net::{IpAddr, Ipv6Addr},
    str::FromStr,
};

/// The longest identifier and the longest attribute.
pub const IDENTIFIER_BYTES_MAX: usize = 1_024;

/// The identifier in `text`: without blanks around it, otherwise byte for byte as given. Upper and
/// lower case differ, and so do the Unicode forms of a letter. Nothing but blanks is `None`: the fact
/// is missing.
///
/// # Errors
///
/// [`IdentifierError`] for what [`is_control_or_bidi`] finds, or more than [`IDENTIFIER_BYTES_MAX`].
///
/// ```
/// use tollgate_rules::normalise::identifier;
///
/// assert_eq!(identifier(" alice "), Ok(Some("alice")));
/// assert_eq!(identifier(""), Ok(None));
/// assert!(identifier("a\0b").is_err());
/// assert!(identifier("a\u{202e}b").is_err());
/// ```
pub fn identifier(text: &str) -> Result<Option<&str>, IdentifierError> {
    let text = text.trim_ascii();
    if text.len() > IDENTIFIER_BYTES_MAX {
        return Err(IdentifierError::TooLong { bytes: text.len(), max: IDENTIFIER_BYTES_MAX });
    }
    if let Some(letter) = text.chars().find(|&letter| is_control_or_bidi(letter)) {
        return Err(IdentifierError::Control { code: u32::from(letter) });
    }
    Ok((!text.is_empty()).then_some(text))
}

/// Why a text is not an identifier.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdentifierError {
    /// Longer than [`IDENTIFIER_BYTES_MAX`].
    #[error("has {bytes} bytes, at most {max} are allowed")]
    TooLong {
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        max: usize,
    },
    /// A control character, a line separator or a mark of writing direction.
    #[error("holds a control character (U+{code:04X})")]
    Control {
        /// Which.
        code: u32,
    },
}

/// Whether a character steers a terminal, an editor or a browser: controls (C0, DEL and C1, which begin
/// terminal commands), line and paragraph separators, and marks that turn the direction of writing, by which
/// one name looks like another. Names that clients choose hold none of them, and what is printed escapes them.
///
/// ```
/// use tollgate_rules::normalise::is_control_or_bidi;
///
/// assert!("\0\n\u{7f}\u{9b}\u{202e}\u{2028}".chars().all(is_control_or_bidi));
/// assert!(!"a é 🦀 שלום".contains(is_control_or_bidi));
/// ```
pub const fn is_control_or_bidi(letter: char) -> bool {
    matches!(letter,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{61c}' | '\u{200e}' | '\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Reads an address; one of IPv4 in the clothes of IPv6 is the one of IPv4.
///
/// # Errors
///
/// [`AddressError`] if the text is not an address.
///
/// ```
/// use tollgate_rules::normalise::address;
///
/// assert_eq!(address("::ffff:192.0.2.1"), address("192.0.2.1"));
/// assert!(address("192.0.2").is_err());
/// ```
pub fn address(text: &str) -> Result<IpAddr, AddressError> {
    let address: Result<IpAddr, _> = text.trim_ascii().parse();
    address
        .map(|address| address.to_canonical())
        .map_err(|_| AddressError(text.chars().take(64).collect()))
}

/// The address an `ip` key counts by: itself, or of IPv6 the network of `ipv6_prefix` bits.
///
/// ```
/// use tollgate_rules::normalise::{address, network_of};
///
/// let (one, other) = (address("2001:db8::1").unwrap(), address("2001:db8::2:1").unwrap());
/// assert_eq!(network_of(one, 64), network_of(other, 64));
/// ```
pub fn network_of(address: IpAddr, ipv6_prefix: u8) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let host_bits = 128_u32.saturating_sub(u32::from(ipv6_prefix));
            let mask = u128::MAX.checked_shl(host_bits).unwrap_or(0);
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & mask))
        }
        address @ IpAddr::V4(_) => address,
    }
}

/// A text that is not an address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an address: write for example 192.0.2.1 or 2001:db8::1")]
pub struct AddressError(String);

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
        letters.and_then(|letters| str::from_utf8(letters).ok()).unwrap_or_default()
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

#[cfg(test)]
mod tests {
    use super::is_control_or_bidi;

    #[test]
    fn every_control_and_nothing_else_but_the_marks_is_one() {
        let marks = "\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\
            \u{2066}\u{2067}\u{2068}\u{2069}";
        for letter in '\0'..=char::MAX {
            let expected = letter.is_control() || marks.contains(letter);
            assert_eq!(is_control_or_bidi(letter), expected, "{letter:?}");
        }
    }
}
