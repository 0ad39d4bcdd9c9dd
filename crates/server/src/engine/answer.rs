//! What a caller is told.

use std::{
    fmt,
    hash::{BuildHasher as _, Hasher as _, RandomState},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use tollgate::Ruling;
use tollgate_core::{Micros, Timestamp};

use super::Penalty;

/// What came of a question.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// Names the decision, on every node and for ever.
    pub(crate) id: DecisionId,
    /// When it was made, by the time of day.
    pub(crate) at: Timestamp,
    /// What it says.
    pub(crate) ruling: Ruling,
    /// What a denied client has to be told beside that.
    pub(crate) penalty: Option<Penalty>,
}

impl Answer {
    /// The seconds that a denied client is told to wait; none if it may pass or waiting never helps.
    pub(crate) fn retry_after_s(&self) -> Option<u64> {
        let jitter_s = self.penalty.map_or(0, |penalty| penalty.jitter_s);
        Some(self.promised_s()?.saturating_add(jitter_s))
    }

    /// The seconds after which a denied client may come back, without the jitter that spreads clients.
    pub(crate) fn promised_s(&self) -> Option<u64> {
        let seconds = self
            .ruling
            .retry_after_s()
            .filter(|_| !self.ruling.is_allowed())?;
        let least_s = self.penalty.map_or(0, |penalty| penalty.least_s);
        Some(seconds.max(least_s))
    }

    /// How long until the limit shown is whole again, or a block is over; on a denial never shorter than the exact wait, nor
    /// than what the rule or a penalty asks for.
    pub(crate) fn reset_after(&self) -> Option<Micros> {
        let reset = match self.ruling.binding() {
            Some(decision) => Micros::from(decision.reset_after()),
            None if self.ruling.is_allowed() => return None,
            None => self.ruling.retry_after()?.into(),
        };
        if self.promised_s().is_none() {
            return Some(reset);
        }
        let rule = self.ruling.rule();
        let asked_s = rule.and_then(|rule| rule.response.retry_after_s);
        let penalty_s = self.penalty.map_or(0, |penalty| penalty.least_s);
        let least_s = asked_s.map_or(0, u64::from).max(penalty_s);
        Some(reset.max(Micros::from_secs(least_s)))
    }

    /// How long an admitted client has to wait before it goes on. Whoever meets several queues waits for the longest.
    pub(crate) fn delay_ms(&self) -> u64 {
        let delays = self
            .ruling
            .decisions()
            .map(|(_, decision)| decision.delay());
        Micros::from(delays.max().unwrap_or_default()).as_millis_ceil()
    }

    /// How often the client was denied of late, if anybody counts.
    pub(crate) fn rejections(&self) -> Option<u64> {
        self.penalty.map(|penalty| penalty.rejections)
    }
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
    /// The counters could not be asked: what did not happen, and why.
    #[error("{0}")]
    Counters(String),
}

/// The name of a decision: which run of which node, and the how manieth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct DecisionId {
    run: u64,
    number: u64,
}

impl DecisionId {
    /// Its characters: sixteen of the run, a dash, eight or more of the number in hexadecimal.
    pub(crate) fn write(self, out: &mut Vec<u8>) {
        let number = hex(self.number);
        let zeros = usize::try_from(self.number.leading_zeros() / 4).unwrap_or(0);
        out.extend_from_slice(&hex(self.run));
        out.push(b'-');
        out.extend_from_slice(number.get(zeros.min(8)..).unwrap_or_default());
    }
}

/// The number in sixteen digits.
fn hex(number: u64) -> [u8; 16] {
    let mut digits = [0; 16];
    for (place, digit) in digits.iter_mut().rev().enumerate() {
        let value = u8::try_from((number >> (4 * place)) & 0xf).unwrap_or(0);
        *digit = value + if value < 10 { b'0' } else { b'a' - 10 };
    }
    digits
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
        assert_eq!(ids.next().to_string().len(), 25);
    }
}
