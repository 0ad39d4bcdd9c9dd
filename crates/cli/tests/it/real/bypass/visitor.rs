//! A client that asks one server for many paths, as they are, over connections that it keeps.

use std::net::SocketAddr;

use crate::common::http::{Http, Reply};

pub(super) struct Visitor {
    address: SocketAddr,
    connection: Option<Http>,
}

impl Visitor {
    pub(super) const fn new(address: SocketAddr) -> Self {
        Self { address, connection: None }
    }

    /// The readings by which the server takes the path for the protected one; none if it refuses it.
    pub(super) fn readings(&mut self, path: &str) -> Vec<String> {
        let reply = self.ask(path).filter(|reply| reply.status == 200);
        let body = reply.map(|reply| reply.body).unwrap_or_default();
        body.split_whitespace().map(str::to_owned).collect()
    }

    /// A server may close a connection behind an answer without a word, so the second try has its own.
    fn ask(&mut self, path: &str) -> Option<Reply> {
        let kept = self.connection.take();
        let reply = kept.and_then(|connection| self.ask_over(connection, path));
        reply.or_else(|| self.ask_over(Http::to(self.address), path))
    }

    fn ask_over(&mut self, mut connection: Http, path: &str) -> Option<Reply> {
        let reply = connection.try_ask("GET", path, "").ok()?;
        let closes = reply.header("connection") == Some("close");
        if !closes {
            self.connection = Some(connection);
        }
        Some(reply)
    }
}
