//! Why bytes are not a request that is served.

use super::limits::{
    BLANK_LINES_MAX, EXTENSION_BYTES_MAX, HEAD_BYTES_MAX, HEADERS_MAX, TARGET_BYTES_MAX,
    TRAILER_BYTES_MAX,
};

/// What is wrong with a request. The conversation ends with the answer: nobody knows where the next one
/// would begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Flaw {
    /// Nothing but line ends.
    #[error("more than {BLANK_LINES_MAX} empty lines before a request")]
    BlankLines,
    /// The first line is no request line.
    #[error("the first line is not `METHOD TARGET HTTP/1.1`")]
    RequestLine,
    /// Another version of HTTP.
    #[error("only HTTP/1.1 and HTTP/1.0 are spoken here")]
    Version,
    /// A target that is too long.
    #[error("the target has more than {TARGET_BYTES_MAX} bytes")]
    TargetTooLong,
    /// A target in none of the forms.
    #[error("the target is neither a path, an http:// address, nor `*` for OPTIONS")]
    Target,
    /// A head that is too long.
    #[error("request line and headers have more than {HEAD_BYTES_MAX} bytes")]
    HeadTooLong,
    /// Too many headers.
    #[error("more than {HEADERS_MAX} headers")]
    TooManyHeaders,
    /// A line that ends in LF only.
    #[error("a line ends without CR")]
    BareLf,
    /// A CR within a line.
    #[error("a CR stands alone")]
    BareCr,
    /// A header's name.
    #[error(
        "the name of a header is not a token (a blank before the colon, or a line that is folded?)"
    )]
    HeaderName,
    /// A header's value.
    #[error("the value of a header holds a control character")]
    HeaderValue,
    /// No host.
    #[error("the header Host is missing")]
    HostMissing,
    /// A host that is none.
    #[error("the header Host does not name a host")]
    Host,
    /// A header that may be there once.
    #[error("the header {0} is there twice")]
    Twice(&'static str),
    /// A length that is not a number.
    #[error("Content-Length is not a number")]
    Length,
    /// Two ways to say where the body ends.
    #[error("Content-Length and Transfer-Encoding together")]
    LengthAndEncoding,
    /// Another encoding than chunked.
    #[error("the only Transfer-Encoding understood is exactly `chunked`")]
    TransferEncoding,
    /// An encoding that HTTP/1.0 does not have.
    #[error("HTTP/1.0 has no Transfer-Encoding")]
    EncodingTooNew,
    /// A compressed body.
    #[error("the body must not be compressed: Content-Encoding is not understood")]
    ContentEncoding,
    /// Something else than 100-continue.
    #[error("the only expectation understood is 100-continue")]
    Expectation,
    /// A body that is too long.
    #[error("the body has more than {max} bytes")]
    BodyTooLong {
        /// How many it may have.
        max: usize,
    },
    /// A chunk's size.
    #[error("the size of a chunk is not a hexadecimal number")]
    ChunkSize,
    /// What follows a chunk.
    #[error("a chunk does not end where its size says")]
    ChunkEnd,
    /// The extensions of chunks.
    #[error(
        "the extensions of chunks hold a control character or more than {EXTENSION_BYTES_MAX} bytes"
    )]
    Extension,
    /// Trailers.
    #[error("the trailers are not headers or have more than {TRAILER_BYTES_MAX} bytes")]
    Trailer,
}

impl Flaw {
    /// The status of the answer.
    pub const fn status(self) -> u16 {
        match self {
            Self::BodyTooLong { .. } => 413,
            Self::TargetTooLong => 414,
            Self::ContentEncoding => 415,
            Self::Expectation => 417,
            Self::HeadTooLong | Self::TooManyHeaders => 431,
            Self::TransferEncoding => 501,
            Self::Version => 505,
            _ => 400,
        }
    }
}
