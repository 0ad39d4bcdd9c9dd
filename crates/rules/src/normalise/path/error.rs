//! Why a text has no normal form.

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
    /// `..;x`, `.;x`, or a `..` behind a segment of parameters only. Some servers drop the parameters
    /// first and climb, others take it for a name and stay: whichever we did, to somebody it would be a
    /// way into another path than the one that was counted.
    #[error(
        "path mixes . or .. with ;parameters, which servers read differently: leave the parameters out"
    )]
    Ambiguous,
}
