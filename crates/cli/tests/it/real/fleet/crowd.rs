//! Callers who never rest, and count what they are told. They survive their servers.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::{SocketAddr, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread::JoinHandle,
    time::Duration,
};

use tollgate_testkit::wait_for;

use crate::common::{resp::Resp, server::LONG};

/// Requests that travel together.
const TOGETHER: usize = 8;
/// Between two such bundles of one caller.
const PAUSE: Duration = Duration::from_millis(2);
/// Before somebody who was sent away comes again.
const RETRY: Duration = Duration::from_millis(50);
/// All that a bundle asks for is charged, so its answers are waited for, also while a machine stalls.
const PATIENCE: Duration = LONG;
/// Longer than it takes to spend a limit.
const SPENT_MAX: Duration = Duration::from_secs(120);
/// Lines of one answer.
const LINES: usize = 8;

/// Callers of some endpoints at some servers.
pub(crate) struct Crowd {
    is_over: Arc<AtomicBool>,
    seen: Arc<Vec<Seen>>,
    callers: Vec<JoinHandle<()>>,
}

/// What the callers of one endpoint were told.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) admitted: AtomicU64,
    pub(crate) denied: AtomicU64,
}

impl Crowd {
    /// One caller for each server and endpoint. A server may come back at another address.
    pub(crate) fn of(
        servers: &[Arc<Mutex<SocketAddr>>],
        endpoints: &'static [&'static str],
    ) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let seen: Arc<Vec<Seen>> = Arc::new(endpoints.iter().map(|_| Seen::default()).collect());
        let mut callers = Vec::new();
        for server in servers {
            for (at, endpoint) in endpoints.iter().enumerate() {
                let (server, is_over) = (Arc::clone(server), Arc::clone(&is_over));
                let seen = Arc::clone(&seen);
                callers.push(std::thread::spawn(move || {
                    call(&server, endpoint, &seen[at], &is_over);
                }));
            }
        }
        Self { is_over, seen, callers }
    }

    pub(crate) fn admitted(&self) -> Vec<u64> {
        self.seen.iter().map(|seen| seen.admitted.load(Relaxed)).collect()
    }

    /// Waits until so many more were admitted of every endpoint.
    pub(crate) fn until_more(&self, units: u64) {
        let before = self.admitted();
        wait_for("requests that pass", SPENT_MAX, || {
            let now = self.admitted();
            let mut both = now.iter().zip(&before);
            both.all(|(now, before)| *now >= before + units).then_some(())
        });
    }

    /// Waits until nothing was admitted for a while, though it was asked for: there were so many, and no more.
    pub(crate) fn until_spent(&self, units: u64, quiet: u64) {
        let denied =
            || -> Vec<u64> { self.seen.iter().map(|seen| seen.denied.load(Relaxed)).collect() };
        let mut since = (self.admitted(), denied());
        wait_for("limits that are used up", SPENT_MAX, || {
            let (admitted, now) = (self.admitted(), denied());
            // A wait in vain says less.
            assert!({ admitted.iter() }.all(|it| *it <= units), "{admitted:?}");
            if admitted != since.0 {
                since = (admitted, now);
                return None;
            }
            let mut both = now.iter().zip(&since.1);
            both.all(|(now, before)| *now >= before + quiet).then_some(())
        });
    }

    /// Sends all home, and says how much was admitted of each endpoint.
    pub(crate) fn end(mut self) -> Vec<u64> {
        self.is_over.store(true, Relaxed);
        for caller in self.callers.drain(..) {
            caller.join().unwrap();
        }
        self.admitted()
    }
}

/// Whatever happens to a server, it is asked again.
fn call(server: &Mutex<SocketAddr>, endpoint: &str, seen: &Seen, is_over: &AtomicBool) {
    while !is_over.load(Relaxed) {
        let address = *server.lock().unwrap();
        if converse(address, endpoint, seen, is_over).is_err() {
            rest(RETRY);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "callers have a pace; nothing is asserted by it")]
fn rest(span: Duration) {
    std::thread::sleep(span);
}

fn converse(
    address: SocketAddr,
    endpoint: &str,
    seen: &Seen,
    is_over: &AtomicBool,
) -> std::io::Result<()> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    let mut answers = BufReader::new(stream.try_clone()?);
    let bundle =
        Resp::command(&["TG.CHECK", "user_id", "ann", "endpoint", endpoint]).repeat(TOGETHER);
    while !is_over.load(Relaxed) {
        stream.write_all(bundle.as_bytes())?;
        for _ in 0..TOGETHER {
            let mut lines = Vec::with_capacity(LINES);
            for _ in 0..LINES {
                let mut line = String::new();
                if answers.read_line(&mut line)? == 0 {
                    return Err(std::io::ErrorKind::UnexpectedEof.into());
                }
                lines.push(line);
            }
            match lines[1].trim_end() {
                ":1" => seen.admitted.fetch_add(1, Relaxed),
                ":0" => seen.denied.fetch_add(1, Relaxed),
                _ => panic!("no answer to a check: {lines:?}"),
            };
        }
        rest(PAUSE);
    }
    Ok(())
}
