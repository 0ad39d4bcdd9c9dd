//! The processes of the fleet as this one remembers them, should a server lose its register.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
};

use tollgate_core::{Micros, Timestamp};

use super::register::Register;
use crate::{Ending, Journal, Peer, extent::Extent, journal::Past};

/// Processes that are kept in mind one by one. Those that were silent the longest are taken together beyond that.
const PROCESSES_MAX: usize = 1_024;
/// The name for those that are not told apart: register.lua has the same.
const CROWD: &str = "~";
/// The name for nodes of a release that enters itself nowhere.
const UNNAMED: &str = "?";
/// So long a process is kept in mind at least.
const KEPT_MIN: Micros = Micros::from_secs(60);
/// So many times in a row there must be more nodes than processes that are known: one that has just come is known soon.
const UNNAMED_TIMES: u32 = 5;

/// Those that are known.
#[derive(Debug, Default)]
pub(super) struct Roll {
    /// This process; none if it is no node of the fleet.
    pub(super) me: Option<Arc<str>>,
    pub(super) extent: Arc<Extent>,
    /// Where it says that it has come, and whether it has.
    pub(super) channel: String,
    pub(super) has_greeted: AtomicBool,
    known: Mutex<HashMap<String, Seen>>,
    unnamed_times: AtomicU64,
    /// The processes of this node before it, the latest first.
    past: Vec<Ended>,
    /// Whether there were processes before it, by the word of others.
    has_peers: bool,
    /// How often doubt has become less: what was in doubt may be asked about again.
    pub(super) relief: AtomicU64,
}

/// When a process was last seen, by the clock that runs through sleep, and for how long what it spent may count.
#[derive(Clone, Copy, Debug)]
struct Seen {
    at: Timestamp,
    life: Micros,
    source: Source,
}

/// Where a process was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// In Redis, by this process.
    Redis,
    /// Elsewhere, so that it may be gone, and when it was last seen is known roughly.
    Hearsay,
}

/// A process of this node that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ended {
    pub(super) name: String,
    ending: Ending,
    /// The last that it heard of Redis' time.
    seen: Timestamp,
    pub(super) gap: u64,
    life: Micros,
}

impl From<&Past> for Ended {
    fn from(past: &Past) -> Self {
        Self {
            name: past.name.clone(),
            ending: past.ending,
            seen: past.seen,
            gap: past.gap,
            life: Micros::new(past.life),
        }
    }
}

/// A process that a register may not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Other {
    pub(super) name: String,
    pub(super) age: Micros,
    pub(super) life: Micros,
}

impl Roll {
    pub(super) fn of(me: String, channel: String) -> Self {
        Self { me: Some(me.into()), channel, ..Self::default() }
    }

    /// The same, of a process that comes after these.
    pub(super) fn after(mut self, journal: &Journal, peers: &[Peer], boot: Timestamp) -> Self {
        self.has_peers = !peers.is_empty();
        self.past = journal.processes.iter().map(Ended::from).collect();
        self.hear_of(peers, boot);
        self
    }

    /// Whether processes came before it of which something may still count, at this time of Redis.
    pub(super) fn is_late(&self, now: Timestamp) -> bool {
        let mut past = self.past.iter();
        self.has_peers || past.any(|ended| ended.seen.saturating_add(ended.life) >= now)
    }

    /// The processes that have ended and of which this one can tell everything.
    pub(super) fn ended(&self) -> impl Iterator<Item = &Ended> {
        let past = self.past.iter();
        past.filter(|ended| ended.ending == Ending::Clean)
    }

    /// Learns of processes that others have seen.
    pub(super) fn hear_of(&self, peers: &[Peer], boot: Timestamp) {
        let mut known = self.lock();
        for peer in peers {
            let at = boot.saturating_sub(peer.silent_for.into());
            hear_say(&mut known, &peer.name, at, peer.life.into());
        }
    }

    /// It is so late by the time of Redis: how long ago those before were seen can be reckoned.
    pub(super) fn reckon(&self, now: Timestamp, boot: Timestamp) {
        let mut known = self.lock();
        for ended in &self.past {
            let at = boot.saturating_sub(now.since(ended.seen));
            hear_say(&mut known, &ended.name, at, ended.life);
        }
    }

    /// Learns who is in a register.
    pub(super) fn learn(&self, register: &Register, boot: Timestamp) {
        let mut known = self.lock();
        for entry in &register.entries {
            let age = register.now.saturating_sub(entry.last);
            let at = boot.saturating_sub(Micros::new(age));
            note(&mut known, &entry.name, at, Micros::new(entry.life));
        }
        let is_crowd = register.entry(CROWD).is_some();
        known.retain(|name, seen| {
            let is_silent = seen.at.saturating_add(KEPT_MIN) < boot;
            let is_over = is_silent && seen.at.saturating_add(seen.life) < boot;
            let is_merged = is_silent && is_crowd && register.entry(name).is_none();
            !is_over && !is_merged
        });
        if known.len() > PROCESSES_MAX {
            merge(&mut known, boot);
        }
    }

    /// A process has come.
    pub(super) fn meet(&self, name: &str, boot: Timestamp) {
        let mut known = self.lock();
        if known.len() <= PROCESSES_MAX {
            let seen = Seen { at: boot, life: Micros::ZERO, source: Source::Redis };
            known.entry(name.to_owned()).or_insert(seen).at = boot;
        }
    }

    /// So many nodes are alive. If that is more than the processes that have been seen lately, some are of a release
    /// that enters itself nowhere, and will never say what they have told. Says how many processes have been seen.
    pub(super) fn count(&self, nodes: u32, lately: Micros, boot: Timestamp) -> u32 {
        let mut known = self.lock();
        let named = known.iter().filter(|(name, seen)| {
            let is_alive = seen.at.saturating_add(lately) >= boot;
            name.as_str() != UNNAMED && seen.source == Source::Redis && is_alive
        });
        let named = u32::try_from(named.count()).unwrap_or(u32::MAX);
        if nodes <= named {
            self.unnamed_times.store(0, Relaxed);
        } else if self.unnamed_times.fetch_add(1, Relaxed) >= u64::from(UNNAMED_TIMES) {
            let life = Micros::new(self.extent.life());
            let seen = Seen { at: boot, life, source: Source::Redis };
            known.insert(UNNAMED.to_owned(), seen);
        }
        named
    }

    /// Those that a register has not named, or all if there was none yet; and those that never enter themselves.
    pub(super) fn others(&self, register: Option<&Register>, boot: Timestamp) -> Vec<Other> {
        let me = self.me.as_deref();
        let known = self.lock();
        let lacks = |name: &str| register.is_none_or(|register| register.entry(name).is_none());
        let others = known.iter().filter(|(name, _)| {
            Some(name.as_str()) != me && (name.as_str() == UNNAMED || lacks(name))
        });
        let others = others.map(|(name, seen)| Other {
            name: name.clone(),
            age: boot.since(seen.at),
            life: seen.life,
        });
        others.collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Seen>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn note(known: &mut HashMap<String, Seen>, name: &str, at: Timestamp, life: Micros) {
    let source = Source::Redis;
    let seen = known.entry(name.to_owned());
    let seen = seen.or_insert(Seen { at, life, source });
    seen.at = match seen.source {
        Source::Redis => seen.at.max(at),
        Source::Hearsay => at,
    };
    seen.source = source;
    seen.life = seen.life.max(life);
}

/// What is known from Redis stays as it is, but for the life.
fn hear_say(known: &mut HashMap<String, Seen>, name: &str, at: Timestamp, life: Micros) {
    let source = Source::Hearsay;
    let seen = known.entry(name.to_owned());
    let seen = seen.or_insert(Seen { at, life, source });
    if seen.source == source {
        seen.at = seen.at.max(at);
    }
    seen.life = seen.life.max(life);
}

/// Takes those together that have been silent for long: none of them will ever tell, so only the last counts.
fn merge(known: &mut HashMap<String, Seen>, boot: Timestamp) {
    let mut crowd: Option<Seen> = None;
    known.retain(|_, seen| {
        if seen.at.saturating_add(KEPT_MIN) >= boot {
            return true;
        }
        let sum = crowd.get_or_insert(*seen);
        sum.at = sum.at.max(seen.at);
        sum.life = sum.life.max(seen.life);
        false
    });
    if let Some(crowd) = crowd {
        known.insert(CROWD.to_owned(), crowd);
    }
}
