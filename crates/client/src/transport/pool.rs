//! The connections to one server.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::{
    runtime::Handle,
    sync::{
        mpsc::{self, error::TrySendError},
        oneshot,
    },
    time::Instant,
};

use super::{
    claim::Claim,
    codec::{Question, Writer},
    connect::Connect,
    connection,
    connection::{Line, Lost, Order, QUEUE_MAX, Said},
};
use crate::{Error, Fault};

/// A few connections to one server, made when they are needed.
pub(crate) struct Pool {
    connect: Arc<dyn Connect>,
    host: Arc<str>,
    writer: Arc<Writer>,
    places: Box<[Place]>,
    next: AtomicUsize,
    open: Arc<AtomicU32>,
    /// How many are made.
    made: Arc<AtomicU32>,
    /// Whether the last attempt to connect failed.
    has_failed: Arc<AtomicBool>,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pool({} connections)", self.open())
    }
}

/// Where a connection is, or will be.
#[derive(Debug, Default)]
struct Place(Mutex<Option<Live>>);

/// A connection that is there, or is being made.
#[derive(Debug)]
struct Live {
    orders: mpsc::Sender<Order>,
    is_ready: Arc<AtomicBool>,
    since: Instant,
}

/// One more connection is made for so many calls at once.
const CALLS_EACH: u32 = 32;

/// A connection that is not there after this long counts as a server that is slow: a name is looked up, and keys are
/// agreed on, in less.
const WARM_UP_MAX: Duration = Duration::from_millis(100);

/// A call under way. Whoever drops it takes it back, if it was not written yet.
#[derive(Debug)]
pub(crate) struct Call {
    claim: Arc<Claim>,
    reply: oneshot::Receiver<Result<Said, Lost>>,
}

impl Call {
    /// What came of it. Can be dropped and waited for again.
    pub(crate) async fn done(&mut self) -> Result<Said, Lost> {
        let gone = || Lost::Sent(Error::new(Fault::Network, "the connection was dropped"));
        (&mut self.reply).await.unwrap_or_else(|_| Err(gone()))
    }

    /// Takes it back: true if no byte of it was written, or will be.
    pub(crate) fn withdraw(&self) -> bool {
        self.claim.take()
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let _was_written = self.claim.take();
    }
}

impl Pool {
    pub(crate) fn new(
        (connect, host): (Arc<dyn Connect>, &str),
        writer: Writer,
        connections: usize,
    ) -> Self {
        let places = (0..connections.max(1)).map(|_| Place::default());
        Self {
            connect,
            host: host.into(),
            writer: Arc::new(writer),
            places: places.collect(),
            next: AtomicUsize::new(0),
            open: Arc::default(),
            made: Arc::default(),
            has_failed: Arc::default(),
        }
    }

    /// How many connections there are, those that are being made included.
    pub(crate) fn open(&self) -> u32 {
        self.open.load(Relaxed)
    }

    /// Begins a call, while so many others are under way. As long as these are few, one connection has them all:
    /// it stays warm.
    pub(crate) fn call(&self, question: Question<'_, '_>, under_way: u32) -> Result<Call, Lost> {
        let mut frame = Vec::new();
        self.writer.write(question, &mut frame);
        let claim = Arc::new(Claim::new());
        let (reply, answer) = oneshot::channel();
        let order =
            Order { frame, expected: question.expected(), claim: Arc::clone(&claim), reply };
        self.put(order, under_way)?;
        let reply = answer;
        Ok(Call { claim, reply })
    }

    /// Whether there is no connection yet, and was hardly time for one: that a call comes too late then says nothing about
    /// the server. Once an attempt has failed, it does.
    pub(crate) fn is_cold(&self) -> bool {
        let is_old = |place: &Place| match &*place.live() {
            Some(live) => live.since.elapsed() >= WARM_UP_MAX,
            None => false,
        };
        self.made.load(Relaxed) == 0 && !self.has_failed() && !self.places.iter().any(is_old)
    }

    /// Whether the last attempt to connect failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed.load(Relaxed)
    }

    /// Puts an order on the next connection that takes it. As long as there is one, nobody waits for another to be made.
    fn put(&self, mut order: Order, under_way: u32) -> Result<(), Lost> {
        let wanted = usize::try_from(under_way / CALLS_EACH).unwrap_or(usize::MAX);
        let wanted = wanted.saturating_add(1).min(self.places.len());
        let first = self.next.fetch_add(1, Relaxed) % wanted;
        let all = || self.places.iter().cycle().skip(first).take(self.places.len());
        if let Some(place) = all().next() {
            self.begin(&mut place.live())?;
        }
        for place in all() {
            match place.take_if_ready(order) {
                None => return Ok(()),
                Some(back) => order = back,
            }
        }
        for place in all() {
            match self.put_at(place, order)? {
                None => return Ok(()),
                Some(back) => order = back,
            }
        }
        Err(busy())
    }

    /// Puts an order on a connection that is there or being made; one that has too many gives it back.
    fn put_at(&self, place: &Place, order: Order) -> Result<Option<Order>, Lost> {
        let mut live = place.live();
        let taken = self.begin(&mut live)?.orders.try_send(order);
        Ok(back(taken))
    }

    /// The connection that is there; if there is none, one that is being made. It ends by itself once its pool is dropped.
    fn begin<'l>(&self, place: &'l mut Option<Live>) -> Result<&'l mut Live, Lost> {
        place.take_if(|live| live.orders.is_closed());
        match place {
            Some(live) => Ok(live),
            None => Ok(place.insert(self.connect()?)),
        }
    }

    fn connect(&self) -> Result<Live, Lost> {
        let runtime = Handle::try_current().map_err(|_| {
            let detail = "there is no tokio runtime here to connect on";
            Lost::Unsent(Error::new(Fault::Network, detail))
        })?;
        let (orders, receiver) = mpsc::channel(QUEUE_MAX);
        let is_ready = Arc::new(AtomicBool::new(false));
        let line = Line {
            connect: Arc::clone(&self.connect),
            host: Arc::clone(&self.host),
            writer: Arc::clone(&self.writer),
            open: Arc::clone(&self.open),
            made: Arc::clone(&self.made),
            is_ready: Arc::clone(&is_ready),
            has_failed: Arc::clone(&self.has_failed),
        };
        drop(runtime.spawn(connection::run(line, receiver)));
        Ok(Live { orders, is_ready, since: Instant::now() })
    }
}

impl Place {
    fn live(&self) -> MutexGuard<'_, Option<Live>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes an order, if the connection is made; otherwise it is given back.
    fn take_if_ready(&self, order: Order) -> Option<Order> {
        match &*self.live() {
            Some(live) if live.is_ready.load(Relaxed) => back(live.orders.try_send(order)),
            _ => Some(order),
        }
    }
}

fn back(sent: Result<(), TrySendError<Order>>) -> Option<Order> {
    match sent {
        Ok(()) => None,
        Err(TrySendError::Full(order) | TrySendError::Closed(order)) => Some(order),
    }
}

fn busy() -> Lost {
    let detail = format!("{QUEUE_MAX} calls wait for this connection");
    Lost::Unsent(Error::new(Fault::Busy, detail))
}
