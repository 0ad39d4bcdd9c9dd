//! Between Envoy's messages and ours.

mod answer;
mod question;
mod text;
mod unit;

pub(super) use answer::{response, too_long};
pub(super) use question::{Question, Wrong};
