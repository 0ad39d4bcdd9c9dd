//! Sliding window: two aligned counts, the older one weighted by what is left of it.

use super::{
    Algorithm, Answer, Outcome,
    fixed_window::{is_from_the_future, until_end},
};
use crate::{
    Cost, Micros, Now, Period, Timestamp,
    math::{div_floor, mul},
};

/// The estimate `⌊previous · weight⌋ + current` is at most the limit at every admission, computed in
/// whole numbers. The weight is the share of the window that is still ahead, and below one even at its
/// first tick. Since the product is rounded down, a lone client of cost 1 never waits longer than a
/// period.
///
/// It is an estimate: it takes the previous window's requests to be spread evenly. In an interval
/// that is not aligned up to twice the limit can pass, when all of the previous window's requests
/// came at its end.
///
/// ```
/// use std::time::Duration;
/// use tollgate_core::{Algorithm, Clock, Cost, ManualClock, Period, SlidingWindow};
///
/// let (window, clock) = (SlidingWindow::new(10, Period::MINUTE), ManualClock::start());
/// let (_, state) = window.step(window.fresh(clock.now()), clock.now(), Cost::new(10));
/// clock.advance(Duration::from_secs(87)); // 27 s into the next minute: 5.5 of the ten still count
/// assert_eq!(window.used(&state, clock.now()), 5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlidingWindow {
    capacity: u64,
    period: Period,
}

/// How much was admitted in a window and in the one before it.
///
/// ```
/// use tollgate_core::{Algorithm, Clock, ManualClock, Period, SlidingWindow};
///
/// let (window, now) = (SlidingWindow::new(10, Period::HOUR), ManualClock::start().now());
/// let state = window.admitted(3, now);
/// assert_eq!((state.current, state.previous), (3, 0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlidingState {
    /// The current window's number, as [`Period::window_at`] counts.
    pub window: u64,
    /// Units admitted in it.
    pub current: u64,
    /// Units admitted in the window before.
    pub previous: u64,
}

/// One window, seen from a moment in it.
#[derive(Clone, Copy)]
struct View {
    length: u64,
    /// Ticks of it that lie ahead, but never all: an interval of one period that ends with its first
    /// tick has left the first tick of the previous window behind.
    left: u64,
}

/// The most ticks that may be left of a window of `length` for `previous` units to count as at most
/// `room`: ⌊previous · left / length⌋ ≤ room.
fn most_left(previous: u64, length: u64, room: u64) -> u64 {
    let below_next = mul(room, length).saturating_add(u128::from(length));
    div_floor(below_next.saturating_sub(1), previous)
}

impl SlidingWindow {
    /// At most `capacity` in each window of `period`.
    pub const fn new(capacity: u64, period: Period) -> Self {
        Self { capacity, period }
    }

    /// The length and alignment of the windows.
    pub const fn period(&self) -> Period {
        self.period
    }

    /// The state as it counts in `window`.
    #[inline]
    fn at(&self, state: SlidingState, window: u64) -> SlidingState {
        if state.window >= window && (state.current > 0 || state.previous > 0) {
            state
        } else if state.window.saturating_add(1) == window {
            SlidingState { window, current: 0, previous: state.current }
        } else {
            SlidingState { window, current: 0, previous: 0 }
        }
    }

    /// D7: the counts move into the present window. How much of the previous one had faded is not
    /// known, so all of it counts as admitted now, up to what the limit holds.
    fn rebased(&self, state: SlidingState, window: u64) -> SlidingState {
        let both = state.current.saturating_add(state.previous).min(self.capacity);
        SlidingState { window, current: state.current.max(both), previous: 0 }
    }

    #[inline]
    fn view(&self, window: u64, wall: Timestamp) -> View {
        let start = self.period.start_of(window);
        let end = self.period.start_of(window.saturating_add(1));
        let length = end.since(start).get();
        // Seen from before its start (a clock set back a little) it is as at its start.
        View { length, left: end.since(wall).get().min(length.saturating_sub(1)) }
    }

    #[inline]
    fn estimate(state: &SlidingState, view: View) -> u64 {
        let weighted = match state.previous {
            0 => 0,
            #[cfg(mutant = "sliding-estimate-rounds-up")]
            previous => crate::math::div_ceil(mul(previous, view.left), view.length),
            #[cfg(not(mutant = "sliding-estimate-rounds-up"))]
            previous => div_floor(mul(previous, view.left), view.length),
        };
        state.current.saturating_add(weighted)
    }

    /// The first moment at which `cost` fits, if nobody else comes.
    fn admits_at(&self, state: &SlidingState, view: View, cost: u64) -> Timestamp {
        let next = state.window.saturating_add(1);
        let room = self.capacity.saturating_sub(cost);
        // Within this window the previous one still fades …
        if let Some(room) = room.checked_sub(state.current) {
            let left = most_left(state.previous, view.length, room).min(view.left);
            return self.period.start_of(next).saturating_sub(Micros::new(left));
        }
        // … and in the next one this window does, a tick of it at once.
        let start = self.period.start_of(next);
        let after = self.period.start_of(next.saturating_add(1));
        let length = after.since(start).get();
        match most_left(state.current, length, room) {
            left if left.saturating_add(1) >= length => start,
            left => after.saturating_sub(Micros::new(left)),
        }
    }
}

impl Algorithm for SlidingWindow {
    type State = SlidingState;

    #[inline]
    fn capacity(&self) -> u64 {
        self.capacity
    }

    #[inline]
    fn fresh(&self, now: Now) -> SlidingState {
        let window = self.period.window_at(now.wall);
        SlidingState { window, current: 0, previous: 0 }
    }

    #[inline]
    fn step(&self, mut state: SlidingState, now: Now, cost: Cost) -> (Answer, SlidingState) {
        let window = self.period.window_at(now.wall);
        if is_from_the_future(state.window, window) {
            state = self.rebased(state, window);
        }
        let seen = self.at(state, window);
        let view = self.view(seen.window, now.wall);
        let reset_after = until_end(self.period, seen.window, now.wall);
        let used = Self::estimate(&seen, view);
        if cost.is_zero() {
            return (Answer { outcome: Outcome::ALLOW, used, reset_after }, state);
        }
        if cost.get() > self.capacity.saturating_sub(used) {
            let retry_after = (cost.get() <= self.capacity)
                .then(|| self.admits_at(&seen, view, cost.get()).since(now.wall));
            let outcome = Outcome::Deny { retry_after };
            return (Answer { outcome, used, reset_after }, state);
        }
        let used = used.saturating_add(cost.get());
        let answer = Answer { outcome: Outcome::ALLOW, used, reset_after };
        let current = seen.current.saturating_add(cost.get());
        (answer, SlidingState { current, ..seen })
    }

    fn used(&self, state: &SlidingState, now: Now) -> u64 {
        let seen = self.at(*state, self.period.window_at(now.wall));
        Self::estimate(&seen, self.view(seen.window, now.wall))
    }

    fn admitted(&self, used: u64, now: Now) -> SlidingState {
        SlidingState { current: used, ..self.fresh(now) }
    }

    /// Credits the current window only: the previous one has ended.
    fn refund(&self, state: SlidingState, now: Now, cost: Cost) -> SlidingState {
        if state.window < self.period.window_at(now.wall) {
            return state;
        }
        SlidingState { current: state.current.saturating_sub(cost.get()), ..state }
    }

    #[inline]
    fn is_fresh(&self, state: &SlidingState, now: Now) -> bool {
        let seen = self.at(*state, self.period.window_at(now.wall));
        seen.current == 0 && seen.previous == 0
    }
}
