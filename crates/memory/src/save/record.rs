//! One saved counter.
//!
//! Times are written as the time of day: elapsed time has another origin in every process.

use std::io::{self, Write};

use tollgate_core::{
    BucketState, FixedState, FixedWindow, Law, LeakyBucket, Log, LogEntry, Micros, Now, Period,
    RuleId, SlidingLog, SlidingState, SlidingWindow, State, Timestamp, TokenBucket,
};

use super::{
    LoadError,
    file::{Reader, Writer},
};
use crate::class::{Code, Scope};

#[derive(Debug)]
pub(super) struct Record {
    pub(super) fingerprint: u64,
    /// Which limit's; not known of those that an earlier release saved.
    pub(super) scope: Option<Scope>,
    pub(super) kept: Kept,
    pub(super) state: State,
}

/// How the counter was kept.
#[derive(Clone, Debug)]
pub(super) enum Kept {
    /// In a slot, of a limit of this amount.
    Packed {
        code: Code,
        capacity: u64,
    },
    Wide(Law),
}

const PACKED: u64 = 0;
const TOKEN_BUCKET: u64 = 1;
const LEAKY_BUCKET: u64 = 2;
const FIXED_WINDOW: u64 = 3;
const SLIDING_WINDOW: u64 = 4;
const SLIDING_LOG: u64 = 5;

impl Record {
    pub(super) fn new(
        (fingerprint, scope): (u64, Option<Scope>),
        kept: Kept,
        state: State,
        law: &Law,
        now: Now,
    ) -> Self {
        let state = shifted(state, law, now.steady, now.wall);
        Self { fingerprint, scope, kept, state }
    }

    pub(super) fn write<W: Write>(&self, out: &mut Writer<'_, W>) -> io::Result<()> {
        out.words([self.fingerprint])?;
        out.words(scope_words(self.scope))?;
        out.words(self.kept.words())?;
        match &self.state {
            State::Bucket(state) => {
                let bytes = state.full_at.to_le_bytes();
                out.words(bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)))
            }
            State::Fixed(state) => out.words([state.window, state.used]),
            State::Sliding(state) => out.words([state.window, state.current, state.previous]),
            State::Log(log) => {
                out.words([u64::try_from(log.entries().len()).map_err(io::Error::other)?])?;
                out.words(log.entries().iter().flat_map(|it| [it.at.as_micros(), it.cost]))
            }
            _ => Err(io::Error::other("this state is not saved")),
        }
    }

    /// Elapsed time counts from when the file was written, unless the time of day was set back since.
    pub(super) fn read(
        fingerprint: u64,
        input: &mut Reader,
        saved_at: Timestamp,
        now: Now,
    ) -> Result<Self, LoadError> {
        let scope = match input.is_without_sketches() {
            true => None,
            false => read_scope(input)?,
        };
        let (kept, law) = Kept::read(input)?;
        let state = match law {
            Law::TokenBucket(_) | Law::LeakyBucket(_) => {
                let (low, high) = (input.word()?, input.word()?);
                State::Bucket(BucketState {
                    full_at: u128::from(high) << 64 | u128::from(low),
                    at: now.wall,
                })
            }
            Law::FixedWindow(_) => {
                State::Fixed(FixedState { window: input.word()?, used: input.word()? })
            }
            Law::SlidingWindow(_) => {
                let (window, current, previous) = (input.word()?, input.word()?, input.word()?);
                State::Sliding(SlidingState { window, current, previous })
            }
            _ => State::Log(read_log(input)?),
        };
        let state = shifted(state, &law, now.wall.max(saved_at), now.steady);
        Ok(Self { fingerprint, scope, kept, state })
    }
}

/// A period of zero stands for a limit that is not known.
pub(super) fn scope_words(scope: Option<Scope>) -> [u64; 3] {
    let Some(Scope { rule, period }) = scope else {
        return [0; 3];
    };
    let bytes = rule.get().to_le_bytes();
    let [low, high] = [0, 8].map(|at| {
        let half = bytes.get(at..).and_then(<[u8]>::first_chunk);
        half.map_or(0, |half| u64::from_le_bytes(*half))
    });
    [low, high, period]
}

pub(super) fn read_scope(input: &mut Reader) -> Result<Option<Scope>, LoadError> {
    let (low, high, period) = (input.word()?, input.word()?, input.word()?);
    let rule = RuleId::new(u128::from(high) << 64 | u128::from(low));
    Ok((period != 0).then_some(Scope { rule, period }))
}

impl Kept {
    pub(super) fn words(&self) -> [u64; 4] {
        match self {
            Self::Packed { code, capacity } => [PACKED, code.bits(), 0, *capacity],
            Self::Wide(law) => match law {
                Law::TokenBucket(token) => {
                    let bucket = token.bucket();
                    [
                        TOKEN_BUCKET,
                        bucket.units_per_micro(),
                        bucket.units_per_token(),
                        bucket.capacity(),
                    ]
                }
                Law::LeakyBucket(leaky) => {
                    let bucket = leaky.bucket();
                    [
                        LEAKY_BUCKET,
                        bucket.units_per_micro(),
                        bucket.units_per_token(),
                        bucket.capacity(),
                    ]
                }
                Law::FixedWindow(window) => [FIXED_WINDOW, window.period().id(), 0, law.capacity()],
                Law::SlidingWindow(window) => {
                    [SLIDING_WINDOW, window.period().id(), 0, law.capacity()]
                }
                Law::SlidingLog(log) => [SLIDING_LOG, log.period().get(), 0, law.capacity()],
                _ => [u64::MAX; 4],
            },
        }
    }

    pub(super) fn read(input: &mut Reader) -> Result<(Self, Law), LoadError> {
        let [kind, first, second, capacity] =
            [input.word()?, input.word()?, input.word()?, input.word()?];
        let period = || Period::from_id(first).ok_or(LoadError::Damaged("a period is unknown"));
        let law = match kind {
            PACKED => {
                let unknown = LoadError::Damaged("a layout is unknown");
                let code = Code::from_bits(first).ok_or(unknown)?;
                let law = code.law().ok_or(LoadError::Damaged("a layout is unknown"))?;
                return Ok((Self::Packed { code, capacity }, law));
            }
            TOKEN_BUCKET => Law::TokenBucket(TokenBucket::of_rate(first, second, capacity)),
            LEAKY_BUCKET => Law::LeakyBucket(LeakyBucket::of_rate(first, second, capacity)),
            FIXED_WINDOW => Law::FixedWindow(FixedWindow::new(capacity, period()?)),
            SLIDING_WINDOW => Law::SlidingWindow(SlidingWindow::new(capacity, period()?)),
            SLIDING_LOG => Law::SlidingLog(SlidingLog::new(capacity, Micros::new(first))),
            _ => return Err(LoadError::Damaged("an algorithm is unknown")),
        };
        Ok((Self::Wide(law.clone()), law))
    }
}

fn read_log(input: &mut Reader) -> Result<Log, LoadError> {
    let length = input.word()?;
    if length > SlidingLog::AMOUNT_MAX {
        return Err(LoadError::Damaged("a log is longer than any limit"));
    }
    let mut entries = Vec::new();
    for _ in 0..length {
        let (at, cost) = (Timestamp::from_micros(input.word()?), input.word()?);
        entries.push(LogEntry { at, cost });
    }
    Ok(Log::new(entries))
}

/// Moves the moments of elapsed time in a state from one clock's origin to another's. Windows are
/// numbered by the time of day already.
fn shifted(state: State, law: &Law, from: Timestamp, to: Timestamp) -> State {
    let bucket = match law {
        Law::TokenBucket(token) => Some(*token.bucket()),
        Law::LeakyBucket(leaky) => Some(*leaky.bucket()),
        _ => None,
    };
    match (state, bucket) {
        (State::Bucket(state), Some(bucket)) => {
            let ahead = state.full_at.saturating_sub(bucket.units_at(from));
            State::Bucket(BucketState {
                full_at: bucket.units_at(to).saturating_add(ahead),
                at: to,
            })
        }
        (State::Log(log), _) => {
            let moved = |entry: &LogEntry| {
                let at = if entry.at >= from {
                    to.saturating_add(entry.at.since(from))
                } else {
                    to.saturating_sub(from.since(entry.at))
                };
                LogEntry { at, cost: entry.cost }
            };
            State::Log(Log::new(log.entries().iter().map(moved).collect()))
        }
        (state, _) => state,
    }
}
