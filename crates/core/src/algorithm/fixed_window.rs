//! Fixed window: one count per aligned window.

use super::{Algorithm, Answer, Outcome};
use crate::{Cost, Micros, Now, Period, Timestamp};

/// At most the limit in every aligned window.
///
/// ```
/// use tollgate_core::{Algorithm, Clock, Cost, FixedWindow, ManualClock, Period};
///
/// let (window, now) = (FixedWindow::new(1, Period::HOUR), ManualClock::start().now());
/// let (first, state) = window.step(window.fresh(now), now, Cost::ONE);
/// let (second, _) = window.step(state, now, Cost::ONE);
/// assert!(first.outcome.is_allowed() && !second.outcome.is_allowed());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedWindow {
    capacity: u64,
    period: Period,
}

/// How much was admitted in which window.
///
/// ```
/// use tollgate_core::{Algorithm, Clock, FixedState, FixedWindow, ManualClock, Period};
///
/// let (window, now) = (FixedWindow::new(10, Period::HOUR), ManualClock::start().now());
/// let FixedState { used, .. } = window.admitted(3, now);
/// assert_eq!(used, 3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedState {
    /// The window's number, as [`Period::window_at`] counts.
    pub window: u64,
    /// Units admitted in it.
    pub used: u64,
}

impl FixedWindow {
    /// At most `capacity` in each window of `period`.
    pub const fn new(capacity: u64, period: Period) -> Self {
        Self { capacity, period }
    }

    /// The length and alignment of the windows.
    pub const fn period(&self) -> Period {
        self.period
    }

    /// The state as it counts in `window`: an ended one counts nothing, one just ahead of a clock that
    /// was set back a little still counts.
    #[inline]
    fn at(&self, state: FixedState, window: u64) -> FixedState {
        let is_ahead = cfg!(mutant = "window-clamp-removed") && state.window > window;
        if state.window < window || state.used == 0 || is_ahead {
            FixedState { window, used: 0 }
        } else {
            state
        }
    }
}

/// D7: a state two or more windows ahead was left by a clock that has been set back since. Its
/// counts move into the present window.
#[inline]
pub(super) fn is_from_the_future(state_window: u64, window: u64) -> bool {
    state_window > window.saturating_add(1)
}

/// Time from `wall` until `window` is over.
#[inline]
pub(super) fn until_end(period: Period, window: u64, wall: Timestamp) -> Micros {
    period.start_of(window.saturating_add(1)).since(wall)
}

impl Algorithm for FixedWindow {
    type State = FixedState;

    #[inline]
    fn capacity(&self) -> u64 {
        self.capacity
    }

    #[inline]
    fn fresh(&self, now: Now) -> FixedState {
        FixedState { window: self.period.window_at(now.wall), used: 0 }
    }

    #[inline]
    fn step(&self, mut state: FixedState, now: Now, cost: Cost) -> (Answer, FixedState) {
        let window = self.period.window_at(now.wall);
        if is_from_the_future(state.window, window) {
            state.window = window;
        }
        let seen = self.at(state, window);
        let reset_after = until_end(self.period, seen.window, now.wall);
        if cost.is_zero() {
            return (Answer { outcome: Outcome::ALLOW, used: seen.used, reset_after }, state);
        }
        let fits = cost.get() <= self.capacity.saturating_sub(seen.used);
        #[cfg(mutant = "fixed-window-one-too-many")]
        let fits = cost.get() <= self.capacity.saturating_add(1).saturating_sub(seen.used);
        if !fits {
            let retry_after = (cost.get() <= self.capacity).then_some(reset_after);
            let outcome = Outcome::Deny { retry_after };
            return (Answer { outcome, used: seen.used, reset_after }, state);
        }
        let used = seen.used.saturating_add(cost.get());
        let answer = Answer { outcome: Outcome::ALLOW, used, reset_after };
        (answer, FixedState { window: seen.window, used })
    }

    fn used(&self, state: &FixedState, now: Now) -> u64 {
        self.at(*state, self.period.window_at(now.wall)).used
    }

    fn admitted(&self, used: u64, now: Now) -> FixedState {
        FixedState { used, ..self.fresh(now) }
    }

    fn refund(&self, state: FixedState, now: Now, cost: Cost) -> FixedState {
        if state.window < self.period.window_at(now.wall) {
            return state;
        }
        FixedState { used: state.used.saturating_sub(cost.get()), ..state }
    }

    #[inline]
    fn is_fresh(&self, state: &FixedState, now: Now) -> bool {
        state.used == 0 || state.window < self.period.window_at(now.wall)
    }
}
