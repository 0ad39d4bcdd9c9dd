//! What a sketch counts: admissions by window, or the moment at which nothing is owed any more.

use tollgate_core::{BucketState, Cost, Law, Now, State};

use super::{
    entries::{Entries, Fill},
    moments::{LIFE_UNKNOWN, Moments, Owed, bucket, drained_in, fresh_at, moment_layout},
    windows::{Windows, state_windows, window_at, window_layout, windows_state},
};

/// What a sketch says of a key.
#[derive(Clone, Debug)]
pub(crate) struct Estimate {
    pub(crate) state: State,
    /// Whether it is what several keys share, and so may be too much.
    pub(crate) is_shared: bool,
}

/// The numbers of one sketch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Counts {
    Windows(Windows),
    Moments(Moments),
}

/// Whether counts can be added to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Present,
    /// Of a later time, which a clock has left; it may come back.
    Ahead,
    RunOut,
}

impl Counts {
    /// Empty counts for a limit of this amount, in so many words.
    pub(super) fn new(law: Option<&Law>, capacity: u64, words: usize, now: Now) -> Self {
        let windows = |law: &Law, has_previous| {
            let (layout, quantum) = window_layout(capacity, if has_previous { 2 } else { 1 });
            Self::Windows(Windows {
                window: window_at(law, now),
                rebased_to: None,
                quantum,
                entries: Entries::new(words, layout),
            })
        };
        match law {
            Some(law @ Law::FixedWindow(_)) => windows(law, false),
            Some(law @ (Law::SlidingWindow(_) | Law::SlidingLog(_))) => windows(law, true),
            _ => {
                let life = law.and_then(bucket).map_or(LIFE_UNKNOWN, |bucket| {
                    drained_in(bucket.units_per_micro(), bucket.units_per_token(), capacity)
                });
                let entries = Entries::new(words, moment_layout(law, capacity));
                Self::Moments(Moments::new(life, entries, now.steady.as_micros()))
            }
        }
    }

    pub(super) const fn words(&self) -> usize {
        match self {
            Self::Windows(windows) => windows.entries.words(),
            Self::Moments(moments) => moments.entries.words(),
        }
    }

    pub(super) fn fold(&mut self) {
        match self {
            Self::Windows(windows) => windows.entries.fold(),
            Self::Moments(moments) => moments.entries.fold(),
        }
    }

    pub(super) fn fill(&self, law: Option<&Law>, now: Now) -> Fill {
        match (self, law) {
            (Self::Windows(windows), Some(law)) => windows.fill(window_at(law, now)),
            (Self::Moments(moments), _) => moments.fill(now.steady.as_micros()),
            _ => Fill::default(),
        }
    }

    /// Takes note of a clock that was set back.
    pub(super) fn notice(&mut self, law: Option<&Law>, now: Now) {
        if let (Self::Windows(windows), Some(law)) = (self, law) {
            windows.notice(window_at(law, now));
        }
    }

    /// Forgets windows that have run out.
    pub(super) fn roll(&mut self, law: Option<&Law>, now: Now) -> Standing {
        match (self, law) {
            (Self::Windows(windows), Some(law)) => windows.roll(window_at(law, now)),
            (Self::Moments(moments), _) if moments.is_live(now.steady.as_micros()) => {
                Standing::Present
            }
            _ => Standing::RunOut,
        }
    }

    /// The state of a key by a law that counts in this way; `None` if nothing is counted. `exhausted` is
    /// the amount to assume where an entry can say no more than "at least".
    pub(super) fn read(
        &self,
        law: &Law,
        fingerprint: u64,
        exhausted: u64,
        now: Now,
    ) -> Option<Estimate> {
        match self {
            Self::Windows(windows) => {
                let window = window_at(law, now);
                let (seen, is_shared) = windows.read(fingerprint, window, exhausted)?;
                let state = windows_state(law, seen, now)?;
                Some(Estimate { state, is_shared })
            }
            Self::Moments(moments) => {
                let Owed { until, is_shared } =
                    moments.read(fingerprint, now.steady.as_micros())?;
                let per_micro = bucket(law)?.units_per_micro();
                let state = State::Bucket(BucketState {
                    full_at: u128::from(until) * u128::from(per_micro),
                    at: now.steady,
                });
                Some(Estimate { state, is_shared })
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
