//! One server: its connections, its breaker, and how it fares.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use tokio::time::{Instant, timeout_at};
use tollgate_core::Timestamp;

use crate::{
    BreakerState, Error, Fault, ServerStatus,
    breaker::{Outcome, Valve},
    transport::{Call, Lost, Pool, Question, Said},
};

/// One server.
#[derive(Debug)]
pub(crate) struct Server {
    address: Box<str>,
    pub(crate) valve: Valve,
    pool: Pool,
    in_flight: AtomicU32,
    callers: AtomicU32,
    calls: AtomicU64,
    failures: AtomicU64,
}

/// A call that is under way, for as long as it is.
struct UnderWay<'a>(&'a AtomicU32);

impl<'a> UnderWay<'a> {
    fn new(in_flight: &'a AtomicU32) -> Self {
        in_flight.fetch_add(1, Relaxed);
        Self(in_flight)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

/// How a call begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Begun {
    /// There was hardly time to connect.
    Cold,
    Warm,
}

/// How long a server may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    /// Until then nobody else is asked. A call that was not written by then is taken back.
    pub(crate) own: Instant,
    /// Until then the caller waits.
    pub(crate) whole: Instant,
}

impl Server {
    pub(crate) const fn new(address: Box<str>, valve: Valve, pool: Pool) -> Self {
        Self {
            address,
            valve,
            pool,
            in_flight: AtomicU32::new(0),
            callers: AtomicU32::new(0),
            calls: AtomicU64::new(0),
            failures: AtomicU64::new(0),
        }
    }

    /// How many calls are under way.
    pub(crate) fn load(&self) -> u32 {
        self.in_flight.load(Relaxed)
    }

    /// How many callers it sees; 0 as long as it has not said so.
    pub(crate) fn callers(&self) -> u32 {
        self.callers.load(Relaxed)
    }

    /// Asks it once.
    pub(crate) async fn ask(&self, question: Question<'_, '_>, turn: Turn) -> Result<Said, Lost> {
        let _under_way = UnderWay::new(&self.in_flight);
        self.calls.fetch_add(1, Relaxed);
        let mut call = self.pool.call(question, self.load())?;
        let said = match timeout_at(turn.own, call.done()).await {
            Ok(done) => done?,
            Err(_) if call.withdraw() => return Err(Lost::Unsent(late())),
            Err(_) => self.wait_on(call, turn.whole).await?,
        };
        if let Some(callers) = said.callers {
            self.callers.store(callers, Relaxed);
        }
        Ok(said)
    }

    /// It was written, so nobody else may be asked: the rest of the time is this server's.
    async fn wait_on(&self, mut call: Call, until: Instant) -> Result<Said, Lost> {
        match timeout_at(until, call.done()).await {
            Ok(done) => done,
            Err(_) => Err(Lost::Sent(late())),
        }
    }

    /// How a call to it would begin now.
    pub(crate) fn begins(&self) -> Begun {
        if self.pool.is_cold() { Begun::Cold } else { Begun::Warm }
    }

    /// What its breaker has to know of a call, which may have begun in the cold.
    pub(crate) fn outcome(&self, asked: &Result<Said, Lost>, begun: Begun) -> Option<Outcome> {
        let outcome = match asked {
            Ok(said) if said.is_failure() => Outcome::Failure,
            Ok(_) => Outcome::Success,
            // That so much is under way here is nothing it can help.
            Err(Lost::Unsent(error)) if error.fault() == Fault::Busy => return None,
            Err(Lost::Unsent(error) | Lost::Sent(error))
                if error.detail() == LATE && self.is_excused(begun) =>
            {
                return None;
            }
            Err(_) => Outcome::Failure,
        };
        if outcome == Outcome::Failure {
            self.failures.fetch_add(1, Relaxed);
        }
        Some(outcome)
    }

    /// A caller did not wait for the answer any longer: what its breaker has to know of that.
    pub(crate) fn gave_up(&self, begun: Begun) -> Option<Outcome> {
        if self.is_excused(begun) {
            return None;
        }
        self.failures.fetch_add(1, Relaxed);
        Some(Outcome::Failure)
    }

    /// Whether it may be late: there was hardly time to connect, and no attempt has failed.
    fn is_excused(&self, begun: Begun) -> bool {
        begun == Begun::Cold && !self.pool.has_failed()
    }

    pub(crate) fn status(&self, now: Timestamp) -> ServerStatus {
        ServerStatus {
            address: self.address.to_string(),
            breaker: self.valve.state(now),
            opened: self.valve.opened(),
            calls: self.calls.load(Relaxed),
            failures: self.failures.load(Relaxed),
            in_flight: self.load(),
            connections: self.pool.open(),
            callers: self.callers(),
        }
    }

    /// Whether its breaker lets nobody through.
    pub(crate) fn is_open(&self, now: Timestamp) -> bool {
        self.valve.state(now) == BreakerState::Open
    }
}

const LATE: &str = "no answer within the deadline";

fn late() -> Error {
    Error::new(Fault::Network, LATE)
}
