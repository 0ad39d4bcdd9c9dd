//! Exact limits at the speed of memory: slices of a limit that were granted before they are spent.

#![allow(dead_code, unused_imports, reason = "on its way")]

mod call;
mod held;

pub(crate) use call::{Answer, Asserted, Grant, Question, TOGETHER_MAX, args, read};
pub(crate) use held::Held;
