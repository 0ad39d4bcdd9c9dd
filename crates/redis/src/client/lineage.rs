//! Who a server is for as long as it is a primary, and which of them this node has met.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use redis::Value;
use tokio::sync::Notify;
use tollgate_core::Timestamp;

use super::{
    call::Cause,
    reply::cause,
    roll::Roll,
    survey::{field, text},
};

/// Primaries that are kept in mind. One that was forgotten counts as a new one, which costs a quarantine.
const LINEAGES_MAX: usize = 4_096;

/// A server for as long as it is a primary. A restart makes another of it and so does a promotion: then it may know
/// less than what was acknowledged before.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Lineage {
    /// Its `run_id` and its `master_replid`.
    Told(String, String),
    /// It does not say: whoever is behind the next connection may be another.
    Untold(u64),
}

/// What a server says that it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Primary(Lineage),
    Replica,
}

impl Lineage {
    /// As registers have it: empty if the server does not say.
    pub(super) fn in_words(&self) -> String {
        match self {
            Self::Told(run, replication) => format!("{run} {replication}"),
            Self::Untold(_) => String::new(),
        }
    }
}

impl Role {
    /// What the answers to `INFO server` and `INFO replication` say together; the cause if they say nothing now and may
    /// later. `link` is the number of the connection.
    pub(super) fn read(server: &Value, replication: &Value, link: u64) -> Result<Self, Cause> {
        for reply in [server, replication] {
            if let Value::ServerError(error) = reply {
                return match cause(error.code()) {
                    Some(Cause::Forbidden) | None => Ok(Self::Primary(Lineage::Untold(link))),
                    Some(cause) => Err(cause),
                };
            }
        }
        let of = |reply, name| text(reply).and_then(|info| field(info, name));
        if of(replication, "role") == Some("slave") {
            return Ok(Self::Replica);
        }
        let named = of(server, "run_id").zip(of(replication, "master_replid"));
        let lineage = named.map_or(Lineage::Untold(link), |(run, replication)| {
            Lineage::Told(run.to_owned(), replication.to_owned())
        });
        Ok(Self::Primary(lineage))
    }
}

/// The primaries that this node has met, each with the time of Redis since which a counter that it does not have may be
/// a lost one: 0 if there is no such time.
#[derive(Debug, Default)]
pub(super) struct Lineages {
    known: Mutex<HashMap<Lineage, u64>>,
    /// Told when one was met that is not the first of its slots.
    pub(super) changed: Arc<Notify>,
    /// The processes of the fleet.
    pub(super) roll: Roll,
}

/// Whether somebody has served the slots of a primary before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    First,
    Successor,
}

/// Whom a node has met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Met {
    /// One from before, or the first.
    Known(u64),
    /// One that may have lost what was acknowledged.
    Changed(u64),
}

impl Lineages {
    pub(super) fn with(roll: Roll) -> Self {
        Self { roll, ..Self::default() }
    }

    /// Keeps a primary in mind, as it was at this time of its own.
    pub(super) fn meet(&self, lineage: &Lineage, place: Place, now: Timestamp) -> Met {
        let mut known = self.lock();
        if let Some(since) = known.get(lineage) {
            return Met::Known(*since);
        }
        if known.len() >= LINEAGES_MAX {
            // Those who live are met again.
            known.clear();
        }
        // 0 is for those that have lost nothing.
        let since = match place {
            Place::First => 0,
            Place::Successor => now.as_micros().max(1),
        };
        known.insert(lineage.clone(), since);
        match place {
            Place::First => Met::Known(since),
            Place::Successor => Met::Changed(since),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Lineage, u64>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bulk(text: &str) -> Value {
        Value::BulkString(text.as_bytes().to_vec())
    }

    fn told(run: &str, replication: &str) -> Lineage {
        Lineage::Told(run.to_owned(), replication.to_owned())
    }

    // Proves: C7
    #[test]
    fn who_a_server_is_is_read_off_its_info() {
        let server = bulk("# Server\r\nrun_id:abc\r\n");
        let primary = bulk("# Replication\r\nrole:master\r\nmaster_replid:def\r\n");
        let replica = bulk("role:slave\r\nmaster_replid:def\r\n");
        let read = |replication: &Value| Role::read(&server, replication, 7);
        assert_eq!(read(&primary), Ok(Role::Primary(told("abc", "def"))));
        assert_eq!(read(&replica), Ok(Role::Replica));
        let untold = Ok(Role::Primary(Lineage::Untold(7)));
        assert_eq!(read(&bulk("role:master\r\n")), untold);
        let error = |line: &[u8]| redis::parse_redis_value(line).unwrap();
        assert_eq!(read(&error(b"-NOPERM no\r\n")), untold);
        assert_eq!(read(&error(b"-ERR unknown command\r\n")), untold);
        assert_eq!(read(&error(b"-BUSY script\r\n")), Err(Cause::Busy));
    }

    // Proves: C7
    #[test]
    fn a_primary_is_new_once_and_the_first_of_its_slots_is_not() {
        let lineages = Lineages::default();
        let at = Timestamp::from_micros;
        let meet = |run: &str, place, now| lineages.meet(&told(run, "r"), place, at(now));
        assert_eq!(meet("a", Place::First, 5), Met::Known(0));
        assert_eq!(meet("a", Place::Successor, 6), Met::Known(0));
        assert_eq!(meet("b", Place::Successor, 7), Met::Changed(7));
        assert_eq!(meet("b", Place::Successor, 8), Met::Known(7));
        assert_eq!(meet("c", Place::Successor, 0), Met::Changed(1));
    }
}
