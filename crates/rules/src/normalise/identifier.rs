//! Identifiers: users, organisations, keys, tiers, regions, attributes.

use super::is_control_or_bidi;

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
        return Err(IdentifierError::TooLong {
            bytes: text.len(),
            max: IDENTIFIER_BYTES_MAX,
        });
    }
    if let Some(letter) = text.chars().find(|&letter| is_control_or_bidi(letter)) {
        return Err(IdentifierError::Control {
            code: u32::from(letter),
        });
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
