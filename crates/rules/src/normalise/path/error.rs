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
