//! Admissions by window.

use tollgate_core::{FixedState, Law, Log, LogEntry, Micros, Now, SlidingState, State, Timestamp};

use super::cells::Cells;

/// Admissions of the window in progress and, where that still counts, of the one before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Windows {
    pub(crate) window: u64,
    /// Units that one of a cell stands for; above one only for amounts beyond 32 bits.
    pub(crate) quantum: u64,
    pub(crate) current: Cells,
    pub(crate) previous: Option<Cells>,
}

/// What a key has used in a window and in the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    window: u64,
    current: u64,
    previous: u64,
}

impl Windows {
    pub(super) fn odds(&self, window: u64) -> u64 {
        let (current, previous) = (
            self.current.odds(),
            self.previous.as_ref().map_or(0, Cells::odds),
        );
        match window.saturating_sub(self.window) {
            0 => current.saturating_add(previous),
            1 if self.previous.is_some() => current,
            _ => 0,
        }
    }

    /// Takes all for admitted in `window`.
    pub(crate) fn move_to(&mut self, window: u64) {
        if let Some(previous) = &mut self.previous {
            self.current.join(previous, u64::saturating_add);
            previous.clear();
        }
        self.window = window;
    }

    pub(super) fn roll(&mut self, window: u64) -> bool {
        let ahead = window.saturating_sub(self.window);
        // A clock was set back: the counts move into the present window (D7).
        if self.window > window.saturating_add(1) {
            self.move_to(window);
        }
        match &mut self.previous {
            _ if ahead == 0 => {}
            Some(previous) if ahead == 1 => {
                std::mem::swap(previous, &mut self.current);
                self.current.clear();
                self.window = window;
            }
            previous => {
                self.current.clear();
                previous.iter_mut().for_each(Cells::clear);
                self.window = window;
            }
        }
        !self.current.is_clear() || self.previous.as_ref().is_some_and(|it| !it.is_clear())
    }

    pub(super) fn read(&self, fingerprint: u64, window: u64, exhausted: u64) -> Option<Seen> {
        let units = |cells: &Cells| {
            let number = cells.read(fingerprint);
            let units = number.saturating_mul(self.quantum);
            if number == cells.most() {
                units.max(exhausted)
            } else {
                units
            }
        };
        let current = units(&self.current);
        let previous = self.previous.as_ref().map_or(0, units);
        let seen = match (window.saturating_sub(self.window), &self.previous) {
            (0, _) => Seen {
                window: self.window,
                current,
                previous,
            },
            (1, Some(_)) => Seen {
                window,
                current: 0,
                previous: current,
            },
            _ => return None,
        };
        (seen.current > 0 || seen.previous > 0).then_some(seen)
    }

    pub(super) fn raise(&mut self, fingerprint: u64, seen: Seen) {
        let cells = |units: u64| units.div_ceil(self.quantum);
        let (current, previous) = (cells(seen.current), cells(seen.previous));
        // All that is counted here lasts as long as the latest of it.
        self.window = self.window.max(seen.window);
        self.current.raise(fingerprint, current);
        if let Some(cells) = &mut self.previous {
            cells.raise(fingerprint, previous);
        }
    }
}

/// Bits of a cell, and units that one of it stands for. The largest number stands for "at least", so the
/// amount is below it.
pub(super) const fn window_cells(capacity: u64) -> (u32, u64) {
    match capacity {
        0..=0xe => (4, 1),
        0xf..=0xfe => (8, 1),
        0xff..=0xffe => (12, 1),
        0xfff..=0xfffe => (16, 1),
        _ => (32, capacity.div_ceil(u32::MAX as u64 - 1)),
    }
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
    let Seen {
        window,
        current,
        previous,
    } = seen;
    Some(match law {
        Law::FixedWindow(_) => State::Fixed(FixedState {
            window,
            used: current,
        }),
        Law::SlidingWindow(_) => State::Sliding(SlidingState {
            window,
            current,
            previous,
        }),
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
        (Law::FixedWindow(_), State::Fixed(state)) if state.window >= window => Seen {
            window: state.window,
            current: state.used,
            previous: 0,
        },
        (Law::SlidingWindow(_), State::Sliding(state)) if state.window >= window => Seen {
            window: state.window,
            current: state.current,
            previous: state.previous,
        },
        (Law::SlidingWindow(_), State::Sliding(state)) if state.window + 1 == window => Seen {
            window,
            current: 0,
            previous: state.current,
        },
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
