//! The loop that drives any protocol: read, answer all that is there, write once.

use std::{
    future::Future,
    io,
    net::IpAddr,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    time::{Instant, Sleep, sleep_until, timeout},
};
use tollgate_core::{Clock as _, Micros, Timestamp};

use super::{
    InputBudget, NoRoom, Stream,
    buffers::{Buffers, Read},
};
use crate::{
    config::Timers,
    engine::{Engine, Time, polled_once},
    stop::Stop,
    telemetry::{Protocol, Turned},
};

/// What a connection may ask of our patience and memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    pub(crate) protocol: Protocol,
    /// From the first byte of a request to its last, and from the connection to its first request.
    pub(crate) request: Duration,
    /// Between two requests.
    pub(crate) idle: Duration,
    /// For an answer to be taken.
    pub(crate) write: Duration,
    /// Once told to stop, for a client that goes on sending.
    pub(crate) stay: Duration,
    /// Bytes of one request, its head and frame included.
    pub(crate) input_bytes_max: usize,
}

impl Terms {
    /// As the operator set them, for somebody who may be silent as long as between two requests over RESP.
    pub(crate) fn new(protocol: Protocol, timers: &Timers, input_bytes_max: usize) -> Self {
        Self {
            protocol,
            request: timers.request,
            idle: timers.resp_idle,
            write: timers.write,
            // The rest of the time is for answers to be taken.
            stay: timers.drain / 2,
            input_bytes_max,
        }
    }
}

/// How long a client that is told to go is waited for, so that it hears the last answer.
const LINGER: Duration = Duration::from_secs(1);
/// A client that has sent nothing for this long while we stop has nothing under way.
const QUIET: Duration = Duration::from_millis(200);

/// One connection under one protocol.
#[derive(Debug)]
pub(crate) struct Conversation<'a, S> {
    pub(crate) stream: Stream,
    pub(crate) session: S,
    pub(crate) engine: &'a Engine,
    pub(crate) terms: Terms,
    /// What requests that have not arrived whole may hold.
    pub(crate) budget: &'a Arc<InputBudget>,
    pub(crate) client: IpAddr,
}

/// What woke a connection.
enum Woken {
    Read(Read),
    Slow,
    Stopping,
}

impl<S: Session> Conversation<'_, S> {
    /// Serves it to its end.
    pub(crate) async fn run(mut self, stop: Stop) {
        // How it ended, orderly or not, is the client's affair.
        drop(self.converse(stop).await);
        self.part().await;
    }

    async fn converse(&mut self, mut stop: Stop) -> io::Result<()> {
        let mut patience = Patience::new(self.engine.time().clone(), self.terms.request);
        let mut stopping = pin!(stop.heard());
        let mut leave_at = None;
        let mut buffers = Buffers::new(self.budget.claim(self.client));
        loop {
            let woken = std::future::poll_fn(|context| {
                let held = self.session.input_bytes();
                if let Poll::Ready(read) = buffers.poll_read(&mut self.stream, held, context) {
                    return Poll::Ready(read.map(Woken::Read));
                }
                if leave_at.is_none() && stopping.as_mut().poll(context).is_ready() {
                    return Poll::Ready(Ok(Woken::Stopping));
                }
                patience.poll_end(context).map(|()| Ok(Woken::Slow))
            });
            let mut answered = 0;
            match woken.await? {
                Woken::Read(Read::Bytes(0)) => return Ok(()),
                Woken::Read(Read::NoRoom) => return self.refuse(&mut buffers).await,
                Woken::Read(Read::Bytes(_)) => {
                    if let Err(NoRoom) = buffers.claim_growth(self.session.input_bytes()) {
                        return self.refuse(&mut buffers).await;
                    }
                    let (count, then) = self.answer(&mut buffers).await?;
                    if then == Then::Close || buffers.input.len() >= self.terms.input_bytes_max {
                        return Ok(());
                    }
                    buffers.settle(&mut self.session);
                    answered = count;
                }
                Woken::Stopping => {
                    leave_at = Some(self.now().saturating_add(self.terms.stay.into()));
                    self.session.wind_down();
                }
                Woken::Slow => return self.give_up(&mut buffers).await,
            }
            if leave_at.is_some_and(|leave_at| self.now() >= leave_at) {
                return Ok(());
            }
            let is_idle = buffers.input.is_empty() && self.session.is_idle();
            match (is_idle, leave_at) {
                (true, None) => patience.renew(self.terms.idle),
                (true, Some(_)) => patience.renew(QUIET),
                (false, _) if answered > 0 => patience.restart(self.terms.request),
                // A request has its time from its first byte, not from its latest.
                (false, _) => patience.begin(self.terms.request),
            }
        }
    }

    fn now(&self) -> Timestamp {
        self.engine.time().now().steady
    }

    /// Answers what is in the input, and writes the answers.
    async fn answer(&mut self, buffers: &mut Buffers) -> io::Result<(u64, Then)> {
        let (mut taken, mut answered) = (0, 0);
        let then = loop {
            let begun = self.now();
            let left = buffers.input.get(taken..).unwrap_or_default();
            let advanced = if self.engine.waits() {
                // In a box, so that connections that never wait have no room for it.
                Some(Box::pin(self.session.advance(left, &mut buffers.output)).await)
            } else {
                polled_once(pin!(self.session.advance(left, &mut buffers.output)))
            };
            let Some(step) = advanced else {
                break Then::Close;
            };
            taken += step.taken;
            answered += step.answered;
            if step.answered > 0 {
                let took = self.now().since(begun);
                let recorder = self.engine.recorder();
                recorder.answered(self.terms.protocol, step.answered, took);
            }
            write(&mut self.stream, &buffers.output, self.terms.write).await?;
            buffers.output.clear();
            if step.then != Then::Again {
                break step.then;
            }
            // Whoever sends without end shall not keep the others waiting.
            tokio::task::yield_now().await;
        };
        buffers.take(taken);
        Ok((answered, then))
    }

    /// Somebody has kept us waiting.
    async fn give_up(&mut self, buffers: &mut Buffers) -> io::Result<()> {
        if !buffers.input.is_empty() || !self.session.is_idle() {
            let recorder = self.engine.recorder();
            recorder.turned_away(self.terms.protocol, Turned::Slow);
            self.session.too_slow(&mut buffers.output);
        }
        write(&mut self.stream, &buffers.output, self.terms.write).await
    }

    /// There is no room for the rest of a request.
    async fn refuse(&mut self, buffers: &mut Buffers) -> io::Result<()> {
        self.session.no_room(&mut buffers.output);
        write(&mut self.stream, &buffers.output, self.terms.write).await
    }

    /// Closes so that the last answer arrives: a socket that is closed with something unread takes back
    /// what it sent.
    async fn part(mut self) {
        let goodbye = async {
            self.stream.shutdown().await?;
            let mut unread = [0; 1024];
            while self.stream.read(&mut unread).await? > 0 {}
            io::Result::Ok(())
        };
        drop(timeout(LINGER, goodbye).await);
    }
}

/// An answer is not begun while this much waits to be written: a client that does not read cannot
/// make us remember more.
pub(crate) const OUTPUT_BYTES_HIGH: usize = 256 * 1024;

/// One side of one conversation: bytes in, bytes out, no socket and no clock.
pub(crate) trait Session: Send {
    /// Answers what is complete at the start of `input`, appending to `output`. Stops early once `output`
    /// holds [`OUTPUT_BYTES_HIGH`] bytes. Ready at once, unless counters that a fleet shares are asked.
    fn advance(&mut self, input: &[u8], output: &mut Vec<u8>) -> impl Future<Output = Step> + Send;

    /// Whether somebody waits for us: no request is begun, none half read.
    fn is_idle(&self) -> bool;

    /// From now on every answer says that it is the last, and the next one is.
    fn wind_down(&mut self);

    /// The bytes of memory that it has for what has arrived of a request.
    fn input_bytes(&self) -> usize;

    /// Gives that memory back; no request is begun.
    fn release_input(&mut self);

    /// Tells a client that there is no room for the rest of its request, where the protocol has words for it.
    fn no_room(&mut self, output: &mut Vec<u8>);

    /// Tells a client that took too long, where the protocol has words for it.
    fn too_slow(&mut self, output: &mut Vec<u8>);
}

/// What became of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// So many bytes are done with.
    pub(crate) taken: usize,
    /// So many requests were answered.
    pub(crate) answered: u64,
    /// How it goes on.
    pub(crate) then: Then,
}

impl Step {
    pub(crate) const fn new(taken: usize, answered: u64, then: Then) -> Self {
        Self { taken, answered, then }
    }
}

/// How a conversation goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// With more bytes from the client.
    Read,
    /// With what is left of the input, once the output is written.
    Again,
    /// Not at all, once the output is written.
    Close,
}

/// One timer a connection. Putting the deadline off costs a store: the timer is left to ring early and is
/// then wound up again.
#[derive(Debug)]
pub(super) struct Patience {
    time: Time,
    deadline: Timestamp,
    has_begun: bool,
    timer: Pin<Box<Sleep>>,
}

impl Patience {
    pub(super) fn new(time: Time, wait: Duration) -> Self {
        let deadline = after(&time, wait);
        let timer = Box::pin(sleep_until(ring_in(&time, deadline)));
        Self { time, deadline, has_begun: true, timer }
    }

    /// A request has begun; unless it had before, it has so long from now.
    pub(super) fn begin(&mut self, wait: Duration) {
        if !self.has_begun {
            self.restart(wait);
        }
    }

    /// Another request has begun, which has so long from now.
    pub(super) fn restart(&mut self, wait: Duration) {
        self.renew(wait);
        self.has_begun = true;
    }

    /// Nothing has begun, and there is so long for something to.
    pub(super) fn renew(&mut self, wait: Duration) {
        self.has_begun = false;
        let deadline = after(&self.time, wait);
        let is_sooner = deadline < self.deadline;
        self.deadline = deadline;
        if is_sooner {
            let ring = ring_in(&self.time, deadline);
            self.timer.as_mut().reset(ring);
        }
    }

    /// Ready once it has ended.
    pub(super) fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while self.timer.as_mut().poll(context).is_ready() {
            if self.time.now().steady >= self.deadline {
                return Poll::Ready(());
            }
            let ring = ring_in(&self.time, self.deadline);
            self.timer.as_mut().reset(ring);
        }
        Poll::Pending
    }
}

fn after(time: &Time, wait: Duration) -> Timestamp {
    time.now().steady.saturating_add(Micros::from(wait))
}

/// When the runtime's timer is to ring. It has a clock of its own, so ours is only asked for the
/// distance.
fn ring_in(time: &Time, deadline: Timestamp) -> Instant {
    let left = Duration::from(deadline.since(time.now().steady));
    Instant::now() + left.max(Duration::from_millis(1))
}

/// Writes it all, or gives up after `wait`. Mostly the socket has room and nothing is waited for.
pub(super) async fn write(stream: &mut Stream, bytes: &[u8], wait: Duration) -> io::Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        match stream.try_write(rest) {
            Ok(written) => rest = rest.get(written..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                // Sealed bytes may lie in the session after they were written.
                let whole = async {
                    stream.write_all(rest).await?;
                    stream.flush().await
                };
                return match timeout(wait, whole).await {
                    Ok(written) => written,
                    Err(_) => Err(io::ErrorKind::TimedOut.into()),
                };
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
