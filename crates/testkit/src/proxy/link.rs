//! One connection through the proxy: a thread for each way.

use std::{
    io::{self, Read as _, Write as _},
    net::{Shutdown, SocketAddr, TcpStream},
    sync::OnceLock,
    thread,
    time::Duration,
};

use super::gate::{Fate, Gate, Way};

const BUFFER_BYTES: usize = 16 * 1024;
/// Parts of what was read that the reader may see one by one.
const YIELDS_MAX: usize = 16;

/// The server is on this machine, which may stall.
const CONNECT_MAX: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(super) struct Link {
    id: u64,
    client: TcpStream,
    /// Set once, as soon as there is a connection to it.
    server: OnceLock<TcpStream>,
}

impl Link {
    pub(super) fn new(id: u64, client: TcpStream) -> Self {
        Self { id, client, server: OnceLock::new() }
    }

    /// Passes bytes until both sides have ended, or the connection is cut.
    pub(super) fn run(&self, gate: &Gate, server: SocketAddr) {
        if let Ok(server) = self.connect(server)
            // Who cut the connection before it was complete has not seen the server's side.
            && gate.knows(self.id)
        {
            thread::scope(|scope| {
                scope.spawn(|| self.pump(gate, server, Way::ToServer));
                self.pump(gate, server, Way::ToClient);
            });
        }
        gate.forget(self.id);
        self.close();
    }

    /// Wakes both threads, wherever they wait on a socket.
    pub(super) fn close(&self) {
        for stream in [Some(&self.client), self.server.get()].into_iter().flatten() {
            // The other side may have closed it first.
            drop(stream.shutdown(Shutdown::Both));
        }
    }

    fn connect(&self, server: SocketAddr) -> io::Result<&TcpStream> {
        let server = TcpStream::connect_timeout(&server, CONNECT_MAX)?;
        self.client.set_nodelay(true)?;
        server.set_nodelay(true)?;
        Ok(self.server.get_or_init(|| server))
    }

    fn pump(&self, gate: &Gate, server: &TcpStream, way: Way) {
        let ends = match way {
            Way::ToServer => (&self.client, server),
            Way::ToClient => (server, &self.client),
        };
        if self.pass(gate, ends, way).is_err() {
            gate.forget(self.id);
            self.close();
        }
    }

    /// `Ok` when one side has no more to say, and the other was told; `Err` when all is over.
    fn pass(
        &self,
        gate: &Gate,
        (mut from, mut to): (&TcpStream, &TcpStream),
        way: Way,
    ) -> io::Result<()> {
        let mut buffer = vec![0; BUFFER_BYTES];
        loop {
            let read = from.read(&mut buffer);
            let bytes = &buffer[..*read.as_ref().unwrap_or(&0)];
            // An error waits its turn, too: while nothing moves, nobody hears of it.
            let fate = gate.fate(self.id, way, bytes);
            if fate == Fate::Lost {
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
            if read? == 0 {
                return to.shutdown(Shutdown::Write);
            }
            let (bytes, size) = match &fate {
                Fate::Crumble => (bytes, 1),
                Fate::Halve => (&bytes[..bytes.len() / 2], BUFFER_BYTES),
                Fate::Replace(others) => (&**others, BUFFER_BYTES),
                Fate::Pass | Fate::Lost => (bytes, BUFFER_BYTES),
            };
            for (place, part) in bytes.chunks(size).enumerate() {
                to.write_all(part)?;
                // The reader gets a chance to see the first parts one by one. Not all of them: on a busy machine each
                // yield costs a turn of milliseconds, and a reply of thousands of bytes would never be in time.
                if place < YIELDS_MAX {
                    thread::yield_now();
                }
            }
            if fate == Fate::Halve {
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
        }
    }
}
