//! What is answered while no server can be asked.
//!
//! [`Fallback::Local`] goes on enforcing the limits that the server told last, each divided by the number of
//! callers that the server told too. Limits are remembered by all facts of a question, and by its shape (what is
//! asked for, without who asks), so that somebody new is limited like those before. What is common to questions that are
//! alike is remembered too, for paths that nobody has asked about yet. About a question that nothing is known of, nothing is
//! enforced.
//!
//! # The bound
//!
//! Where all callers have heard how many they are, all of them together admit for one counter:
//!
//! - in a window of the limit in which no server decides, at most the limit;
//! - in a window in which a server decides too (that in which it goes away or comes back, or any while it fails
//!   now and then) at most twice the limit: what the server admits, and the limit once more;
//! - where a limit divided by the callers is less than one, one more for each caller: each has a bucket that
//!   holds one and is refilled at its share of the rate, so that a small limit never denies everything.
//!
//! A window is as the algorithm has it: for a token bucket its burst and what is refilled meanwhile.

#[cfg(test)]
mod bound_test;
#[cfg(test)]
mod desk_test;
mod key;
#[cfg(test)]
mod key_test;
#[cfg(test)]
mod kin_test;
mod learned;
mod local;
#[cfg(test)]
mod local_test;
mod told;

pub(crate) use key::KeyField;
pub(crate) use local::Local;
pub(crate) use told::{Lexicon, ToldLimit, Whom};

/// What is answered while no server can be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fallback {
    /// The last limits that the server told are enforced here, divided by the callers there are.
    #[default]
    Local,
    /// Everything may pass.
    Open,
    /// Nothing may.
    Closed,
}
