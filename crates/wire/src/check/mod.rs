//! The JSON of a check: what is asked, and what is answered.

mod answer;
mod ask;
mod decided;
mod error;
mod fields;
mod problem;
mod read;
mod reader;
mod scanner;
mod told;
#[cfg(test)]
mod told_test;

pub use answer::{CheckAnswer, LimitAnswer, ToldAnswer, Wait};
pub use ask::write_batch;
pub use decided::read_decided;
pub use error::{BodyError, BodyFlaw, Kind};
pub use fields::{Field, Purpose};
pub use problem::{Denial, Problem, QUOTA_EXCEEDED};
pub use read::{ATTRIBUTES_MAX, BATCH_MAX, CheckBody, read_batch, read_body};
pub use scanner::{DEPTH_MAX, write_text};
pub use told::{LimitTold, ProblemTold, Told, Unreadable, read_answer, read_answers};
