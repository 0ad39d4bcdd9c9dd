//! Why a file is not formatted.

/// Why a file is not formatted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// More than can be.
    #[error("the file has {bytes} bytes, at most {max} are formatted")]
    TooLong {
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        max: usize,
    },
    /// Not YAML.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// Something that a rules file has no use for.
    #[error("line {line}: {what} has no canonical layout, write it differently")]
    Unusual {
        /// The line, from 1.
        line: usize,
        /// What it is.
        what: &'static str,
    },
    /// The result would not say the same: a mistake of ours.
    #[error(
        "the file cannot be formatted without a change of its meaning, so it was left alone; \
         please report it"
    )]
    Check,
}
