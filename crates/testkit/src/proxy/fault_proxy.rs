//! What a test holds in its hand: the address to connect to, and the faults.

use std::{
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::Arc,
    thread::{self, JoinHandle},
    time::Duration,
};

use super::gate::{Doors, Gate, Traffic};

/// Passes bytes between its clients and one server until told otherwise. When this is dropped,
/// every connection is closed and every thread has ended.
#[derive(Debug)]
pub struct Proxy {
    addr: SocketAddr,
    gate: Arc<Gate>,
    listener: Option<JoinHandle<()>>,
}

impl Proxy {
    /// A proxy to this server, which need not be there yet: while it is not, connections are closed
    /// as soon as they are made. At most [`CONNECTIONS_MAX`](super::CONNECTIONS_MAX) live at a time;
    /// one more is closed at once.
    pub fn to(server: SocketAddr) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let addr = listener.local_addr().expect("it was bound");
        let gate = Arc::new(Gate::default());
        let shared = Arc::clone(&gate);
        let thread = thread::Builder::new()
            .name("fault-proxy".to_owned())
            .spawn(move || listen(&listener, server, &shared))
            .expect("room for a thread");
        Self { addr, gate, listener: Some(thread) }
    }

    /// Where clients connect.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Closes every live connection, on both sides. New ones are taken as before; one that has not
    /// reached the server may count as new.
    pub fn cut(&self) {
        self.gate.cut();
    }

    /// From now on new connections are closed at once; those that live go on.
    pub fn refuse(&self) {
        self.gate.set_doors(Doors::Refuse);
    }

    /// From now on new connections are let through again.
    pub fn accept(&self) {
        self.gate.set_doors(Doors::Accept);
    }

    /// From now on no byte moves, neither way, and nobody hears of a connection that was closed.
    /// Bytes that are sent meanwhile arrive after [`Self::flow`].
    pub fn stall(&self) {
        self.gate.set_traffic(Traffic::Stall);
    }

    /// From now on requests arrive and replies do not, and nobody hears of a connection that the server closed:
    /// the half of a connection that is left when one way through the network is gone. What is sent back
    /// meanwhile arrives after [`Self::flow`].
    pub fn mute(&self) {
        self.gate.set_traffic(Traffic::Mute);
    }

    /// From now on all that the server sends arrives so much later.
    pub fn slow(&self, delay: Duration) {
        self.gate.set_traffic(Traffic::Slow(delay));
    }

    /// From now on all that the server sends arrives byte by byte.
    pub fn crumble(&self) {
        self.gate.set_traffic(Traffic::Crumble);
    }

    /// From now on only the first half of what the server sends arrives, and the connection is closed.
    pub fn halve_replies(&self) {
        self.gate.set_traffic(Traffic::Halve);
    }

    /// From now on these bytes arrive instead of what the server sends.
    pub fn replace_replies(&self, others: &[u8]) {
        self.gate.set_traffic(Traffic::Replace(others.into()));
    }

    /// From now on one in so many replies is lost with its connection.
    ///
    /// # Panics
    ///
    /// If that is one in none.
    pub fn lose_one_in(&self, many: u64) {
        assert!(many > 0, "one in none");
        self.gate.set_traffic(Traffic::LoseOneIn(many));
    }

    /// From now on bytes move again, both ways: the end of every other kind of traffic.
    pub fn flow(&self) {
        self.gate.set_traffic(Traffic::Flow);
    }

    /// From now on requests arrive and replies do not: the first bytes that the server sends on a
    /// connection are thrown away, and the connection is closed.
    pub fn drop_replies(&self) {
        self.gate.set_traffic(Traffic::DropReplies);
    }

    /// As [`Self::drop_replies`], but once: on the first connection on which a client sends these
    /// bytes, counted from now. They must be in the message whose reply is to be lost, as the word
    /// `COMMIT` is in PostgreSQL's.
    ///
    /// # Panics
    ///
    /// If there are no bytes to look for.
    pub fn drop_reply_to(&self, request: &[u8]) {
        assert!(!request.is_empty(), "every message contains nothing");
        self.gate.set_traffic(Traffic::DropReplyTo(request.to_owned()));
    }

    /// On how many connections a reply was lost: shows that the fault a test asked for took place.
    pub fn replies_dropped(&self) -> u64 {
        self.gate.replies_dropped()
    }

    /// How many connections live.
    pub fn connections(&self) -> usize {
        self.gate.connections()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.gate.close();
        // The listener looks up when somebody comes.
        drop(TcpStream::connect(self.addr));
        if let Some(listener) = self.listener.take() {
            drop(listener.join());
        }
    }
}

/// Returns when the gate is closed and every connection's threads have ended.
fn listen(listener: &TcpListener, server: SocketAddr, gate: &Gate) {
    thread::scope(|scope| {
        for client in listener.incoming() {
            if gate.is_closed() {
                break;
            }
            let link = client.ok().and_then(|client| gate.admit(client));
            if let Some(link) = link {
                scope.spawn(move || link.run(gate, server));
            }
        }
    });
}
