//! One limit for a whole fleet: every decision is a script that Redis runs.

mod ask;
mod decide;
mod fast;
mod held;
mod item;
mod lane;
mod lanes;
mod reply;
mod slow;
mod tally;
#[cfg(test)]
mod tests;
mod waiting;

pub(crate) use ask::{Deed, Granted, Part, Refused};
pub(crate) use fast::{Former, digits, told};
pub(crate) use item::{Item, Parts, write_limit};
pub(crate) use lanes::Lanes;
pub(crate) use tally::Decisions;
pub(crate) use waiting::moment;
