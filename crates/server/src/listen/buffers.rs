//! What was read and not yet understood, and what was answered and not yet written.

use std::{
    future::Future as _,
    io,
    net::IpAddr,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use tokio::io::AsyncReadExt as _;

use super::{Session, Stream};
use crate::telemetry::{Complaints, Protocol, Recorder, Turned};

/// What is read at once at first; more if that was not enough.
const READ_BYTES_MIN: usize = 4 * 1024;
const READ_BYTES_MAX: usize = 64 * 1024;

/// The two buffers of a connection. One that has sent nothing yet takes no memory.
#[derive(Debug)]
pub(super) struct Buffers {
    pub(super) input: Vec<u8>,
    pub(super) output: Vec<u8>,
    /// What the input and the session may hold.
    claim: InputClaim,
}

/// What came of reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// So many bytes; zero are the end.
    Bytes(usize),
    /// The client has sent more than there is room for.
    NoRoom,
}

impl Buffers {
    pub(super) const fn new(claim: InputClaim) -> Self {
        Self { input: Vec::new(), output: Vec::new(), claim }
    }

    /// Appends what the client has sent. The session holds `held` bytes besides.
    pub(super) fn poll_read(
        &mut self,
        stream: &mut Stream,
        held: usize,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<Read>> {
        if self.input.len() == self.input.capacity() {
            ready!(stream.poll_read_ready(context))?;
            let more = self.input.len().clamp(READ_BYTES_MIN, READ_BYTES_MAX);
            if let Err(NoRoom) = self.claim.resize(self.input.capacity() + more + held) {
                return Poll::Ready(Ok(Read::NoRoom));
            }
            self.input.reserve_exact(more);
        }
        // A read that does not fill the buffer tells the runtime that the socket is empty, which saves
        // the call that would find that out.
        let read = pin!(stream.read_buf(&mut self.input)).poll(context);
        read.map_ok(Read::Bytes)
    }

    /// Claims what the session, which holds `held` bytes, may hold once it has taken the input: a buffer that grows has
    /// twice its former size, or as much as was added.
    pub(super) fn claim_growth(&mut self, held: usize) -> Result<(), NoRoom> {
        let growth = held.max(self.input.len());
        self.claim.resize(self.input.capacity() + held + growth)
    }

    /// Lets go of so many bytes at the start of the input, and of memory that is no longer needed.
    pub(super) fn take(&mut self, bytes: usize) {
        self.input.drain(..bytes.min(self.input.len()));
        for buffer in [&mut self.input, &mut self.output] {
            if buffer.is_empty() && buffer.capacity() > READ_BYTES_MAX {
                *buffer = Vec::new();
            }
        }
    }

    /// Claims what is held and no more. A connection that waits for its next request gives its memory back if there is
    /// little left.
    pub(super) fn settle(&mut self, session: &mut impl Session) {
        let is_idle = self.input.is_empty() && session.is_idle();
        if is_idle && self.claim.should_release() {
            self.input = Vec::new();
            session.release_input();
        }
        // What is held was claimed before.
        drop(self.claim.resize(self.input.capacity() + session.input_bytes()));
    }
}

/// What all connections of one listener may hold together of requests that have not arrived whole, beyond what each
/// connection has of its own.
#[derive(Debug)]
pub(crate) struct InputBudget {
    protocol: Protocol,
    bytes_max: u64,
    /// Counts what is held.
    recorder: Arc<Recorder>,
    complaints: Complaints,
}

/// What one connection holds of a budget. It is given back when this is dropped.
#[derive(Debug)]
pub(crate) struct InputClaim {
    budget: Arc<InputBudget>,
    client: IpAddr,
    claimed: u64,
}

/// There is no room for more of a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NoRoom;

impl InputBudget {
    /// Every connection may hold this much without asking: a request of the usual size is read however little room is
    /// left.
    pub(crate) const OWN_BYTES: usize = 16 * 1024;

    pub(crate) fn new(protocol: Protocol, bytes_max: usize, recorder: &Arc<Recorder>) -> Arc<Self> {
        Arc::new(Self {
            protocol,
            bytes_max: u64::try_from(bytes_max).unwrap_or(u64::MAX),
            recorder: Arc::clone(recorder),
            complaints: Complaints::once_a_minute(),
        })
    }

    /// Nothing yet, for a connection of this client.
    pub(crate) fn claim(self: &Arc<Self>, client: IpAddr) -> InputClaim {
        InputClaim { budget: Arc::clone(self), client, claimed: 0 }
    }

    fn refuse(&self, client: IpAddr) {
        self.recorder.turned_away(self.protocol, Turned::Unfinished);
        if let Some(left_out) = self.complaints.may_tell() {
            let (listener, bytes_max) = (self.protocol.name(), self.bytes_max);
            tracing::warn!(
                listener,
                %client,
                bytes_max,
                left_out,
                "A request was refused: requests that have not arrived whole hold all the memory that they may. Find the \
                 clients that begin requests and do not finish them, or raise unfinished_bytes_max."
            );
        }
    }
}

impl InputClaim {
    /// Holds this many bytes from now on, or as many as before if there is no room.
    pub(crate) fn resize(&mut self, bytes: usize) -> Result<(), NoRoom> {
        let beyond = bytes.saturating_sub(InputBudget::OWN_BYTES);
        let beyond = u64::try_from(beyond).unwrap_or(u64::MAX);
        if beyond == self.claimed {
            return Ok(());
        }
        let budget = &self.budget;
        let held = budget.recorder.unfinished(budget.protocol);
        if !held.change(self.claimed, beyond, budget.bytes_max) {
            budget.refuse(self.client);
            return Err(NoRoom);
        }
        self.claimed = beyond;
        Ok(())
    }

    /// Whether memory that waits for the next request should be given back instead: so idle connections never hold more
    /// than half of the budget.
    pub(crate) fn should_release(&self) -> bool {
        let budget = &self.budget;
        let held = budget.recorder.unfinished(budget.protocol).held();
        self.claimed > 0 && held > budget.bytes_max / 2
    }
}

impl Drop for InputClaim {
    fn drop(&mut self) {
        let held = self.budget.recorder.unfinished(self.budget.protocol);
        // Less always has room.
        held.change(self.claimed, 0, u64::MAX);
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const OWN: usize = InputBudget::OWN_BYTES;

    #[test]
    fn claims_together_never_hold_more_than_the_budget() {
        let recorder = Arc::new(Recorder::default());
        let budget = InputBudget::new(Protocol::Http, 1_000, &recorder);
        let held = || recorder.unfinished(Protocol::Http).held();
        let claim = || budget.claim(Ipv4Addr::LOCALHOST.into());
        let (mut one, mut two) = (claim(), claim());
        assert_eq!(one.resize(OWN + 700), Ok(()));
        assert_eq!(two.resize(OWN), Ok(()), "what is its own is always there");
        assert_eq!(two.resize(OWN + 301), Err(NoRoom));
        assert_eq!(held(), 700);
        assert_eq!(two.resize(OWN + 300), Ok(()));
        assert_eq!(held(), 1_000);
        assert!(one.should_release());
        assert_eq!(one.resize(OWN + 100), Ok(()));
        assert!(!one.should_release());
        drop((one, two));
        assert_eq!(held(), 0);
    }
}
