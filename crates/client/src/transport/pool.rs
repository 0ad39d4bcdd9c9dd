//! The connections to one server.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed},
};

use tokio::{
    runtime::Handle,
    sync::{
        mpsc::{self, error::TrySendError},
        oneshot,
    },
};

use super::{
    claim::Claim,
    codec::{Question, Writer},
    connect::Connect,
    connection::{self, Line, QUEUE_MAX},
    order::{Lost, Order, Said},
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
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pool({} connections)", self.open())
    }
}

/// Where a connection is, or will be.
type Place = Mutex<Option<mpsc::Sender<Order>>>;

/// One more connection is made for so many calls at once.
const CALLS_EACH: u32 = 32;

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
        let places = (0..connections.max(1)).map(|_| Mutex::default());
        Self {
            connect,
            host: host.into(),
            writer: Arc::new(writer),
            places: places.collect(),
            next: AtomicUsize::new(0),
            open: Arc::default(),
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
        let order = Order {
            frame,
            expected: question.expected(),
            claim: Arc::clone(&claim),
            reply,
        };
        self.put(order, under_way)?;
        let reply = answer;
        Ok(Call { claim, reply })
    }

    /// Puts an order on the next connection that takes it.
    fn put(&self, mut order: Order, under_way: u32) -> Result<(), Lost> {
        let wanted = usize::try_from(under_way / CALLS_EACH).unwrap_or(usize::MAX);
        let wanted = wanted.saturating_add(1).min(self.places.len());
        let first = self.next.fetch_add(1, Relaxed) % wanted;
        let all = self.places.iter().cycle().skip(first);
        for place in all.take(self.places.len()) {
            match self.put_at(place, order)? {
                None => return Ok(()),
                Some(back) => order = back,
            }
        }
        Err(busy())
    }

    /// Puts an order on a connection; one that has too many gives it back.
    fn put_at(&self, place: &Place, order: Order) -> Result<Option<Order>, Lost> {
        let mut sender = place.lock().unwrap_or_else(PoisonError::into_inner);
        let refused = match &*sender {
            Some(live) => live.try_send(order),
            None => Err(TrySendError::Closed(order)),
        };
        match refused {
            Ok(()) => Ok(None),
            Err(TrySendError::Full(order)) => Ok(Some(order)),
            Err(TrySendError::Closed(order)) => {
                let (fresh, orders) = mpsc::channel(QUEUE_MAX);
                let sent = fresh.try_send(order);
                self.spawn(orders)?;
                *sender = Some(fresh);
                sent.map(|()| None).map_err(|_| busy())
            }
        }
    }

    /// A connection ends by itself once its pool is dropped.
    fn spawn(&self, orders: mpsc::Receiver<Order>) -> Result<(), Lost> {
        let runtime = Handle::try_current().map_err(|_| {
            let detail = "there is no tokio runtime here to connect on";
            Lost::Unsent(Error::new(Fault::Network, detail))
        })?;
        let line = Line {
            connect: Arc::clone(&self.connect),
            host: Arc::clone(&self.host),
            writer: Arc::clone(&self.writer),
            open: Arc::clone(&self.open),
        };
        drop(runtime.spawn(connection::run(line, orders)));
        Ok(())
    }
}

fn busy() -> Lost {
    let detail = format!("{QUEUE_MAX} calls wait for this connection");
    Lost::Unsent(Error::new(Fault::Busy, detail))
}
