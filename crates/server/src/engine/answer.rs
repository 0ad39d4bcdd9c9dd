//! What a caller is told.

use std::{
    fmt,
    hash::{BuildHasher as _, Hasher as _, RandomState},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use tollgate::Ruling;
use tollgate_core::Timestamp;

/// What came of a question.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// Names the decision, on every node and for ever.
    pub(crate) id: DecisionId,
    /// When it was made, by the time of day.
    pub(crate) at: Timestamp,
    /// What it says.
    pub(crate) ruling: Ruling,
}

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    /// There are no rules at all: not the caller's fault.
    #[error("{}", tollgate::NoSnapshot)]
    NoSnapshot,
    /// The name belongs to another request.
    #[error("request_id was used for a request with other facts within the last 60 s")]
    RequestIdTaken,
    /// Nobody knows the rule.
    #[error("there is no rule {0:?} in force")]
    UnknownRule(String),
}

/// The name of a decision: which run of which node, and the how manieth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct DecisionId {
    run: u64,
    number: u64,
}

impl DecisionId {
    /// How many characters it has.
    pub(crate) const CHARS: usize = 25;

    /// Its characters: sixteen of the run, a dash, eight or more of the number in hexadecimal.
    pub(crate) fn write(self, out: &mut Vec<u8>) {
        hex(self.run, 16, out);
        out.push(b'-');
        hex(self.number, 8, out);
    }
}

/// The number in at least this many digits.
fn hex(number: u64, digits: u32, out: &mut Vec<u8>) {
    let needed = (u64::BITS - number.leading_zeros()).div_ceil(4);
    for place in (0..needed.max(digits)).rev() {
        let digit = (number >> (4 * place)) & 0xf;
        out.push(b"0123456789abcdef"[usize::try_from(digit).unwrap_or(0)]);
    }
}

impl fmt::Display for DecisionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}-{:08x}", self.run, self.number)
    }
}

/// Gives every decision of this run a name.
#[derive(Debug)]
pub(super) struct DecisionIds {
    run: u64,
    next: AtomicU64,
}

impl DecisionIds {
    pub(super) fn new() -> Self {
        Self {
            run: RandomState::new().build_hasher().finish(),
            next: AtomicU64::new(1),
        }
    }

    pub(super) fn next(&self) -> DecisionId {
        let number = self.next.fetch_add(1, Relaxed);
        DecisionId {
            run: self.run,
            number,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_written_as_it_is_shown() {
        for number in [0, 1, 0xdead_beef, 0x1_0000_0000, u64::MAX] {
            let id = DecisionId { run: 7, number };
            let mut written = Vec::new();
            id.write(&mut written);
            assert_eq!(String::from_utf8(written).unwrap(), id.to_string());
        }
    }

    #[test]
    fn no_two_decisions_share_a_name() {
        let ids = DecisionIds::new();
        assert_ne!(ids.next(), ids.next());
        assert_eq!(ids.next().to_string().len(), DecisionId::CHARS);
    }
}
