//! Whether limits are really kept, seen from the other end: what was admitted of some keys is counted apart from
//! everything that decides, added up over the fleet, and compared with the law.
//!
//! It is never wrong when it complains. It does not see everything: see [`Verifier`].

mod keep;
mod report;
mod slots;
#[cfg(test)]
mod tests;
mod verifier;
mod watch;

pub(crate) use keep::keep_verifying;
pub(crate) use verifier::Verifier;
pub(crate) use watch::Watch;
