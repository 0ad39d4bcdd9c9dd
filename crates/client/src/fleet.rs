//! All servers: which of them is asked, and who is next.

use std::time::Duration;

use smallvec::SmallVec;
use tokio::{runtime::Handle, time::Instant};
use tollgate_core::{Clock, Timestamp};

use crate::{
    Check, Error, Fault, RouteBy,
    breaker::Permit,
    route,
    server::{Begun, Server, Turn},
    transport::{Lost, Question, Said},
};

/// All servers of a client.
#[derive(Debug)]
pub(crate) struct Fleet {
    pub(crate) servers: Box<[Server]>,
    /// Each as a number, for their order.
    pub(crate) numbers: Box<[u64]>,
    pub(crate) route_by: Box<[RouteBy]>,
    pub(crate) deadline: Duration,
}

/// Whoever waits so long has not given up too early.
const PATIENCE_MAX: Duration = Duration::from_millis(50);

/// Whether a call that may have reached its server can be made once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    /// It has a name, or changes nothing.
    Can,
    /// It could be charged twice.
    Cannot,
}

impl Again {
    pub(crate) fn of(check: &Check<'_>) -> Self {
        if check.is_named() { Self::Can } else { Self::Cannot }
    }
}

/// Servers that were asked for one call, as bits.
#[derive(Clone, Copy, Debug, Default)]
struct Tried(u64);

impl Tried {
    const fn has(self, place: usize) -> bool {
        self.0 & (1 << (place % 64)) != 0
    }

    const fn add(&mut self, place: usize) {
        self.0 |= 1 << (place % 64);
    }
}

impl Fleet {
    /// The servers for a question, the first choice first.
    pub(crate) fn order(&self, check: &Check<'_>) -> route::Order {
        match &*self.servers {
            [_] => SmallVec::from_slice(&[0]),
            _ => route::order(route::key(check, &self.route_by), &self.numbers),
        }
    }

    /// Asks the first server of an order that is up, and further ones as long as nothing was written. Ends within
    /// the deadline.
    pub(crate) async fn ask(
        &self,
        question: Question<'_, '_>,
        order: &[usize],
        again: Again,
        clock: &dyn Clock,
    ) -> Result<Said, Error> {
        if Handle::try_current().is_err() {
            let detail = "there is no tokio runtime here to ask on";
            return Err(Error::new(Fault::Network, detail));
        }
        let whole = Instant::now() + self.deadline;
        let mut error = Error::new(Fault::Network, "every server's breaker is open");
        let mut tried = Tried::default();
        while let Some(place) = self.next(order, tried, clock) {
            tried.add(place);
            let Some(server) = self.servers.get(place) else {
                break;
            };
            let Some(permit) = server.valve.admit(clock.now().steady) else {
                continue;
            };
            let left = whole.saturating_duration_since(Instant::now());
            let has_next = self.next(order, tried, clock).is_some();
            let own = if has_next { whole - left / 2 } else { whole };
            let watch = Watch::new(server, permit, (clock, self.deadline));
            let mut asked = server.ask(question, Turn { own, whole }).await;
            if again == Again::Can && is_cut(&asked, whole) {
                // The same server: names are remembered by the one that heard them. And no other, whatever comes of
                // this: it would charge a second time.
                let own = whole;
                let second = server.ask(question, Turn { own, whole }).await;
                asked = second.map_err(|lost| Lost::Sent(lost.into_error()));
            }
            watch.done(&asked);
            match asked {
                Ok(said) => return Ok(said),
                Err(Lost::Sent(why)) => return Err(why),
                Err(Lost::Unsent(why)) => error = why,
            }
            if Instant::now() >= whole {
                break;
            }
        }
        Err(error)
    }

    /// Whether nobody would be asked.
    pub(crate) fn is_shut(&self, now: Timestamp) -> bool {
        self.servers.iter().all(|server| server.is_open(now))
    }

    fn next(&self, order: &[usize], tried: Tried, clock: &dyn Clock) -> Option<usize> {
        if let [only] = order {
            return (!tried.has(*only)).then_some(*only);
        }
        let now = clock.now().steady;
        let loads: SmallVec<[u32; 8]> = self.servers.iter().map(Server::load).collect();
        let is_up = |place: usize| {
            let is_shut = |server: &Server| server.is_open(now);
            !tried.has(place) && !self.servers.get(place).is_none_or(is_shut)
        };
        route::choose(order, &loads, is_up)
    }

    /// How many callers share the limits, as far as anybody said.
    pub(crate) fn callers(&self) -> u32 {
        let told = self.servers.iter().map(Server::callers);
        told.max().unwrap_or_default().max(1)
    }
}

/// Watches a call for its server's breaker. A caller that gives up tells it something, too, if it has waited long
/// enough for an answer.
struct Watch<'a> {
    server: &'a Server,
    permit: Option<Permit>,
    begun: Begun,
    clock: &'a dyn Clock,
    since: Instant,
    patience: Duration,
}

impl<'a> Watch<'a> {
    fn new(
        server: &'a Server,
        permit: Permit,
        (clock, deadline): (&'a dyn Clock, Duration),
    ) -> Self {
        Self {
            server,
            permit: Some(permit),
            begun: server.begins(),
            clock,
            since: Instant::now(),
            patience: (deadline / 2).min(PATIENCE_MAX),
        }
    }

    fn done(mut self, asked: &Result<Said, Lost>) {
        let permit = self.permit.take();
        if let (Some(permit), Some(outcome)) = (permit, self.server.outcome(asked, self.begun)) {
            let now = self.clock.now().steady;
            self.server.valve.record(permit, outcome, now);
        }
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if let Some(permit) = self.permit.take()
            && self.since.elapsed() >= self.patience
        {
            let now = self.clock.now().steady;
            if let Some(outcome) = self.server.gave_up(self.begun) {
                self.server.valve.record(permit, outcome, now);
            }
        }
    }
}

/// Whether a call broke off while there is time left.
fn is_cut(asked: &Result<Said, Lost>, whole: Instant) -> bool {
    matches!(asked, Err(Lost::Sent(_))) && Instant::now() < whole
}
