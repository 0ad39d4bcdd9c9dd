//! What stands behind a gateway: it answers every request alike, and remembers who came.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
};

/// What it says to everybody.
pub const BACKEND_SAYS: &str = "hello from the backend\n";

/// A small HTTP server; when this is dropped every connection is closed and every thread has ended.
#[derive(Debug)]
pub struct Backend {
    addr: SocketAddr,
    shared: Arc<Mutex<Shared>>,
    listener: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    /// The heads of the requests that came: first line and header fields.
    requests: Vec<String>,
    connections: Vec<TcpStream>,
    is_closed: bool,
}

impl Backend {
    /// On a free port.
    pub fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let addr = listener.local_addr().expect("it was bound");
        let shared = Arc::new(Mutex::new(Shared::default()));
        let theirs = Arc::clone(&shared);
        let listener = thread::spawn(move || listen(&listener, &theirs));
        Self { addr, shared, listener: Some(listener) }
    }

    /// Where it listens.
    pub const fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The heads of the requests so far, in the order in which they came.
    pub fn requests(&self) -> Vec<String> {
        lock(&self.shared).requests.clone()
    }
}

impl Drop for Backend {
    fn drop(&mut self) {
        {
            let mut shared = lock(&self.shared);
            shared.is_closed = true;
            for connection in &shared.connections {
                drop(connection.shutdown(Shutdown::Both));
            }
        }
        // The listener looks up when somebody comes.
        drop(TcpStream::connect(self.addr));
        if let Some(listener) = self.listener.take() {
            drop(listener.join());
        }
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn listen(listener: &TcpListener, shared: &Mutex<Shared>) {
    thread::scope(|scope| {
        for stream in listener.incoming() {
            let mut known = lock(shared);
            if known.is_closed {
                break;
            }
            let Ok(stream) = stream else { continue };
            if let Ok(copy) = stream.try_clone() {
                known.connections.push(copy);
                scope.spawn(move || answer(stream, shared));
            }
        }
    });
}

/// Until the connection ends.
fn answer(stream: TcpStream, shared: &Mutex<Shared>) {
    let mut stream = BufReader::new(stream);
    while let Some(head) = head(&mut stream) {
        lock(shared).requests.push(head);
        let length = BACKEND_SAYS.len();
        let reply = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{BACKEND_SAYS}");
        if stream.get_mut().write_all(reply.as_bytes()).is_err() {
            break;
        }
    }
}

/// The head of the next request, once its body has come as well.
fn head(stream: &mut BufReader<TcpStream>) -> Option<String> {
    let mut head = String::new();
    let mut length = 0;
    loop {
        // A header need not be text.
        let mut line = Vec::new();
        if stream.read_until(b'\n', &mut line).ok()? == 0 {
            return None;
        }
        let line = String::from_utf8_lossy(&line);
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            head.push_str(&line);
            if line.trim_end().is_empty() {
                break;
            }
            continue;
        };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.parse().ok()?;
        }
        head.push_str(&line);
    }
    let mut body = Vec::new();
    stream.take(length).read_to_end(&mut body).ok()?;
    Some(head)
}
