//! When a shard is not asked any more, and how it comes back: a state machine without a clock of its own.

use std::time::Duration;

use tollgate_core::Timestamp;

use crate::Standing;

/// So many failures in a row open it.
pub(super) const FAILURES_MAX: u8 = 5;
/// How long each step of the return lasts.
pub(super) const STEP: Duration = Duration::from_millis(500);
/// The shares of the return, in percent.
const SHARES: [u8; 2] = [10, 50];

/// Whether a shard is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Breaker {
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It was never there, so nobody is kept waiting who could all come back at once.
    Fresh,
    Up {
        failures: u8,
    },
    Down,
    Returning {
        share: u8,
        since: Timestamp,
    },
}

impl Breaker {
    pub(super) const fn new() -> Self {
        Self { state: State::Fresh }
    }

    /// A call failed, or was too late.
    pub(super) const fn failed(&mut self) {
        self.state = match self.state {
            State::Up { failures } if failures + 1 < FAILURES_MAX => {
                State::Up { failures: failures + 1 }
            }
            State::Fresh => State::Fresh,
            _ => State::Down,
        };
    }

    /// A call went well. While it is down only a probe can tell: this may be an answer from before.
    pub(super) const fn succeeded(&mut self) {
        if let State::Up { .. } = self.state {
            self.state = State::Up { failures: 0 };
        }
    }

    /// The connection ended, or there is none to be had.
    pub(super) const fn lost(&mut self) {
        self.state = State::Down;
    }

    /// A probe went well.
    pub(super) const fn recovered(&mut self, now: Timestamp) {
        self.state = match self.state {
            State::Fresh => State::Up { failures: 0 },
            State::Down => State::Returning { share: SHARES[0], since: now },
            state => state,
        };
    }

    /// Time has passed.
    pub(super) fn tick(&mut self, now: Timestamp) {
        let State::Returning { share, since } = self.state else {
            return;
        };
        if now.since(since) < STEP.into() {
            return;
        }
        let next = SHARES.into_iter().find(|next| *next > share);
        self.state =
            next.map_or(State::Up { failures: 0 }, |share| State::Returning { share, since: now });
    }

    /// What share of the keys is let through, in percent.
    pub(super) const fn share(&self) -> u8 {
        match self.state {
            State::Up { .. } => 100,
            State::Returning { share, .. } => share,
            State::Fresh | State::Down => 0,
        }
    }

    /// Whether there is nothing to be told by a success.
    pub(super) const fn is_calm(&self) -> bool {
        matches!(self.state, State::Up { failures: 0 })
    }

    pub(super) const fn standing(&self) -> Standing {
        match self.state {
            State::Up { .. } => Standing::Up,
            State::Returning { share, .. } => Standing::Returning(share),
            State::Fresh | State::Down => Standing::Down,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Just, Strategy, prop_oneof, proptest};
    use tollgate_core::{Clock as _, ManualClock};

    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Event {
        Failed,
        Succeeded,
        Lost,
        Recovered,
        Passed(u64),
    }

    fn events() -> impl Strategy<Value = Vec<Event>> {
        let event = prop_oneof![
            4 => Just(Event::Failed),
            4 => Just(Event::Succeeded),
            1 => Just(Event::Lost),
            2 => Just(Event::Recovered),
            4 => (0..700_u64).prop_map(Event::Passed),
        ];
        proptest::collection::vec(event, 0..60)
    }

    /// What the rules say, read off the history.
    fn expected(history: &[Event]) -> Standing {
        let (mut standing, mut row, mut calm_millis, mut was_known) = (Standing::Down, 0, 0, false);
        for event in history {
            match (*event, standing) {
                (Event::Lost, _) => (standing, was_known) = (Standing::Down, true),
                (Event::Recovered, Standing::Down) if !was_known => {
                    (standing, was_known, row) = (Standing::Up, true, 0);
                }
                (Event::Recovered, Standing::Down) => {
                    (standing, calm_millis) = (Standing::Returning(10), 0);
                }
                (Event::Failed, Standing::Returning(_)) => standing = Standing::Down,
                (Event::Failed, Standing::Up) => {
                    row += 1;
                    if row == u32::from(FAILURES_MAX) {
                        standing = Standing::Down;
                    }
                }
                (Event::Succeeded, Standing::Up) => row = 0,
                (Event::Passed(millis), Standing::Returning(share)) => {
                    calm_millis += millis;
                    if calm_millis >= 500 {
                        (calm_millis, row) = (0, 0);
                        standing = match share {
                            10 => Standing::Returning(50),
                            _ => Standing::Up,
                        };
                    }
                }
                _ => {}
            }
        }
        standing
    }

    proptest! {
        // Proves: C6
        #[test]
        fn it_opens_and_returns_as_the_rules_say(history in events()) {
            let clock = ManualClock::start();
            let mut breaker = Breaker::new();
            for (at, event) in history.iter().enumerate() {
                match event {
                    Event::Failed => breaker.failed(),
                    Event::Succeeded => breaker.succeeded(),
                    Event::Lost => breaker.lost(),
                    Event::Recovered => breaker.recovered(clock.now().steady),
                    Event::Passed(millis) => {
                        clock.advance(Duration::from_millis(*millis));
                        breaker.tick(clock.now().steady);
                    }
                }
                let standing = breaker.standing();
                assert_eq!(standing, expected(&history[..=at]), "after {:?}", &history[..=at]);
                let share = match standing {
                    Standing::Up => 100,
                    Standing::Down => 0,
                    Standing::Returning(share) => share,
                };
                assert_eq!(breaker.share(), share);
            }
        }
    }

    #[test]
    fn single_failures_amid_successes_do_not_open_it() {
        let mut breaker = Breaker::new();
        breaker.recovered(Timestamp::EPOCH);
        for _ in 0..1_000 {
            for _ in 1..FAILURES_MAX {
                breaker.failed();
            }
            assert_eq!(breaker.standing(), Standing::Up);
            breaker.succeeded();
        }
    }
}
