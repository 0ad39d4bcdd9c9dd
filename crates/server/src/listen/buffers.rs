//! What was read and not yet understood, and what was answered and not yet written.

use std::{
    future::Future as _,
    io,
    pin::pin,
    task::{Context, Poll, ready},
};

use tokio::io::AsyncReadExt as _;

use super::{InputClaim, NoRoom, Session, Stream};

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
        Self {
            input: Vec::new(),
            output: Vec::new(),
            claim,
        }
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
        drop(
            self.claim
                .resize(self.input.capacity() + session.input_bytes()),
        );
    }
}
