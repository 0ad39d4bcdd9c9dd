//! One connection: a task that writes the calls it is given, and hands out what is said to each, in order.

use std::{
    collections::VecDeque,
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering::Relaxed},
    },
    time::Duration,
};

use smallvec::SmallVec;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, ReadHalf, WriteHalf},
    sync::{mpsc, oneshot},
    time::{Instant, timeout},
};
use tollgate_wire::{
    check::{ProblemTold, Told},
    http1::After,
};

use super::{
    claim::Claim,
    codec::Writer,
    connect::{Connect, Stream},
    reader::Reader,
};
use crate::{Error, Fault, convert};

/// The most calls that wait to be written to one connection.
pub(super) const QUEUE_MAX: usize = 1_024;
/// The most calls that wait for their answers on one connection.
const UNANSWERED_MAX: usize = 1_024;
/// So much is written at once at most.
const WRITE_BYTES_HIGH: usize = 64 * 1024;
/// Whoever takes longer to connect is not there.
const CONNECT_MAX: Duration = Duration::from_secs(1);
/// A connection on which nothing comes back for so long, while answers are due, is given up.
const SILENCE_MAX: Duration = Duration::from_secs(1);
/// A connection that nobody needs is closed, before the server does it in the middle of a call (after 75 s).
const IDLE_MAX: Duration = Duration::from_secs(50);
/// Room for what is read at once.
const READ_BYTES: usize = 16 * 1024;
/// No server says so much before it is understood.
const INPUT_BYTES_MAX: usize = 5 << 20;

/// A call that was written, or will be with what waits before it.
struct Pending {
    /// Where its first byte stands among all that this connection ever wrote.
    begins: u64,
    expected: Expected,
    reply: oneshot::Sender<Result<Said, Lost>>,
}

/// Whether there may be something to flush.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flushing {
    Done,
    Due,
}

struct Talk {
    read: ReadHalf<Box<dyn Stream>>,
    write: WriteHalf<Box<dyn Stream>>,
    reader: Reader,
    input: Vec<u8>,
    output: Vec<u8>,
    /// Whether what was written may still wait in a buffer below us.
    flushing: Flushing,
    /// How much of the output is written, and how much ever was.
    at: usize,
    written: u64,
    pending: VecDeque<Pending>,
    /// When the last byte came, or the first call that waits for one was written.
    heard: Instant,
}

/// Serves calls until nobody has any, the connection breaks, or there is none to be had.
pub(super) async fn run(line: Line, mut orders: mpsc::Receiver<Order>) {
    let _counted = Counted::new(&line.open);
    let connected = match timeout(CONNECT_MAX, line.connect.connect(&line.host)).await {
        Ok(connected) => connected.map_err(|error| error.to_string()),
        Err(_) => Err("it takes too long to connect".to_owned()),
    };
    line.has_failed.store(connected.is_err(), Relaxed);
    line.is_ready.store(connected.is_ok(), Relaxed);
    let _made = connected.as_ref().ok().map(|_| Counted::new(&line.made));
    let (error, pending, written) = match connected {
        Ok(stream) => {
            let mut talk = Talk::new(stream, &line.writer);
            let error = talk.serve(&mut orders).await;
            (error, talk.pending, talk.written)
        }
        Err(error) => {
            let error = Error::new(Fault::Network, error);
            (error, VecDeque::new(), 0)
        }
    };
    // Nobody can put another order after this; whoever tries makes a new connection.
    orders.close();
    for pending in pending {
        let lost = if pending.begins < written {
            Lost::Sent(error.clone())
        } else {
            Lost::Unsent(error.clone())
        };
        drop(pending.reply.send(Err(lost)));
    }
    while let Some(order) = orders.recv().await {
        order.fail(Lost::Unsent(error.clone()));
    }
}

impl Talk {
    fn new(stream: Box<dyn Stream>, writer: &Writer) -> Self {
        let (read, write) = tokio::io::split(stream);
        Self {
            read,
            write,
            reader: writer.reader(),
            input: Vec::with_capacity(READ_BYTES),
            output: writer.greeting().to_vec(),
            flushing: Flushing::Done,
            at: 0,
            written: 0,
            pending: VecDeque::new(),
            heard: Instant::now(),
        }
    }

    /// Until it ends, and why.
    async fn serve(&mut self, orders: &mut mpsc::Receiver<Order>) -> Error {
        loop {
            let has_room =
                self.pending.len() < UNANSWERED_MAX && self.output.len() < WRITE_BYTES_HIGH;
            let patience = if self.pending.is_empty() { IDLE_MAX } else { SILENCE_MAX };
            let has_more = !self.output.is_empty() || self.flushing == Flushing::Due;
            self.input.reserve(READ_BYTES);
            tokio::select! {
                order = orders.recv(), if has_room => match order {
                    Some(order) => self.take(order, orders),
                    // The client is gone; whoever still waits for an answer is, too.
                    None => return Error::new(Fault::Network, "the client was dropped"),
                },
                wrote = push(&mut self.write, self.output.get(self.at..).unwrap_or_default()), if has_more => {
                    match wrote {
                        Ok(Pushed::Some(0)) => return closed(),
                        Ok(Pushed::Some(count)) => self.wrote(count),
                        Ok(Pushed::All) => self.flushing = Flushing::Done,
                        Err(error) => return broken(&error),
                    }
                }
                read = self.read.read_buf(&mut self.input) => {
                    let heard = match read {
                        Ok(0) => Err(closed()),
                        Ok(_) => self.hear(),
                        Err(error) => Err(broken(&error)),
                    };
                    if let Err(error) = heard {
                        return error;
                    }
                }
                () = tokio::time::sleep_until(self.heard + patience) => {
                    return Error::new(Fault::Network, "the server does not answer");
                }
            }
        }
    }

    /// Takes a call, and all that wait behind it.
    fn take(&mut self, first: Order, orders: &mut mpsc::Receiver<Order>) {
        let mut next = Some(first);
        while let Some(order) = next {
            self.put(order);
            let has_room =
                self.pending.len() < UNANSWERED_MAX && self.output.len() < WRITE_BYTES_HIGH;
            next = if has_room { orders.try_recv().ok() } else { None };
        }
    }

    /// What its caller took back is not written.
    fn put(&mut self, order: Order) {
        if !order.claim.take() {
            return;
        }
        if self.pending.is_empty() {
            self.heard = Instant::now();
        }
        let waiting = self.output.len() - self.at;
        self.pending.push_back(Pending {
            begins: self.written + u64::try_from(waiting).unwrap_or(u64::MAX),
            expected: order.expected,
            reply: order.reply,
        });
        self.output.extend_from_slice(&order.frame);
    }

    fn wrote(&mut self, count: usize) {
        self.flushing = Flushing::Due;
        self.at += count;
        self.written += u64::try_from(count).unwrap_or(u64::MAX);
        if self.at == self.output.len() {
            self.output.clear();
            self.output.shrink_to(WRITE_BYTES_HIGH);
            self.at = 0;
        }
    }

    /// Hands out all that has arrived whole.
    fn hear(&mut self) -> Result<(), Error> {
        self.heard = Instant::now();
        let mut taken = 0;
        loop {
            let rest = self.input.get(taken..).unwrap_or_default();
            if rest.is_empty() {
                break;
            }
            let expected = self.pending.front().map(|pending| pending.expected);
            let reading = self.reader.read(rest, expected)?;
            taken += reading.taken;
            if let Some(said) = reading.said
                && let Some(pending) = self.pending.pop_front()
            {
                drop(pending.reply.send(Ok(said)));
            } else if reading.taken == 0 {
                break;
            }
            if reading.after == After::Close {
                return Err(closed());
            }
        }
        self.input.drain(..taken);
        if self.input.is_empty() {
            self.input.shrink_to(READ_BYTES);
        }
        if self.input.len() > INPUT_BYTES_MAX {
            return Err(Error::new(Fault::Server, "the answer does not end"));
        }
        Ok(())
    }
}

/// What became of bytes that were to be written.
enum Pushed {
    /// So many of them were.
    Some(usize),
    /// There were none, and none wait below.
    All,
}

/// Writes some bytes, or what lower layers keep back if there are none. Can be dropped at any time.
async fn push(write: &mut WriteHalf<Box<dyn Stream>>, bytes: &[u8]) -> io::Result<Pushed> {
    if bytes.is_empty() {
        write.flush().await?;
        return Ok(Pushed::All);
    }
    write.write(bytes).await.map(Pushed::Some)
}

fn closed() -> Error {
    Error::new(Fault::Network, "the server closed the connection")
}

fn broken(error: &io::Error) -> Error {
    Error::new(Fault::Network, error.to_string())
}

/// What a connection needs to know, and tells of itself.
pub(super) struct Line {
    pub(super) connect: Arc<dyn Connect>,
    pub(super) host: Arc<str>,
    pub(super) writer: Arc<Writer>,
    /// How many connections there are in all, and how many of them are made.
    pub(super) open: Arc<AtomicU32>,
    pub(super) made: Arc<AtomicU32>,
    /// Whether this one is.
    pub(super) is_ready: Arc<AtomicBool>,
    /// Whether the last attempt to make one failed.
    pub(super) has_failed: Arc<AtomicBool>,
}

/// Counts a connection for as long as it lives.
pub(super) struct Counted(Arc<AtomicU32>);

impl Counted {
    pub(super) fn new(open: &Arc<AtomicU32>) -> Self {
        open.fetch_add(1, Relaxed);
        Self(Arc::clone(open))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

/// What a server said to one call.
#[derive(Debug)]
pub(crate) struct Said {
    /// One for each question.
    pub(crate) told: SmallVec<[Result<Told, ProblemTold>; 1]>,
    /// The status of the answer, where there is one.
    pub(crate) status: Option<u16>,
    /// How many callers there are, if it says so.
    pub(crate) callers: Option<u32>,
}

/// A call that came to nothing.
#[derive(Debug)]
pub(crate) enum Lost {
    /// No byte of it was written: another server may be asked.
    Unsent(Error),
    /// The server may have decided.
    Sent(Error),
}

impl Lost {
    pub(crate) fn into_error(self) -> Error {
        match self {
            Self::Unsent(error) | Self::Sent(error) => error,
        }
    }
}

/// How many answers are expected to one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    One,
    /// As many as the batch has requests.
    Batch(usize),
}

/// A call, as a connection takes it.
#[derive(Debug)]
pub(super) struct Order {
    pub(super) frame: Vec<u8>,
    pub(super) expected: Expected,
    /// Whoever takes it first has it: the connection to write it, or the caller to take it back.
    pub(super) claim: Arc<Claim>,
    pub(super) reply: oneshot::Sender<Result<Said, Lost>>,
}

impl Order {
    pub(super) fn fail(self, lost: Lost) {
        // Whoever asked may be gone.
        drop(self.reply.send(Err(lost)));
    }
}

impl Said {
    /// Whether the server failed, rather than decided or found fault with a question.
    pub(crate) fn is_failure(&self) -> bool {
        let failed = |told: &Result<Told, ProblemTold>| match told {
            Ok(_) => false,
            Err(problem) => convert::error(problem).is_retryable(),
        };
        !self.told.is_empty() && self.told.iter().all(failed)
    }
}
