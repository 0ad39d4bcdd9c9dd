//! HTTP/1.1 as a state machine: bytes in, requests out, answers appended to a buffer.

mod answer;
#[cfg(test)]
mod answer_test;
mod decode;
mod head;
mod reply;
mod request;

pub use answer::{Answer, AnswerDecoder, AnswerFlaw, Answered};
pub use decode::{Decoded, Decoder, HEAD_BYTES_MAX, HEADERS_MAX, Limits, TARGET_BYTES_MAX};
pub use reply::{CONTINUE, Reply, reason};
pub use request::{After, Again, Asker, Flaw, Headers, Passage, Request, Version, Wanted};
