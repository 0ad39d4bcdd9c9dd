//! Whether it is certain who is at the other end of a shard's connection, and whether what was lost there has been
//! told again.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{
            AtomicBool, AtomicU64,
            Ordering::{Acquire, Relaxed, Release},
        },
    },
    time::Duration,
};

use redis::Value;
use tokio::time::timeout;
use tollgate_core::{Micros, Timestamp};

use super::{
    breaker::Breaker,
    call::{Cause, Failure},
    enrolment::Enrolment,
    lineage::{Lineage, Lineages, Met, Place, Role},
    link::{Link, Lost, PATIENCE, Refused},
    register::Manner,
    shard::Shard,
    survey::moment,
};

/// For so long nobody is let in at a server that took over, or that came back: every node of the fleet has to find it and
/// to tell what was acknowledged to it. A node looks every second whether its servers are still the same, and tries
/// every second to reach one that was away; the rest is for the telling. Within it every lease on a bucket has ended that
/// the server before had granted, and of which this one does not know.
pub(super) const QUARANTINE: Micros = Micros::from_millis(2_500);

/// How long a call waits until it is certain who is there.
const CERTAIN_MAX: Duration = Duration::from_millis(250);

/// What is known of whoever is at the other end.
#[derive(Debug)]
pub(super) struct Term {
    pub(super) lineages: Arc<Lineages>,
    lineage: Mutex<Option<Lineage>>,
    /// Whether it is still that one, as far as can be known.
    is_certain: AtomicBool,
    /// Whether somebody else has served its slots before.
    is_successor: AtomicBool,
    /// The time of Redis since which a counter that is not there may be a lost one.
    pub(super) since: AtomicU64,
    /// The last moment at which a process may have spent what was lost and is not told; 0 if none may have.
    pub(super) doubt_since: AtomicU64,
    /// What its register says.
    pub(super) enrolment: Mutex<Enrolment>,
    /// By the clock that runs through sleep; 0 if nobody is kept out.
    pub(super) quarantine_until: AtomicU64,
    /// Who asks does so for all.
    asking: tokio::sync::Mutex<()>,
}

impl Term {
    pub(super) fn new(lineages: Arc<Lineages>, place: Place) -> Self {
        Self {
            lineages,
            lineage: Mutex::default(),
            is_certain: AtomicBool::new(false),
            is_successor: AtomicBool::new(place == Place::Successor),
            since: AtomicU64::new(0),
            doubt_since: AtomicU64::new(0),
            enrolment: Mutex::default(),
            quarantine_until: AtomicU64::new(0),
            asking: tokio::sync::Mutex::default(),
        }
    }
}

/// What came of the question who is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Identity {
    Certain,
    /// It does not say now, because of this.
    Untold(Cause),
    Replica,
}

impl Shard {
    /// Whether it is known who is there.
    pub(super) fn is_certain(&self) -> bool {
        self.term.is_certain.load(Acquire)
    }

    /// Somebody else may be there by now, or the same as somebody else.
    pub(super) fn doubt(&self) {
        self.term.is_certain.store(false, Release);
    }

    /// Nobody has served its slots before, so nothing of them can be lost.
    pub(super) fn is_first(&self) {
        self.term.is_successor.store(false, Relaxed);
    }

    /// The time of Redis since which a counter that is not there may be a lost one; 0 if there is none.
    pub(super) fn since(&self) -> u64 {
        self.term.since.load(Acquire)
    }

    /// The last moment at which a process may have spent what was lost here and is not told; 0 if none may have.
    pub(super) fn doubt_since(&self) -> u64 {
        self.term.doubt_since.load(Acquire)
    }

    /// Whether other nodes may not have told yet what was lost.
    pub(super) fn is_quarantined(&self) -> bool {
        let until = self.term.quarantine_until.load(Acquire);
        until > 0 && self.clock.boot().as_micros() < until
    }

    /// Whether replies of whoever was there before may still be on their way to those who wait.
    pub(super) fn is_fresh(&self) -> bool {
        let until = self.term.quarantine_until.load(Acquire);
        let ends = Timestamp::from_micros(until).saturating_sub(QUARANTINE);
        until > 0 && self.clock.boot() < ends.saturating_add(PATIENCE.into())
    }

    /// Makes sure that it is known who is there, if anybody is.
    pub(super) async fn make_certain(&self) -> Result<(), Failure> {
        if self.is_certain() {
            return Ok(());
        }
        let Some(link) = self.link() else {
            return Ok(());
        };
        let asking = async {
            let _turn = self.term.asking.lock().await;
            if self.is_certain() {
                return Ok(Identity::Certain);
            }
            self.identify(&link, CERTAIN_MAX).await
        };
        let cause = match timeout(CERTAIN_MAX, asking).await {
            Ok(Ok(Identity::Certain)) => return Ok(()),
            Ok(Ok(Identity::Untold(cause))) => cause,
            _ => Cause::Moving,
        };
        Err(Failure::NotRun(cause))
    }

    /// Asks who is there.
    pub(super) async fn identify(&self, link: &Link, patience: Duration) -> Result<Identity, Lost> {
        let mut questions = redis::pipe();
        questions.cmd("INFO").arg("server");
        questions.cmd("INFO").arg("replication");
        questions.cmd("TIME");
        let replies = link.ask_all(&questions, patience).await?;
        let [server, replication, time] = replies.as_slice() else {
            return Err(Lost::Ended);
        };
        let role = match Role::read(server, replication, link.number) {
            Ok(role) => role,
            Err(cause) => return Ok(Identity::Untold(cause)),
        };
        match role {
            Role::Primary(lineage) => {
                self.meet(lineage, time);
                // Nothing is spent here before this process stands in the register.
                if let Err(cause) = self.enrol(link, patience).await? {
                    return Ok(Identity::Untold(cause));
                }
                self.term.is_certain.store(true, Release);
                Ok(Identity::Certain)
            }
            Role::Replica => {
                self.demote();
                Ok(Identity::Replica)
            }
        }
    }

    pub(super) fn meet(&self, lineage: Lineage, time: &Value) {
        let mut known = self.term.lineage.lock().unwrap_or_else(PoisonError::into_inner);
        if known.as_ref() != Some(&lineage) {
            let is_first = known.is_none() && !self.term.is_successor.load(Relaxed);
            let place = if is_first { Place::First } else { Place::Successor };
            let now = moment(time).unwrap_or_else(|| self.clock.now().wall);
            let met = self.term.lineages.meet(&lineage, place, now);
            self.follow(met);
            let roll = &self.term.lineages.roll;
            roll.reckon(now, self.clock.boot());
            let is_late = roll.is_late(now);
            self.enrolment().comes_to(
                &lineage,
                met,
                if is_late { Manner::Late } else { Manner::New },
            );
            *known = Some(lineage);
        }
    }

    fn follow(&self, met: Met) {
        let term = &self.term;
        match met {
            Met::Known(since) => {
                term.since.fetch_max(since, Release);
                term.doubt_since.fetch_max(since, Release);
            }
            Met::Changed(since) => {
                let until: Timestamp = self.clock.boot().saturating_add(QUARANTINE);
                // Before anybody is let in again.
                term.quarantine_until.fetch_max(until.as_micros(), Release);
                term.since.fetch_max(since, Release);
                term.doubt_since.fetch_max(since, Release);
                tracing::warn!(
                    shard = self.name(),
                    "a server of Redis took over or was restarted: until the nodes have told it what it may have \
                     lost, each rule's on_failure answers for its keys"
                );
            }
        }
        term.lineages.changed.notify_one();
    }

    /// It is no primary any more.
    fn demote(&self) {
        self.doubt();
        self.note(Refused {
            cause: Cause::Moving,
            text: "it is a replica and takes no writes".to_owned(),
        });
        self.change(Breaker::lost);
    }
}
