//! Between Envoy's messages and ours.

mod answer;
mod question;

pub(super) use answer::{response, too_long};
pub(super) use question::{Question, Wrong};
