//! Floods of connections and of requests that never end: other listeners and other clients are answered.

use std::{
    io::{Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpStream},
};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;
use tollgate_testkit::wait_for;

use super::proxied::naming;
use crate::common::{
    Desk, grpc,
    resp::Resp,
    server::{LONG, Server},
};

const RULES: &str = "version: 1\nrules: [{ name: many, key: [user], limit: 1000000/day }]\n";
/// Those that flood are silent for longer than any test takes.
const PATIENT: [&str; 6] =
    ["--rules", "rules.yaml", "--request-timeout", "120s", "--idle-timeout", "120s"];

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("rules.yaml", RULES);
    desk
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    stream
}

/// What a metric says of one protocol.
fn metric(server: &Server, name: &str, labels: &str) -> u64 {
    let scrape = server.administration().get("/metrics").with(200).body;
    let row = format!("{name}{{{labels}}} ");
    let value = scrape.lines().find_map(|line| line.strip_prefix(&row));
    value.unwrap_or_else(|| panic!("{row}")).parse().unwrap()
}

fn turned_away(server: &Server, protocol: &str, reason: &str) -> u64 {
    let labels = format!("protocol=\"{protocol}\",reason=\"{reason}\"");
    metric(server, "tollgate_turned_away_total", &labels)
}

/// Once a minute, however long the machine takes for a test.
fn is_seldom(told: usize) -> bool {
    (1..10).contains(&told)
}

/// Every listener but the one that is flooded.
fn others_answer(server: &Server) {
    let mut resp = Resp::to(server.resp);
    resp.ask(&["TG.CHECK", "user_id", "ann"]);
    assert!(grpc::asks(connect(server.grpc), "ann"));
    server.administration().get("/ratelimit/rules").with(200);
}

/// This many connections to HTTP that say nothing.
fn flood(server: &Server, count: usize) -> Vec<TcpStream> {
    (0..count).map(|_| connect(server.http)).collect()
}

#[test]
fn a_flooded_listener_leaves_files_for_all_others() {
    let desk = desk();
    let server = desk.serve_with_files(256, &PATIENT);
    let _silent = flood(&server, 362);
    wait_for("the listener is full", LONG, || {
        (turned_away(&server, "http", "full") > 100).then_some(())
    });
    others_answer(&server);
    let open = metric(&server, "tollgate_connections", "protocol=\"http\"");
    let most = metric(&server, "tollgate_connections_max", "protocol=\"http\"");
    assert_eq!(open, most);
    let (_, log) = server.stop();
    assert!(!log.contains("Too many open files"), "{log}");
    let told = log.matches("connections of a listener are taken").count();
    assert!(is_seldom(told), "{log}");
    assert!(log.contains("LimitNOFILE"), "{log}");
}

/// As many as this machine lets a process have, up to ten thousand.
#[test]
fn the_admin_side_answers_beside_ten_thousand_silent_connections() {
    let hard = getrlimit(Resource::Nofile).maximum;
    let all = Rlimit { current: hard, maximum: hard };
    setrlimit(Resource::Nofile, all).unwrap();
    let most = hard.map_or(10_000, |hard| hard.saturating_sub(1_000).min(10_000));
    let desk = desk();
    let server = desk.serve(&PATIENT);
    let _silent = flood(&server, usize::try_from(most).unwrap());
    let accepted = || {
        let open = metric(&server, "tollgate_connections", "protocol=\"http\"");
        open + turned_away(&server, "http", "full")
    };
    wait_for("all were accepted or refused", LONG, || (accepted() >= most).then_some(()));
    others_answer(&server);
}

/// A connection in the name of a client; it has asked, and stays.
fn client(server: &Server, address: Ipv4Addr) -> (TcpStream, String) {
    let mut stream = connect(server.http);
    let ask = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";
    // What is refused may be gone already.
    drop(stream.write_all(&[&naming(address)[..], ask].concat()));
    let mut answer = [0; 12];
    drop(stream.read_exact(&mut answer));
    (stream, String::from_utf8_lossy(&answer).into_owned())
}

#[test]
fn one_address_takes_a_quarter_of_a_listener() {
    let desk = desk();
    let proxied = ["--connections-max", "40", "--proxy-protocol", "on"];
    let server = desk.serve(&[&PATIENT[..], &proxied].concat());
    let (greedy, other) = (Ipv4Addr::new(192, 0, 2, 7), Ipv4Addr::new(192, 0, 2, 8));
    let mut open: Vec<(TcpStream, String)> = (0..14).map(|_| client(&server, greedy)).collect();
    let served = |open: &[(TcpStream, String)]| {
        let fine = open.iter().filter(|(_, answer)| answer.ends_with(" 200"));
        fine.count()
    };
    assert_eq!(served(&open), 10);
    assert_eq!(turned_away(&server, "http", "address"), 4);
    assert_eq!(client(&server, other).1, "HTTP/1.1 200");
    // What it closes it may open again.
    open.clear();
    wait_for("room for it again", LONG, || {
        (client(&server, greedy).1 == "HTTP/1.1 200").then_some(())
    });
    let (_, log) = server.stop();
    let told = log.matches("192.0.2.7").count();
    assert!(is_seldom(told), "{log}");
    assert!(log.contains("trusted_callers"), "{log}");
}

#[test]
fn trusted_callers_may_take_a_whole_listener() {
    let desk = desk();
    let words = ["--connections-max", "40", "--proxy-protocol", "on"];
    let trusted = ["--trusted-callers", "192.0.2.0/24"];
    let server = desk.serve(&[&PATIENT[..], &words, &trusted].concat());
    let caller = Ipv4Addr::new(192, 0, 2, 7);
    let open: Vec<(TcpStream, String)> = (0..30).map(|_| client(&server, caller)).collect();
    assert!(open.iter().all(|(_, answer)| answer == "HTTP/1.1 200"));
}

/// The budget of these tests, and what each client sends of its request.
const BUDGET: u64 = 8 << 20;
const SENT: usize = 900 << 10;
const CLIENTS: usize = 60;

/// Clients that each send the beginning of a large request. Together they send six times what may be kept.
fn begin(address: SocketAddr, head: &str) -> Vec<TcpStream> {
    let begun = (0..CLIENTS).map(|_| {
        let mut stream = connect(address);
        let body = vec![b'1'; SENT];
        // What is refused is closed while it is written.
        drop(stream.write_all(&[head.as_bytes(), &body].concat()));
        stream
    });
    begun.collect()
}

/// How much is kept, while all of them wait; and after they are gone nothing is.
fn is_bounded(protocol: &str, begun: impl Fn(&Server) -> Vec<TcpStream>) {
    let desk = desk();
    let budget = BUDGET.to_string();
    let server = desk.serve(&[&PATIENT[..], &["--unfinished-bytes-max", &budget]].concat());
    let labels = format!("protocol=\"{protocol}\"");
    let kept = || metric(&server, "tollgate_unfinished_input_bytes", &labels);
    let waiting = begun(&server);
    wait_for("the budget is used up", LONG, || {
        assert!(kept() <= BUDGET);
        (turned_away(&server, protocol, "unfinished") > 0).then_some(())
    });
    let kept_now = kept();
    assert!((1..=BUDGET).contains(&kept_now), "{kept_now}");
    // Small requests need nothing of it.
    let alice = json!({ "user_id": "alice" });
    let asked = server.decisions().post("/ratelimit/check", &alice);
    asked.with(200);
    others_answer(&server);
    drop(waiting);
    wait_for("all of it is given back", LONG, || (kept() == 0).then_some(()));
    let (_, log) = server.stop();
    let told = log.matches("unfinished_bytes_max").count();
    assert!(is_seldom(told), "{log}");
}

#[test]
fn unfinished_bodies_over_http_are_bounded() {
    is_bounded("http", |server| {
        let head = "POST /ratelimit/check/batch HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\
            Content-Length: 1048576\r\n\r\n";
        begin(server.http, head)
    });
}

#[test]
fn unfinished_commands_over_resp_are_bounded() {
    is_bounded("resp", |server| {
        let word = "1".repeat(60_000);
        let words = format!("$60000\r\n{word}\r\n").repeat(15);
        let head = format!("*20\r\n{words}$60000\r\n");
        (0..CLIENTS)
            .map(|_| {
                let mut stream = connect(server.resp);
                drop(stream.write_all(head.as_bytes()));
                stream
            })
            .collect()
    });
}

#[test]
fn unfinished_bodies_on_the_admin_side_are_bounded() {
    is_bounded("admin", |server| {
        let address = server.admin;
        let head = format!(
            "POST /ratelimit/overrides HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
             Content-Length: 1048576\r\n\r\n"
        );
        begin(address, &head)
    });
}

#[test]
fn unfinished_messages_over_grpc_are_bounded() {
    is_bounded("grpc", |server| {
        (0..4 * CLIENTS)
            .map(|_| {
                let mut stream = connect(server.grpc);
                drop(stream.write_all(&grpc::unfinished(48 << 10)));
                stream
            })
            .collect()
    });
}
