//! Names of rules, groups and tiers, and the id every node derives from a rule's name.

use std::{borrow::Borrow, fmt, str::FromStr, sync::Arc};

use tollgate_core::RuleId;
use uuid::Uuid;

/// A name an operator gives: 1 to 128 letters, digits and `-`, `_`, `.`, `/`. Names are compared byte
/// for byte.
///
/// ```
/// use tollgate_rules::Name;
///
/// let name: Name = "login".parse()?;
/// assert_eq!(name.as_str(), "login");
/// assert!("log in".parse::<Name>().is_err());
/// # Ok::<(), tollgate_rules::NameError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(Arc<str>);

impl Name {
    /// The longest name.
    pub const BYTES_MAX: usize = 128;

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id of a rule that is created under this name: the same on every node, for ever.
    ///
    /// ```
    /// use tollgate_rules::Name;
    ///
    /// let name: Name = "login".parse()?;
    /// assert_eq!(name.rule_id(), "login".parse::<Name>()?.rule_id());
    /// # Ok::<(), tollgate_rules::NameError>(())
    /// ```
    pub fn rule_id(&self) -> RuleId {
        id_of(&self.0)
    }

    /// The name of what Tollgate itself makes, such as a tier's default limits: `tier:free`. The colon
    /// keeps it apart from every name an operator can give.
    ///
    /// What stands for a user may be any text, and names stand in header fields: odd signs are written as in a URL, and a
    /// long text is cut.
    pub(crate) fn implicit(kind: &str, of: &str) -> Self {
        let mut name = format!("{kind}:");
        for byte in of.bytes() {
            let is_plain = byte.is_ascii_graphic() && !b"\"\\%,;".contains(&byte);
            if name.len() + ESCAPE_BYTES > Self::BYTES_MAX {
                name.push_str("...");
                break;
            }
            match is_plain {
                true => name.push(char::from(byte)),
                false => name.push_str(&format!("%{byte:02X}")),
            }
        }
        Self(name.into())
    }
}

/// The room that one byte and the mark of a cut may take.
const ESCAPE_BYTES: usize = 6;

/// Rule ids are UUIDs of version 5 in a space of their own.
fn id_of(name: &str) -> RuleId {
    const RULES: Uuid = Uuid::from_u128(0x9c4f_4a7e_5d0b_5c7a_8f0e_6b1d_2a53_11e7);
    RuleId::new(Uuid::new_v5(&RULES, name.as_bytes()).as_u128())
}

impl FromStr for Name {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let given = || text.chars().take(Self::BYTES_MAX).collect();
        if text.is_empty() {
            return Err(NameError::Empty);
        }
        if text.len() > Self::BYTES_MAX {
            return Err(NameError::TooLong { bytes: text.len(), max: Self::BYTES_MAX });
        }
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./".contains(letter);
        match text.chars().find(|&letter| !is_plain(letter)) {
            Some(letter) => Err(NameError::Letter { letter, given: given() }),
            None => Ok(Self(text.into())),
        }
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

/// Why a text is not a name.
///
/// ```
/// use tollgate_rules::Name;
///
/// let error = "log in".parse::<Name>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "name \"log in\" holds ' ': names are letters, digits, '-', '_', '.' and '/', for example login-free"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// Nothing at all.
    #[error("a name is empty: write for example login-free")]
    Empty,
    /// More than [`Name::BYTES_MAX`].
    #[error("a name has {bytes} bytes, at most {max} are allowed")]
    TooLong {
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        max: usize,
    },
    /// Something that is neither letter nor digit nor one of four signs.
    #[error(
        "name {given:?} holds {letter:?}: names are letters, digits, '-', '_', '.' and '/', for \
         example login-free"
    )]
    Letter {
        /// The first such letter.
        letter: char,
        /// The name.
        given: String,
    },
}
