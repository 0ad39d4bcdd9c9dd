//! Why a body is not understood.

use std::fmt;

use super::{
    fields::{Field, Purpose, nearest},
    read::{ATTRIBUTES_MAX, BATCH_MAX},
    reader::Places,
    scanner::DEPTH_MAX,
};

/// What is wrong with a body, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{flaw} (line {line}, column {column})")]
pub struct BodyError {
    /// What.
    pub flaw: BodyFlaw,
    /// In which line, from one.
    pub line: usize,
    /// At which character of the line, from one.
    pub column: usize,
}

/// What is wrong with a body.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BodyFlaw {
    /// There is none.
    #[error("the body is empty: send a JSON object")]
    Empty,
    /// Not UTF-8.
    #[error("the body is not UTF-8")]
    NotUtf8,
    /// Not JSON.
    #[error("the body is not JSON: expected {0}")]
    Syntax(&'static str),
    /// Objects in objects in objects.
    #[error("the body is nested more than {DEPTH_MAX} deep")]
    TooDeep,
    /// A field that nobody knows.
    #[error("unknown field `{given}`: {}", Hint(*.meant, *.purpose))]
    Unknown {
        /// Its name, cut short.
        given: String,
        /// The one that was meant.
        meant: Option<&'static str>,
        /// What the body is for; a batch has only `requests`.
        purpose: Option<Purpose>,
    },
    /// A field that belongs to another endpoint.
    #[error("field `{}` is for {} only", .0.name(), home(*.0))]
    Misplaced(Field),
    /// A field that is there twice.
    #[error("field `{0}` is given twice")]
    Twice(&'static str),
    /// A value of another kind.
    #[error("{name} must be {wanted}, not {found}")]
    Kind {
        /// Whose value, cut short.
        name: String,
        /// What it must be.
        wanted: &'static str,
        /// What it is.
        found: Kind,
    },
    /// A cost that is none.
    #[error("`cost` must be a whole number from 0 to {}, not {given}", u64::MAX)]
    Cost {
        /// What was given, cut short.
        given: String,
    },
    /// Too many attributes.
    #[error("`attributes` has more than {ATTRIBUTES_MAX} members")]
    TooManyAttributes,
    /// Too many requests in a batch.
    #[error("`requests` has more than {BATCH_MAX} members: send several batches")]
    TooManyRequests,
    /// A batch without requests.
    #[error("field `requests` is missing: send {{\"requests\":[…]}}")]
    NoRequests,
}

/// The kinds of JSON values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Null,
    Boolean,
    Number,
    Text,
    Array,
    Object,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::Text => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        })
    }
}

/// `did you mean …?`, or what there is.
struct Hint(Option<&'static str>, Option<Purpose>);

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0, self.1) {
            (Some(meant), _) => write!(f, "did you mean `{meant}`?"),
            (None, None) => f.write_str("a batch has only `requests`"),
            (None, Some(purpose)) => {
                f.write_str("the fields are ")?;
                for (place, name) in Field::known(purpose).enumerate() {
                    let comma = if place == 0 { "" } else { ", " };
                    write!(f, "{comma}{name}")?;
                }
                Ok(())
            }
        }
    }
}

const fn home(field: Field) -> &'static str {
    match field {
        Field::Rule => "peek, refund and reset",
        _ => "checks",
    }
}

/// A flaw and the byte where it is.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) flaw: BodyFlaw,
    pub(super) at: usize,
}

impl Fault {
    pub(super) const fn new(flaw: BodyFlaw, at: usize) -> Self {
        Self { flaw, at }
    }

    pub(super) fn unknown(given: &str, purpose: Option<Purpose>, at: usize) -> Self {
        let meant = match purpose {
            Some(purpose) => nearest(given, Field::known(purpose)),
            None => nearest(given, ["requests"].into_iter()),
        };
        let given = short(given);
        let flaw = BodyFlaw::Unknown { given, meant, purpose };
        Self::new(flaw, at)
    }

    pub(super) fn placed(self, places: &mut Places<'_>) -> BodyError {
        let (line, column) = places.of(self.at);
        BodyError { flaw: self.flaw, line, column }
    }
}

/// As much of a text as fits into a message.
pub(super) fn short(text: &str) -> String {
    const SHOWN_CHARS_MAX: usize = 40;
    let mut shown: String = text
        .chars()
        .take(SHOWN_CHARS_MAX)
        .map(|letter| if letter.is_control() { '\u{fffd}' } else { letter })
        .collect();
    if text.chars().nth(SHOWN_CHARS_MAX).is_some() {
        shown.push('…');
    }
    shown
}
