//! Restarting while everybody asks.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
};

use serde_json::json;
use tollgate_testkit::free_address;

use crate::common::{Desk, resp::Resp, server::LONG};

const MILLION: &str = "version: 1\nrules: [{ name: all, key: [user], limit: 10000000/day, algorithm: fixed_window }]\n";

/// One client: asks, waits for the answer, asks again; comes back when the connection is gone.
fn ask_on(address: SocketAddr, ask: &[u8], is_over: &AtomicBool, answers: &AtomicU64) {
    while !is_over.load(Relaxed) {
        let Ok(mut stream) = TcpStream::connect(address) else {
            std::thread::yield_now();
            continue;
        };
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream.set_nodelay(true).unwrap();
        while !is_over.load(Relaxed) && stream.write_all(ask).is_ok() {
            let Some(is_allowed) = hear(&mut stream) else {
                break;
            };
            assert!(is_allowed);
            answers.fetch_add(1, Relaxed);
        }
    }
}

/// Whether it was allowed; none if there is no whole answer.
fn hear(stream: &mut TcpStream) -> Option<bool> {
    let mut answer = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let read = stream.read(&mut piece).ok().filter(|read| *read > 0)?;
        answer.extend_from_slice(&piece[..read]);
        if answer.ends_with(b"}") || answer.ends_with(b"\r\nall\r\n") {
            let is_http = answer.starts_with(b"HTTP/1.1 200");
            return Some(is_http || answer.starts_with(b"*6\r\n:1\r\n"));
        }
    }
}

/// Whatever was charged was answered, before the stop and after: the counters and the clients agree to the
/// unit.
// Proves: U5, C1
#[test]
fn a_restart_under_load_loses_no_answer() {
    let desk = Desk::new();
    desk.write("rules.yaml", MILLION);
    let (http, resp) = (free_address(), free_address());
    let (http_flag, resp_flag) = (http.to_string(), resp.to_string());
    let flags = ["--rules", "rules.yaml", "--http", &http_flag, "--resp", &resp_flag];
    let server = desk.serve(&flags);

    let body = json!({ "user_id": "alice" }).to_string();
    let check = format!(
        "POST /ratelimit/check HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let redis = Resp::command(&["TG.CHECK", "user_id", "alice"]);
    let (is_over, answers) = (AtomicBool::new(false), AtomicU64::new(0));
    let remaining = std::thread::scope(|scope| {
        for number in 0..16 {
            let (address, ask) = match number % 2 {
                0 => (http, check.as_bytes()),
                _ => (resp, redis.as_bytes()),
            };
            let (is_over, answers) = (&is_over, &answers);
            scope.spawn(move || ask_on(address, ask, is_over, answers));
        }
        let mut server = server;
        for round in 1..=3 {
            let goal = answers.load(Relaxed) + 500;
            tollgate_testkit::wait_for("traffic", LONG, || {
                (answers.load(Relaxed) >= goal).then_some(())
            });
            let (status, log) = server.stop();
            assert!(status.success(), "round {round}: {log}");
            server = desk.serve(&flags);
        }
        let goal = answers.load(Relaxed) + 500;
        tollgate_testkit::wait_for("traffic", LONG, || {
            (answers.load(Relaxed) >= goal).then_some(())
        });
        is_over.store(true, Relaxed);
        server
    });
    let mut http = remaining.decisions();
    let facts = json!({ "user_id": "alice", "cost": 0 });
    let peeked = http.post("/ratelimit/check", &facts).with(200).json();
    let used = 10_000_000 - peeked["remaining"].as_u64().unwrap();
    assert_eq!(used, answers.load(Relaxed));
}
