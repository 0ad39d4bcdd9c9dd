//! A breaker that is slow and easy to believe: the machine is held against it.

use super::{BreakerState, machine::Outcome};

/// The rule as it is written in the manual, with all of history at hand.
pub(super) struct Model {
    pub(super) state: BreakerState,
    since: u64,
    /// Of this state only: those who were let through, and what became of them.
    asked: u64,
    outcomes: Vec<Outcome>,
    /// The states there were.
    pub(super) past: u64,
    pub(super) opened: u64,
}

impl Model {
    pub(super) fn new() -> Self {
        Self {
            state: BreakerState::Closed,
            since: 0,
            asked: 0,
            outcomes: Vec::new(),
            past: 0,
            opened: 0,
        }
    }

    fn become_(&mut self, state: BreakerState, now: u64) {
        self.opened += u64::from(state == BreakerState::Open);
        let (past, opened) = (self.past + 1, self.opened);
        *self = Self { state, since: now, past, opened, ..Self::new() };
    }

    fn failed(outcomes: &[Outcome]) -> usize {
        let failed = |outcome: &&Outcome| **outcome == Outcome::Failure;
        outcomes.iter().filter(failed).count()
    }

    /// More than a tenth failed.
    fn are_bad(outcomes: &[Outcome]) -> bool {
        Self::failed(outcomes) * 10 > outcomes.len()
    }

    pub(super) fn time_passes(&mut self, now: u64) {
        match self.state {
            BreakerState::Closed => {}
            BreakerState::Open => {
                if now >= self.since + 30_000 {
                    self.become_(BreakerState::Returning(10), now);
                }
            }
            BreakerState::Returning(_) => {
                if !self.outcomes.is_empty() && now >= self.since + 10_000 {
                    self.stage_ends(now);
                }
            }
        }
    }

    fn stage_ends(&mut self, now: u64) {
        let is_bad = Self::are_bad(&self.outcomes);
        self.become_(
            match self.state {
                _ if is_bad => BreakerState::Open,
                BreakerState::Returning(10) => BreakerState::Returning(50),
                _ => BreakerState::Closed,
            },
            now,
        );
    }

    pub(super) fn admit(&mut self, now: u64) -> bool {
        self.time_passes(now);
        let every = match self.state {
            BreakerState::Closed => return true,
            BreakerState::Open => return false,
            BreakerState::Returning(10) => 10,
            BreakerState::Returning(_) => 2,
        };
        if now >= self.since + 10_000 {
            // Nobody came back.
            (self.since, self.asked) = (now, 0);
        }
        self.asked += 1;
        self.asked % every == 1
    }

    pub(super) fn record(&mut self, state: u64, outcome: Outcome, now: u64) {
        self.time_passes(now);
        if state != self.past {
            return;
        }
        self.outcomes.push(outcome);
        match self.state {
            BreakerState::Closed => {
                let last = &self.outcomes[self.outcomes.len().saturating_sub(100)..];
                if last.len() >= 20 && Self::are_bad(last) {
                    self.become_(BreakerState::Open, now);
                }
            }
            BreakerState::Open => {}
            BreakerState::Returning(_) => {
                if Self::failed(&self.outcomes) > 2 {
                    self.become_(BreakerState::Open, now);
                } else if self.outcomes.len() == 20 || now >= self.since + 10_000 {
                    self.stage_ends(now);
                }
            }
        }
    }
}
