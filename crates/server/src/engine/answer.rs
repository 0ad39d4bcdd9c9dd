//! What a caller is told.

use std::{
    cmp::Reverse,
    fmt,
    hash::{BuildHasher as _, Hasher as _, RandomState},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Duration,
};

use smallvec::SmallVec;
use tollgate::Ruling;
use tollgate_core::{Micros, Timestamp, Verdict};

use super::Penalty;

/// What came of a question.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// Names the decision, on every node and for ever.
    pub(crate) id: DecisionId,
    /// What it says.
    pub(crate) ruling: Ruling,
    /// What a denied client has to be told beside that.
    pub(crate) penalty: Option<Penalty>,
}

impl Answer {
    /// When it was made, by the time of day.
    pub(crate) const fn at(&self) -> Timestamp {
        self.ruling.now().wall
    }

    /// The seconds that a denied client is told to wait; none if it may pass or waiting never helps.
    pub(crate) fn retry_after_s(&self) -> Option<u64> {
        let jitter_s = self.penalty.map_or(0, |penalty| penalty.jitter_s);
        Some(self.promised_s()?.saturating_add(jitter_s))
    }

    /// The seconds after which a denied client may come back, without the jitter that spreads clients.
    pub(crate) fn promised_s(&self) -> Option<u64> {
        let seconds = self.ruling.retry_after_s().filter(|_| !self.ruling.is_allowed())?;
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
        let delays = self.ruling.decisions().map(|(_, decision)| decision.delay());
        Micros::from(delays.max().unwrap_or_default()).as_millis_ceil()
    }

    /// How often the client was denied of late, if anybody counts.
    pub(crate) fn rejections(&self) -> Option<u64> {
        self.penalty.map(|penalty| penalty.rejections)
    }
}

/// What came of questions that were asked together, one answer each, in order, under one name.
#[derive(Clone, Debug)]
pub(crate) struct Together {
    pub(crate) answers: SmallVec<[Answer; 4]>,
}

impl Together {
    /// Whether all may pass.
    pub(crate) fn is_allowed(&self) -> bool {
        self.answers.iter().all(|answer| answer.ruling.is_allowed())
    }

    /// The answer whose numbers stand for all: of the denials that with the longest wait, else that with
    /// the smallest share left; the first of equals.
    pub(crate) fn shown(&self) -> Option<&Answer> {
        let denied = self.answers.iter().filter(|answer| !answer.ruling.is_allowed());
        // Waiting in vain is the longest wait.
        let longest = denied.min_by_key(|answer| match answer.ruling.retry_after() {
            None => (false, Reverse(Duration::MAX)),
            Some(wait) => (true, Reverse(wait)),
        });
        longest.or_else(|| self.scarcest()).or(self.answers.first())
    }

    fn scarcest(&self) -> Option<&Answer> {
        let counted = self.answers.iter();
        let counted = counted.filter_map(|answer| Some((answer, answer.ruling.binding()?)));
        let counted: SmallVec<[_; 4]> = counted.collect();
        let verdict = Verdict::of(
            counted.iter().map(|(_, decision)| **decision),
            self.answers.first()?.ruling.now(),
        );
        counted.get(verdict.binding_index()?).map(|(answer, _)| *answer)
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

/// The name of a decision: the run of the node, and the sequence number within it.
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
        Self { run: RandomState::new().build_hasher().finish(), next: AtomicU64::new(1) }
    }

    pub(super) fn next(&self) -> DecisionId {
        let number = self.next.fetch_add(1, Relaxed);
        DecisionId { run: self.run, number }
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
