//! Many at once, and those who mean ill.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, SocketAddr, TcpStream},
};

use serde_json::{Value, json};
use tollgate_testkit::wait_for;

use crate::common::{Desk, grpc, http::Http, resp::Resp, server::LONG};

const HUNDRED: &str = "version: 1\nrules: [{ name: hundred, key: [user], limit: 100/day }]\n";

fn alice() -> Value {
    json!({ "user_id": "alice" })
}

fn check() -> String {
    let body = alice().to_string();
    let length = body.len();
    format!("POST /ratelimit/check HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n{body}")
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    stream
}

// Proves: D3, S6
#[test]
fn a_thousand_clients_on_a_budget_of_a_hundred_get_a_hundred() {
    let desk = Desk::new();
    desk.write("rules.yaml", HUNDRED);
    // The first is silent until the last has connected.
    let server = desk.serve(&["--rules", "rules.yaml", "--request-timeout", "60s"]);
    let redis = Resp::command(&["TG.CHECK", "user_id", "alice"]);
    let asks = [
        (server.http, check().into_bytes()),
        (server.resp, redis.into_bytes()),
        (server.grpc, grpc::opening("alice")),
    ];
    let mut clients: Vec<(TcpStream, usize)> =
        (0..1_000).map(|number: usize| (connect(asks[number % 3].0), number % 3)).collect();
    // All are connected before the first asks, and all have asked before the first answer is read.
    for (stream, how) in &mut clients {
        stream.write_all(&asks[*how].1).unwrap();
    }
    let mut allowed = 0;
    for (stream, how) in &mut clients {
        if *how == 2 {
            allowed += usize::from(grpc::is_allowed(stream));
            continue;
        }
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).unwrap();
        match &answer {
            b"HTTP/1.1 200" => allowed += 1,
            b"HTTP/1.1 429" => {}
            redis if redis.starts_with(b"*6\r\n:1\r\n") => allowed += 1,
            redis => assert!(redis.starts_with(b"*6\r\n:0\r\n"), "{redis:?}"),
        }
    }
    assert_eq!(allowed, 100);
}

/// A thousand who say nothing and a thousand who never finish, on every listener.
#[test]
fn slow_clients_hurt_nobody_and_are_left() {
    let desk = Desk::new();
    let server = desk.serve(&["--request-timeout", "3s"]);
    // After its first request it may be silent for longer than that.
    let mut honest = server.decisions();
    honest.post("/ratelimit/check", &alice()).with(200);
    let mut slow = Vec::new();
    for number in 0..2_000 {
        let (address, start) = match number % 6 {
            0 => (server.http, ""),
            1 => (server.resp, ""),
            2 => (server.grpc, ""),
            3 => (server.http, "POST /ratelimit/check HTTP/1.1\r\nX-Drop: "),
            4 => (server.resp, "*3\r\n$8\r\nTG.CH"),
            _ => (server.grpc, "PRI * HTTP/2.0\r\n"),
        };
        let mut stream = connect(address);
        stream.write_all(start.as_bytes()).unwrap();
        stream.set_nonblocking(true).unwrap();
        slow.push((stream, !start.is_empty()));
    }
    wait_for("all of them are left", LONG, || {
        // Each drop comes in time for any timer that starts anew with every byte.
        for (stream, dribbles) in &slow {
            if *dribbles {
                drop((&*stream).write(b"x"));
            }
        }
        honest.post("/ratelimit/check", &alice()).with(200);
        slow.retain(|(stream, _)| !is_closed(stream));
        slow.is_empty().then_some(())
    });
}

fn is_closed(mut stream: &TcpStream) -> bool {
    let mut bytes = [0; 512];
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return error.kind() != std::io::ErrorKind::WouldBlock,
        }
    }
}

#[test]
fn what_is_too_large_is_refused_before_it_is_read() {
    let desk = Desk::new();
    let server = desk.serve(&[]);
    let before = server.resident();
    let huge = [
        "POST /ratelimit/check HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n",
        "POST /ratelimit/check HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n",
    ];
    for ask in huge {
        let mut stream = connect(server.http);
        stream.write_all(ask.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    }
    for ask in ["*1000000000\r\n", "*1\r\n$2147483647\r\n", "*1\r\n*1\r\n*1\r\n"] {
        for _ in 0..50 {
            let mut stream = connect(server.resp);
            stream.write_all(ask.as_bytes()).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            assert!(answer.starts_with("-ERR Protocol error"), "{answer}");
        }
    }
    let grown = server.resident().saturating_sub(before);
    assert!(grown < 16 << 20, "{grown} bytes more");
}

/// They ask and ask, and never take an answer.
#[test]
fn clients_that_never_read_cost_a_bounded_amount() {
    let desk = Desk::new();
    let server = desk.serve(&["--write-timeout", "1s"]);
    let before = server.resident();
    let ping = Resp::command(&["PING"]).repeat(20_000);
    let asks = check().repeat(2_000);
    let flood = |(address, text): (SocketAddr, &str)| {
        let mut stream = connect(address);
        // It ends when the server has had enough.
        while stream.write_all(text.as_bytes()).is_ok() {}
    };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| flood((server.resp, &ping)));
            scope.spawn(|| flood((server.http, &asks)));
        }
    });
    let grown = server.resident().saturating_sub(before);
    assert!(grown < 32 << 20, "{grown} bytes more");
    server.decisions().post("/ratelimit/check", &alice()).with(200);
}

#[test]
fn a_connection_too_many_is_told_so() {
    let desk = Desk::new();
    // One of the two says nothing, and shall stay.
    let server = desk.serve(&["--connections-max", "2", "--request-timeout", "60s"]);
    let (mut one, _two) = (server.decisions(), server.decisions());
    one.post("/ratelimit/check", &alice()).with(200);
    let reply = wait_for("the third is refused", LONG, || {
        let stream = connect(server.http);
        let mut answer = String::new();
        (&stream).read_to_string(&mut answer).ok()?;
        Some(answer)
    });
    assert!(reply.starts_with("HTTP/1.1 503 "), "{reply}");
    assert!(reply.contains("Retry-After: "), "{reply}");
    one.post("/ratelimit/check", &alice()).with(200);
}

#[test]
fn a_client_that_says_it_is_done_still_hears_its_answers() {
    let desk = Desk::new();
    let server = desk.serve(&[]);
    let mut stream = connect(server.http);
    stream.write_all(check().repeat(3).as_bytes()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let mut answers = String::new();
    stream.read_to_string(&mut answers).unwrap();
    assert_eq!(answers.matches("HTTP/1.1 200 ").count(), 3, "{answers}");
    let _keep: Http = server.decisions();
}
