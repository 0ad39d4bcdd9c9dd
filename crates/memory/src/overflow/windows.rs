//! Admissions by window.

use tollgate_core::{FixedState, Law, Log, LogEntry, Micros, Now, SlidingState, State, Timestamp};

use super::{
    counts::Standing,
    entries::{Entries, Fill, Found, is_zero},
    layout::Layout,
};

/// Admissions of the window in progress and, where that still counts, of the one before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Windows {
    pub(crate) window: u64,
    /// The window in which a clock was found that was set back by more than one: what is counted here then
    /// counts in that one (D7). It is kept for the time that it was counted in, since the clock may be set
    /// forward again.
    pub(crate) rebased_to: Option<u64>,
    /// Units that one of an entry stands for; above one only for amounts beyond its bits.
    pub(crate) quantum: u64,
    pub(crate) entries: Entries,
}

/// What a key has used in a window and in the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    window: u64,
    current: u64,
    previous: u64,
}

impl Windows {
    pub(super) fn fill(&self, window: u64) -> Fill {
        let counts = |current, previous| {
            let counts = self.counts_at(window, Seen { window, current, previous });
            counts.is_some_and(|seen| seen.current > 0 || seen.previous > 0)
        };
        self.entries.fill(|[current, previous]| !counts(current, previous))
    }

    /// Takes all for admitted in `window`.
    pub(crate) fn move_to(&mut self, window: u64) {
        self.entries.change(|[current, previous]| [current.saturating_add(previous), 0]);
        self.window = window;
    }

    pub(super) fn notice(&mut self, window: u64) {
        self.rebased_to = match self.is_ahead(window) {
            true => self.rebased_to.or(Some(window)),
            false => None,
        };
    }

    pub(super) fn roll(&mut self, window: u64) -> Standing {
        match window.saturating_sub(self.window) {
            0 if self.is_ahead(window) => Standing::Ahead,
            0 => Standing::Present,
            1 if self.has_previous() => {
                self.entries.change(|[current, _]| [0, current]);
                self.window = window;
                Standing::Present
            }
            _ => Standing::RunOut,
        }
    }

    /// What a key has used, and whether several share it.
    pub(super) fn read(
        &self,
        fingerprint: u64,
        window: u64,
        exhausted: u64,
    ) -> Option<(Seen, bool)> {
        let Found { numbers, is_shared } = self.entries.read(fingerprint, is_zero);
        let [current, previous] = numbers.map(|number| {
            let units = number.saturating_mul(self.quantum);
            match number == self.entries.layout().most() {
                true => units.max(exhausted),
                false => units,
            }
        });
        let seen = Seen { window: self.window, current, previous };
        let seen = self.counts_at(window, seen)?;
        (seen.current > 0 || seen.previous > 0).then_some((seen, is_shared))
    }

    pub(super) fn raise(&mut self, fingerprint: u64, seen: Seen) {
        let number = |units: u64| units.div_ceil(self.quantum);
        let numbers = [seen.current, seen.previous].map(number);
        // All that is counted here lasts as long as the latest of it.
        self.window = self.window.max(seen.window);
        self.entries.raise(fingerprint, numbers, is_zero);
    }

    /// What counts of it in `window`.
    fn counts_at(&self, window: u64, seen: Seen) -> Option<Seen> {
        let rebased_to = self.rebased_to.filter(|_| self.is_ahead(window));
        let since = rebased_to.unwrap_or(self.window);
        match window.saturating_sub(since) {
            0 => Some(Seen { window: self.window, ..seen }),
            1 if self.has_previous() => {
                let faded = rebased_to.map_or(0, |_| seen.previous);
                Some(Seen { window, current: 0, previous: seen.current.saturating_add(faded) })
            }
            _ => None,
        }
    }

    const fn is_ahead(&self, window: u64) -> bool {
        self.window > window.saturating_add(1)
    }

    const fn has_previous(&self) -> bool {
        self.entries.layout().numbers == 2
    }
}

/// How entries of one window, or of two, are cut, and units that one of a number stands for. The largest number stands for "at
/// least", so the amount is below it.
pub(super) const fn window_layout(capacity: u64, numbers: u32) -> (Layout, u64) {
    const BITS_MAX: u32 = 24;
    let (bits, quantum) = match capacity {
        0..=0xe if numbers == 2 => (4, 1),
        0..=0xfe => (8, 1),
        0xff..=0xfffe => (16, 1),
        _ => (BITS_MAX, capacity.div_ceil((1 << BITS_MAX) - 2)),
    };
    (Layout { bits, numbers }, quantum)
}

/// The window of the present. Logs have windows of elapsed time; nothing else counts by them.
pub(super) fn window_at(law: &Law, now: Now) -> u64 {
    match law {
        Law::FixedWindow(fixed) => fixed.period().window_at(now.wall),
        Law::SlidingWindow(sliding) => sliding.period().window_at(now.wall),
        Law::SlidingLog(log) => log_window(log.period(), now.steady),
        _ => 0,
    }
}

pub(super) const fn log_window(period: Micros, at: Timestamp) -> u64 {
    match at.as_micros().checked_div(period.get()) {
        Some(window) => window,
        None => 0,
    }
}

/// The state of a key that has used so much in these windows. A log takes each admission to be as
/// late as it can have been, and so is stricter than one that knows.
pub(super) fn windows_state(law: &Law, seen: Seen, now: Now) -> Option<State> {
    let Seen { window, current, previous } = seen;
    Some(match law {
        Law::FixedWindow(_) => State::Fixed(FixedState { window, used: current }),
        Law::SlidingWindow(_) => State::Sliding(SlidingState { window, current, previous }),
        Law::SlidingLog(log) => {
            let start = window.saturating_mul(log.period().get());
            let before = Timestamp::from_micros(start.saturating_sub(1));
            let entries = [(before, previous), (now.steady, current)];
            let entries = entries.into_iter().filter(|(_, cost)| *cost > 0);
            let entries = entries.map(|(at, cost)| LogEntry { at, cost });
            State::Log(Log::new(entries.collect()))
        }
        _ => return None,
    })
}

/// What a state has used in the present window and in the one before; `None` if it counts otherwise.
pub(super) fn state_windows(law: &Law, state: &State, known: u64, now: Now) -> Option<Seen> {
    let window = window_at(law, now);
    Some(match (law, state) {
        (Law::FixedWindow(_), State::Fixed(state)) if state.window >= window => {
            Seen { window: state.window, current: state.used, previous: 0 }
        }
        (Law::SlidingWindow(_), State::Sliding(state)) if state.window >= window => {
            Seen { window: state.window, current: state.current, previous: state.previous }
        }
        (Law::SlidingWindow(_), State::Sliding(state)) if state.window + 1 == window => {
            Seen { window, current: 0, previous: state.current }
        }
        (Law::SlidingLog(log), State::Log(state)) => {
            let window = window.max(known);
            let admitted = |is_counted: &dyn Fn(u64) -> bool| {
                let entries = state.entries().iter();
                let entries = entries.filter(|it| is_counted(log_window(log.period(), it.at)));
                entries.fold(0, |sum: u64, entry| sum.saturating_add(entry.cost))
            };
            Seen {
                window,
                current: admitted(&|it| it >= window),
                previous: admitted(&|it| it.saturating_add(1) == window),
            }
        }
        _ => return None,
    })
}
