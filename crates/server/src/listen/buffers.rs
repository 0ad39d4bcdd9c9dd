//! What was read and not yet understood, and what was answered and not yet written.

use std::{
    future::Future as _,
    io,
    pin::pin,
    task::{Context, Poll, ready},
};

use tokio::io::AsyncReadExt as _;

use super::Stream;

/// What is read at once at first; more if that was not enough.
const READ_BYTES_MIN: usize = 4 * 1024;
const READ_BYTES_MAX: usize = 64 * 1024;

/// The two buffers of a connection. One that has sent nothing yet takes no memory.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    pub(super) input: Vec<u8>,
    pub(super) output: Vec<u8>,
}

impl Buffers {
    /// Appends what the client has sent; zero bytes are the end.
    pub(super) fn poll_read(
        &mut self,
        stream: &mut Stream,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        if self.input.len() == self.input.capacity() {
            ready!(stream.poll_read_ready(context))?;
            let more = self.input.len().clamp(READ_BYTES_MIN, READ_BYTES_MAX);
            self.input.reserve(more);
        }
        // A read that does not fill the buffer tells the runtime that the socket is empty, which saves
        // the call that would find that out.
        pin!(stream.read_buf(&mut self.input)).poll(context)
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
}
