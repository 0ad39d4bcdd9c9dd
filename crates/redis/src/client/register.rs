//! The register of processes on a primary: who may have spent on its counters, and who has told what was lost.

use std::time::Duration;

use redis::{Cmd, Value};
use tollgate_core::{Micros, Timestamp};

use super::{
    call::{Cause, Failure},
    link::{Link, Lost},
    reply::{Refusal, refusal},
    survey::text,
};
use crate::{Doubt, script::REGISTER};

/// A process may have spent for so long after it was last entered: it is entered once a second, unless it stalls.
pub(super) const UNSEEN_MAX: Micros = Micros::from_secs(5);

/// Whether a process has been at a server before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// It has been there before.
    Known,
    /// It knows that another was there before.
    Heir,
    /// It knows of no server before, but of processes.
    Late,
    /// It knows of none before.
    New,
}

impl Manner {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Known => "known",
            Self::Heir => "heir",
            Self::Late => "late",
            Self::New => "new",
        }
    }
}

/// What a register says of one process, in µs of the server's time; see register.lua.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) last: u64,
    pub(super) awaited: u64,
    pub(super) told: u64,
    pub(super) gap: u64,
    pub(super) life: u64,
}

/// A register as it was at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Register {
    pub(super) now: u64,
    /// Since when counters may be lost; 0 if none ever were.
    pub(super) term: u64,
    pub(super) entries: Vec<Entry>,
}

impl Register {
    /// Reads what register.lua returns.
    pub(super) fn read(value: &Value) -> Option<Self> {
        let Value::Array(parts) = value else {
            return None;
        };
        let (head, entries) = parts.split_at_checked(2)?;
        let mut head = head.iter().map(|part| text(part)?.parse().ok());
        let (now, term) = (head.next()??, head.next()??);
        let entries = entries.chunks(2).filter_map(|pair| match pair {
            [name, numbers] => Entry::read(text(name)?, text(numbers)?),
            _ => None,
        });
        Some(Self { now, term, entries: entries.collect() })
    }

    /// The same from all fields of the hash, for those who only look.
    pub(super) fn look(fields: &Value, now: Timestamp) -> Option<Self> {
        let pairs: Vec<(&str, &str)> = match fields {
            Value::Array(flat) => {
                let pairs = flat.chunks(2);
                let pairs =
                    pairs.filter_map(|pair| Some((text(pair.first()?)?, text(pair.get(1)?)?)));
                pairs.collect()
            }
            Value::Map(pairs) => {
                let pairs = pairs.iter();
                let pairs = pairs.filter_map(|(name, value)| Some((text(name)?, text(value)?)));
                pairs.collect()
            }
            _ => return None,
        };
        let term = pairs.iter().find(|(name, _)| *name == "t")?.1;
        let entries = pairs.iter().filter(|(name, _)| !matches!(*name, "l" | "t"));
        Some(Self {
            now: now.as_micros(),
            term: term.parse().ok()?,
            entries: entries.filter_map(|(name, numbers)| Entry::read(name, numbers)).collect(),
        })
    }

    /// What is in doubt: what processes may have spent that have not told, or do not know all of it.
    pub(super) fn doubt(&self) -> Option<Doubt> {
        let life = self.entries.iter().map(|entry| entry.life).max()?;
        let spent_until = self.entries.iter().filter_map(|entry| self.untold(entry));
        let spent_until: Vec<u64> = spent_until.collect();
        let since = spent_until.iter().copied().max()?;
        let until = since.saturating_add(life);
        (self.now < until).then(|| Doubt {
            since: Timestamp::from_micros(since),
            until: Timestamp::from_micros(until),
            awaited: u32::try_from(spent_until.len()).unwrap_or(u32::MAX),
        })
    }

    /// The last moment at which a process may have spent what it has not told.
    fn untold(&self, entry: &Entry) -> Option<u64> {
        if self.term == 0 || entry.awaited != self.term {
            return None;
        }
        if entry.told == self.term {
            return (entry.gap > 0).then_some(entry.gap);
        }
        let seen = entry.last.saturating_add(UNSEEN_MAX.get());
        Some(seen.min(self.term))
    }

    /// Whether no process is awaited that may be alive, and hold leases.
    pub(super) fn have_the_living_told(&self) -> bool {
        let may_live = |entry: &Entry| entry.last.saturating_add(UNSEEN_MAX.get()) >= self.term;
        let mut entries = self.entries.iter();
        !entries.any(|entry| self.awaits(entry) && may_live(entry))
    }

    /// Whether this process is to tell what it had spent, and has not.
    pub(super) fn is_awaited(&self, name: &str) -> bool {
        self.entry(name).is_some_and(|entry| self.awaits(entry))
    }

    const fn awaits(&self, entry: &Entry) -> bool {
        self.term > 0 && entry.awaited == self.term && entry.told != self.term
    }

    pub(super) fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }
}

impl Entry {
    fn read(name: &str, numbers: &str) -> Option<Self> {
        let mut numbers = numbers.split(' ').map(|number| number.parse().ok());
        let mut next = || numbers.next()?;
        let _first: u64 = next()?;
        Some(Self {
            name: name.to_owned(),
            last: next()?,
            awaited: next()?,
            told: next()?,
            gap: next()?,
            life: next()?,
        })
    }
}

/// Asks for register.lua to be run.
pub(super) fn command(key: &[u8], args: &[String]) -> Cmd {
    let mut command = redis::cmd("EVALSHA");
    command.arg(REGISTER.digest()).arg(1).arg(key).arg(args);
    command
}

/// Runs it, loading the script first if need be.
pub(super) async fn put(link: &Link, command: &Cmd, patience: Duration) -> Result<Value, Lost> {
    let reply = link.ask(command, patience).await?;
    let is_unknown =
        matches!(&reply, Value::ServerError(error) if refusal(error) == Refusal::NoScript);
    if !is_unknown {
        return Ok(reply);
    }
    let mut commands = redis::pipe();
    commands.cmd("SCRIPT").arg("LOAD").arg(REGISTER.text());
    commands.add_command(command.clone());
    let mut replies = link.ask_all(&commands, patience).await?;
    replies.pop().ok_or(Lost::Ended)
}

/// Why it was not.
pub(super) fn refused(reply: &Value) -> Cause {
    let Value::ServerError(error) = reply else {
        return Cause::Other;
    };
    match refusal(error) {
        Refusal::Failed(Failure::NotRun(cause) | Failure::InDoubt(cause)) => cause,
        Refusal::NoScript => Cause::Forbidden,
        _ => Cause::Moving,
    }
}
