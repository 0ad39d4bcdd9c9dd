//! The JSON of a check: what is asked, and what is answered.

mod answer;
mod error;
mod fields;
mod nearest;
mod place;
mod problem;
mod read;
mod reader;
mod scanner;
mod text;

pub use answer::{CheckAnswer, LimitAnswer, Wait};
pub use error::{BodyError, BodyFlaw, Kind};
pub use fields::{Field, Purpose};
pub use problem::{Problem, QUOTA_EXCEEDED};
pub use read::{ATTRIBUTES_MAX, BATCH_MAX, CheckBody, read_batch, read_body};
pub use scanner::DEPTH_MAX;
pub use text::write_text;
