//! What processes of a node have debited, written down for the next one.
//!
//! Lines of text: a head, then for each process a line of its own and one for each counter, with each limit before the
//! first counter that it is of; at the end a digest of all that.

#[cfg(test)]
mod tests;

use std::fmt::{self, Write as _};

use tollgate_core::{AlgorithmName, Bands, Limit, LimitError, Period, Timestamp};

use crate::{
    key::Key,
    touched::{Debit, KEYS_MAX},
};

/// What every file of this kind begins with, and the version of what follows.
const HEAD: &str = "tollgate journal ";
const VERSION: &str = "1";

/// What the processes of a node had spent when they ended: the next one tells it to a Redis that has lost it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Journal {
    /// The latest first.
    pub(crate) processes: Vec<Past>,
}

/// How a process was when it wrote its journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All its decisions were answered, and none follows: the journal has all that it ever spent.
    Clean,
    /// It goes on, so what it spends after that is not in it.
    Open,
}

/// A process, and what it had spent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Past {
    pub(crate) name: String,
    pub(crate) ending: Ending,
    /// Its last call was before this one.
    pub(crate) sequence: u64,
    /// The last that it heard of Redis' time.
    pub(crate) seen: Timestamp,
    /// See [`crate::extent::Extent`], in µs.
    pub(crate) gap: u64,
    pub(crate) life: u64,
    pub(crate) debits: Vec<(Key, Debit)>,
}

/// Why a journal cannot be read. Its processes are then awaited like any that never tells.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// It is something else.
    #[error("it is no journal")]
    Other,
    /// It was written by a release that writes it in another way.
    #[error("it has version {0}, and this release reads version {VERSION}")]
    Version(String),
    /// It is cut short or was changed.
    #[error("it is damaged")]
    Damaged,
}

impl Journal {
    /// Reads what [`crate::RedisStore::journal`] wrote.
    ///
    /// # Errors
    ///
    /// If that is not what it is, whole.
    pub fn read(bytes: &[u8]) -> Result<Self, JournalError> {
        let rest = bytes.strip_prefix(HEAD.as_bytes());
        let rest = rest.ok_or(JournalError::Other)?;
        let text = std::str::from_utf8(rest).map_err(|_| JournalError::Damaged)?;
        let (version, text) = text.split_once('\n').ok_or(JournalError::Damaged)?;
        if version != VERSION {
            return Err(JournalError::Version(version.to_owned()));
        }
        whole(text).and_then(read).ok_or(JournalError::Damaged)
    }

    /// How many counters it tells of.
    pub fn len(&self) -> usize {
        self.processes.iter().map(|past| past.debits.len()).sum()
    }

    /// Whether it tells of no process.
    pub const fn is_empty(&self) -> bool {
        self.processes.is_empty()
    }

    /// With as many processes, from the latest, as there is room for. One that is left out is awaited.
    pub(crate) fn of(processes: impl IntoIterator<Item = Past>) -> Self {
        let mut room = KEYS_MAX.saturating_mul(2);
        let mut fits = |past: &Past| {
            let left = room.checked_sub(past.debits.len());
            room = left.unwrap_or(room);
            left.is_some()
        };
        let processes = processes.into_iter().filter(|past| fits(past));
        Self { processes: processes.take(PROCESSES_MAX).collect() }
    }

    /// As it is read.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut text = String::new();
        let mut limits: Vec<&Limit> = Vec::new();
        for past in &self.processes {
            put(&mut text, format_args!("{past}"));
            for (key, debit) in &past.debits {
                let known = limits.iter().position(|limit| **limit == debit.limit);
                let place = known.unwrap_or(limits.len());
                if known.is_none() {
                    put(&mut text, format_args!("{}", InWords(&debit.limit)));
                    limits.push(&debit.limit);
                }
                let (total, at) = (debit.total, debit.at.as_micros());
                let (start, before) = (debit.at_start, debit.at_start_before);
                let key = key.as_str();
                put(&mut text, format_args!("key {place} {total} {at} {start} {before} {key}"));
            }
        }
        let digest = blake3::hash(text.as_bytes()).to_hex();
        format!("{HEAD}{VERSION}\n{text}end {digest}\n").into_bytes()
    }
}

/// Processes that are told for, one restart after the other.
const PROCESSES_MAX: usize = 64;

fn put(text: &mut String, line: fmt::Arguments<'_>) {
    // A text takes whatever is written.
    text.write_fmt(line).unwrap_or_default();
    text.push('\n');
}

impl fmt::Display for Past {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ending = match self.ending {
            Ending::Clean => "clean",
            Ending::Open => "open",
        };
        let (name, sequence, seen) = (&self.name, self.sequence, self.seen.as_micros());
        let (gap, life) = (self.gap, self.life);
        write!(f, "process {name} {ending} {sequence} {seen} {gap} {life}")
    }
}

struct InWords<'a>(&'a Limit);

impl fmt::Display for InWords<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limit = self.0;
        let (amount, period, bands) = (limit.amount(), limit.period().id(), limit.bands());
        let (warn, hard) = (bands.warn_at(), bands.hard_at());
        let burst = limit.burst().unwrap_or(0);
        let algorithm = limit.algorithm();
        write!(f, "limit {amount} {period} {algorithm} {burst} {warn} {hard}")
    }
}

/// What the digest is of, if it is.
fn whole(text: &str) -> Option<&str> {
    let (lines, digest) = text.strip_suffix('\n')?.rsplit_once("end ")?;
    let is_whole = blake3::hash(lines.as_bytes()).to_hex().as_str() == digest;
    is_whole.then_some(lines)
}

fn read(text: &str) -> Option<Journal> {
    let mut journal = Journal::default();
    let mut limits: Vec<Limit> = Vec::new();
    for line in text.lines() {
        let (kind, rest) = line.split_once(' ')?;
        match kind {
            "process" => journal.processes.push(read_past(rest)?),
            "limit" => limits.push(read_limit(rest)?),
            "key" => {
                let debit = read_debit(rest, &limits)?;
                journal.processes.last_mut()?.debits.push(debit);
            }
            _ => return None,
        }
    }
    Some(journal)
}

fn read_past(line: &str) -> Option<Past> {
    let mut words = line.split(' ');
    let name = words.next()?.to_owned();
    let ending = match words.next()? {
        "clean" => Ending::Clean,
        "open" => Ending::Open,
        _ => return None,
    };
    let mut number = || words.next()?.parse().ok();
    Some(Past {
        name,
        ending,
        sequence: number()?,
        seen: Timestamp::from_micros(number()?),
        gap: number()?,
        life: number()?,
        debits: Vec::new(),
    })
}

fn read_limit(line: &str) -> Option<Limit> {
    let words: Vec<&str> = line.split(' ').collect();
    let [amount, period, algorithm, burst, warn, hard] = words.as_slice() else {
        return None;
    };
    let algorithm: AlgorithmName = algorithm.parse().ok()?;
    let (amount, burst): (u64, u64) = (amount.parse().ok()?, burst.parse().ok()?);
    let period = Period::from_id(period.parse().ok()?)?;
    let (warn, hard) = (warn.parse().ok()?, hard.parse().ok()?);
    let limit = || -> Result<Limit, LimitError> {
        let limit = Limit::new(amount, period)?.with_algorithm(algorithm)?;
        let limit = match burst {
            0 => limit,
            burst => limit.with_burst(burst)?,
        };
        limit.with_bands(Bands::new(warn, hard)?)
    };
    limit().ok()
}

fn read_debit(line: &str, limits: &[Limit]) -> Option<(Key, Debit)> {
    let mut words = line.splitn(6, ' ');
    let mut number = || -> Option<u64> { words.next()?.parse().ok() };
    let limit = limits.get(usize::try_from(number()?).ok()?)?.clone();
    let (total, at) = (number()?, Timestamp::from_micros(number()?));
    let (at_start, at_start_before) = (number()?, number()?);
    let debit = Debit { limit, total, at, at_start, at_start_before };
    Some((Key::read(words.next()?), debit))
}
