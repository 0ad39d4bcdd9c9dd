//! Why bytes are not a command.

use super::decode::{ARGS_MAX, BULK_BYTES_MAX, FRAME_BYTES_MAX, INLINE_BYTES_MAX};

/// What is wrong with the bytes. Where the next command would begin is not known then, so the
/// conversation ends with it. The words are those of Redis where it has some.
///
/// ```
/// use tollgate_wire::resp::{Decoder, ProtocolError};
///
/// let error = Decoder::new().decode(b"*1\r\n$-7\r\n").unwrap_err();
/// assert_eq!(error.to_string(), "Protocol error: invalid bulk length (at most 65536)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProtocolError {
    /// The number of arguments is no number, or too large.
    #[error("Protocol error: invalid multibulk length (at most {ARGS_MAX})")]
    ArgumentCount,
    /// The length of an argument is no number, negative, or too large.
    #[error("Protocol error: invalid bulk length (at most {BULK_BYTES_MAX})")]
    BulkLength,
    /// An argument does not begin as one.
    #[error("Protocol error: expected '$', got '{}'", char::from(*.0).escape_default())]
    NotABulk(u8),
    /// Something else stands where a line or an argument ends.
    #[error("Protocol error: expected CRLF")]
    NoLineEnd,
    /// A line without an end.
    #[error("Protocol error: too big inline request (at most {INLINE_BYTES_MAX} bytes)")]
    InlineTooLong,
    /// A quote that is not closed, or closed within a word.
    #[error("Protocol error: unbalanced quotes in request")]
    Quotes,
    /// A command that is too long as a whole.
    #[error("Protocol error: too big request (at most {FRAME_BYTES_MAX} bytes)")]
    TooLong,
}
