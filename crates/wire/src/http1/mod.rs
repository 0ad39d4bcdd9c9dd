//! HTTP/1.1 as a state machine: bytes in, requests out, answers appended to a buffer.

mod answer;
#[cfg(test)]
mod answer_test;
mod chunked;
mod decode;
mod flaw;
mod head;
mod headers;
mod limits;
mod reply;
mod request;
mod scan;
mod status;
mod target;

pub use answer::{Answer, AnswerDecoder, AnswerFlaw, Answered};
pub use decode::{Decoded, Decoder};
pub use flaw::Flaw;
pub use headers::{Again, Headers};
pub use limits::{HEAD_BYTES_MAX, HEADERS_MAX, Limits, TARGET_BYTES_MAX};
pub use reply::{CONTINUE, Reply};
pub use request::{After, Asker, Passage, Request, Version, Wanted};
pub use status::reason;
