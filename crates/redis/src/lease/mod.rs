//! Exact limits at the speed of memory: slices of a limit that were granted before they are spent.

mod answered;
mod call;
mod clock;
mod counts;
mod decide;
mod demand;
mod held;
mod holder;
mod holdings;
mod line;
mod purse;
mod refresh;
mod reserve;
mod shown;
mod sightings;
mod spend;
mod table;
#[cfg(test)]
pub(crate) mod tests;
mod wallet;

pub(crate) use call::{Answer, Asserted, Question, TOGETHER_MAX, args, read};
pub(crate) use clock::LeaseClock;
pub(crate) use held::Held;
pub(crate) use holdings::{Denied, Holdings};
pub(crate) use line::tag;
pub(crate) use refresh::{forgive, keep};
pub(crate) use reserve::{Covered, Reservation};
