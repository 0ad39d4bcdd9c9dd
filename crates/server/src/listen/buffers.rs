//! What was read and not yet understood, and what was answered and not yet written.

use std::{
    io,
    task::{Context, Poll, ready},
};

use tokio::net::TcpStream;

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
        stream: &TcpStream,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        loop {
            ready!(stream.poll_read_ready(context))?;
            if self.input.len() == self.input.capacity() {
                let more = self.input.len().clamp(READ_BYTES_MIN, READ_BYTES_MAX);
                self.input.reserve(more);
            }
            match stream.try_read_buf(&mut self.input) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return Poll::Ready(read),
            }
        }
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
