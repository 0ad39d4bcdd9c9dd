//! What a sketch counts: admissions by window, or the moment at which nothing is owed any more.

use tollgate_core::{BucketState, Cost, Law, Now, State};

use super::{
    cells::Cells,
    moments::{LIFE_UNKNOWN, Moments, bucket, drained_in, fresh_at, moment_bits},
    windows::{Windows, state_windows, window_at, window_cells, windows_state},
};

/// The numbers of one sketch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Counts {
    Windows(Windows),
    Moments(Moments),
}

impl Counts {
    /// Empty counts for a limit of this amount, in so many words.
    pub(super) fn new(law: Option<&Law>, capacity: u64, words: usize, now: Now) -> Self {
        let windows = |window, previous: bool| {
            let (bits, quantum) = window_cells(capacity);
            let words = if previous { words / 2 } else { words };
            Self::Windows(Windows {
                window,
                quantum,
                current: Cells::new(words, bits),
                previous: previous.then(|| Cells::new(words, bits)),
            })
        };
        match law {
            Some(law @ Law::FixedWindow(_)) => windows(window_at(law, now), false),
            Some(law @ (Law::SlidingWindow(_) | Law::SlidingLog(_))) => {
                windows(window_at(law, now), true)
            }
            _ => {
                let life = law.and_then(bucket).map_or(LIFE_UNKNOWN, |bucket| {
                    drained_in(bucket.units_per_micro(), bucket.units_per_token(), capacity)
                });
                let cells = Cells::new(words, moment_bits(law, capacity));
                Self::Moments(Moments::new(life, cells, now.steady.as_micros()))
            }
        }
    }

    pub(super) fn words(&self) -> usize {
        match self {
            Self::Windows(windows) => {
                let previous = windows.previous.as_ref().map_or(0, Cells::words);
                windows.current.words() + previous
            }
            Self::Moments(moments) => moments.cells.words(),
        }
    }

    pub(super) fn fold(&mut self) {
        match self {
            Self::Windows(windows) => {
                windows.current.fold();
                windows.previous.iter_mut().for_each(Cells::fold);
            }
            Self::Moments(moments) => moments.cells.fold(),
        }
    }

    /// Millionths of wrong answers to new keys.
    pub(super) fn odds(&self, law: Option<&Law>, now: Now) -> u64 {
        match (self, law) {
            (Self::Windows(windows), Some(law)) => windows.odds(window_at(law, now)),
            (Self::Moments(moments), _) => moments.odds(now.steady.as_micros()),
            _ => 0,
        }
    }

    /// Forgets windows that have run out; `false` if nothing is left.
    pub(super) fn roll(&mut self, law: Option<&Law>, now: Now) -> bool {
        match (self, law) {
            (Self::Windows(windows), Some(law)) => windows.roll(window_at(law, now)),
            (Self::Moments(moments), _) => moments.is_live(now.steady.as_micros()),
            _ => false,
        }
    }

    /// The state of a key by a law that counts in this way; `None` if nothing is counted. `exhausted` is
    /// the amount to assume where a cell can say no more than "at least".
    pub(super) fn read(
        &self,
        law: &Law,
        fingerprint: u64,
        exhausted: u64,
        now: Now,
    ) -> Option<State> {
        match self {
            Self::Windows(windows) => {
                let seen = windows.read(fingerprint, window_at(law, now), exhausted)?;
                windows_state(law, seen, now)
            }
            Self::Moments(moments) => {
                let moment = moments.read(fingerprint, now.steady.as_micros())?;
                let per_micro = bucket(law)?.units_per_micro();
                Some(State::Bucket(BucketState {
                    full_at: u128::from(moment) * u128::from(per_micro),
                    at: now.steady,
                }))
            }
        }
    }

    /// Adds what a key has used.
    pub(super) fn add(&mut self, law: &Law, fingerprint: u64, state: &State, now: Now) {
        // Without what a clock that was set back left in the future.
        let state = law.step(state.clone(), now, Cost::ZERO).1;
        match (self, state) {
            (Self::Windows(windows), state) => {
                if let Some(seen) = state_windows(law, &state, windows.window, now) {
                    windows.raise(fingerprint, seen);
                }
            }
            (Self::Moments(moments), State::Bucket(state)) => {
                let per_micro = bucket(law).map_or(1, |bucket| bucket.units_per_micro().max(1));
                let moment = state.full_at.div_ceil(u128::from(per_micro));
                let moment = u64::try_from(moment).unwrap_or(u64::MAX);
                moments.raise(fingerprint, moment, now.steady.as_micros());
            }
            (Self::Moments(moments), state) => {
                let moment = fresh_at(law, &state, now);
                moments.raise(fingerprint, moment, now.steady.as_micros());
            }
        }
    }
}
