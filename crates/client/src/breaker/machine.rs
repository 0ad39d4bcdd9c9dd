//! The breaker as a value: what is known, and what follows from a call, an outcome, and time.

use tollgate_core::{Micros, Timestamp};

use super::BreakerState;
use crate::ramp::Share;

/// How many outcomes are looked back upon.
pub(crate) const WINDOW: u32 = 100;
/// Fewer outcomes than this prove nothing.
pub(crate) const OUTCOMES_MIN: u32 = 20;
/// More failures than this, in percent, are too many.
pub(crate) const FAILURES_MAX_PERCENT: u32 = 10;
/// How long nobody is let through.
pub(crate) const OPEN_TIME: Micros = Micros::from_secs(30);
/// So many outcomes end a stage of the return.
pub(crate) const STAGE_OUTCOMES: u32 = 20;
/// So much time does too, if there was any outcome.
pub(crate) const STAGE_TIME: Micros = Micros::from_secs(10);

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Success,
    Failure,
}

/// Leave to make one call. It knows in which state the breaker gave it: an outcome that comes when that state
/// is over tells nothing about the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Permit {
    pub(super) generation: u64,
}

/// A breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Machine {
    generation: u64,
    opened: u64,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Closed(Window),
    Open { until: Timestamp },
    Returning(Stage),
}

/// The last outcomes, one bit each: set is failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Window {
    failures: u128,
    known: u32,
}

/// A stage of the return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stage {
    share: Share,
    began: Timestamp,
    calls: u64,
    outcomes: u32,
    failures: u32,
}

/// What the outcomes of a stage amount to.
enum Verdict {
    Wait,
    Proceed,
    Open,
}

impl Machine {
    /// Closed, and nothing known.
    pub(crate) const fn new() -> Self {
        Self { generation: 0, opened: 0, phase: Phase::Closed(Window { failures: 0, known: 0 }) }
    }

    /// A call wants to be made at `now`: leave to do so, or none.
    pub(crate) fn admit(self, now: Timestamp) -> (Self, Option<Permit>) {
        let mut machine = self.at(now);
        let is_admitted = match &mut machine.phase {
            Phase::Closed(_) => true,
            Phase::Open { .. } => false,
            Phase::Returning(stage) => stage.call(now),
        };
        let generation = machine.generation;
        (machine, is_admitted.then_some(Permit { generation }))
    }

    /// A call ended at `now`.
    pub(crate) fn record(self, permit: Permit, outcome: Outcome, now: Timestamp) -> Self {
        let mut machine = self.at(now);
        if permit.generation != machine.generation {
            return machine;
        }
        match &mut machine.phase {
            Phase::Closed(window) => {
                window.push(outcome);
                if window.is_bad() {
                    return machine.open(now);
                }
                machine
            }
            Phase::Open { .. } => machine,
            Phase::Returning(stage) => {
                stage.outcomes = stage.outcomes.saturating_add(1);
                if outcome == Outcome::Failure {
                    stage.failures = stage.failures.saturating_add(1);
                }
                machine.at(now)
            }
        }
    }

    /// What has become of it by `now`.
    pub(crate) fn at(self, now: Timestamp) -> Self {
        match self.phase {
            Phase::Open { until } if now >= until => {
                self.enter(Phase::Returning(Stage::new(Share::Tenth, now)))
            }
            Phase::Returning(stage) => match stage.verdict(now) {
                Verdict::Wait => self,
                Verdict::Open => self.open(now),
                Verdict::Proceed => self.enter(match stage.share.next() {
                    Share::All => Phase::Closed(Window::default()),
                    share => Phase::Returning(Stage::new(share, now)),
                }),
            },
            Phase::Closed(_) | Phase::Open { .. } => self,
        }
    }

    /// As it is shown.
    pub(crate) const fn state(&self) -> BreakerState {
        match &self.phase {
            Phase::Closed(_) => BreakerState::Closed,
            Phase::Open { .. } => BreakerState::Open,
            Phase::Returning(stage) => BreakerState::Returning(stage.share.percent()),
        }
    }

    /// How often it opened.
    pub(crate) const fn opened(&self) -> u64 {
        self.opened
    }

    pub(super) const fn generation(&self) -> u64 {
        self.generation
    }

    pub(super) const fn phase(&self) -> &Phase {
        &self.phase
    }

    const fn open(self, now: Timestamp) -> Self {
        let until = now.saturating_add(OPEN_TIME);
        let opened = self.opened.saturating_add(1);
        Self { opened, ..self }.enter(Phase::Open { until })
    }

    const fn enter(self, phase: Phase) -> Self {
        let generation = self.generation.wrapping_add(1);
        Self { generation, phase, ..self }
    }
}

impl Window {
    fn push(&mut self, outcome: Outcome) {
        const LAST: u128 = (1 << WINDOW) - 1;
        let failed = u128::from(outcome == Outcome::Failure);
        self.failures = ((self.failures << 1) | failed) & LAST;
        self.known = self.known.saturating_add(1).min(WINDOW);
    }

    const fn is_bad(&self) -> bool {
        self.known >= OUTCOMES_MIN && is_too_much(self.failures.count_ones(), self.known)
    }
}

impl Stage {
    const fn new(share: Share, began: Timestamp) -> Self {
        Self { share, began, calls: 0, outcomes: 0, failures: 0 }
    }

    /// Whether the next call is let through. If nothing was heard for the time of a stage (whoever was let
    /// through has dropped the call), the count begins anew with this one.
    fn call(&mut self, now: Timestamp) -> bool {
        if now.since(self.began) >= STAGE_TIME {
            (self.began, self.calls) = (now, 0);
        }
        let turn = self.calls;
        self.calls = self.calls.wrapping_add(1);
        self.share.takes(turn)
    }

    fn verdict(&self, now: Timestamp) -> Verdict {
        let is_over = self.outcomes >= STAGE_OUTCOMES
            || (self.outcomes > 0 && now.since(self.began) >= STAGE_TIME);
        // Certain before the end, however the rest turns out.
        if is_too_much(self.failures, STAGE_OUTCOMES) {
            Verdict::Open
        } else if !is_over {
            Verdict::Wait
        } else if is_too_much(self.failures, self.outcomes) {
            Verdict::Open
        } else {
            Verdict::Proceed
        }
    }
}

const fn is_too_much(failures: u32, of: u32) -> bool {
    failures.saturating_mul(100) > of.saturating_mul(FAILURES_MAX_PERCENT)
}
