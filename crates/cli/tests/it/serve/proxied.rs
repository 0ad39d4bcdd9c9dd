//! Proxies that name their client by the PROXY protocol, version 2.
// Proves: I1, I4

use std::{
    io::{ErrorKind, Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpStream},
};

use serde_json::{Value, json};
use tollgate_testkit::wait_for;

use crate::common::{
    Desk,
    server::{LONG, Server},
};

const RULES: &str = "
version: 1
rules:
  - { name: by-address, key: [ip], limit: 2/h, algorithm: fixed_window }
";

pub(crate) fn server(desk: &Desk, more: &[&str]) -> Server {
    desk.write("rules.yaml", RULES);
    let words = ["--rules", "rules.yaml", "--proxy-protocol", "on"];
    desk.serve(&[&words, more].concat())
}

/// The header that names a client of IPv4.
pub(crate) fn naming(client: Ipv4Addr) -> Vec<u8> {
    let mut header = b"\r\n\r\n\0\r\nQUIT\n\x21\x11\x00\x13".to_vec();
    header.extend_from_slice(&client.octets());
    header.extend_from_slice(&[127, 0, 0, 1, 0x9c, 0x40, 0x1b, 0x9e]);
    // And something else that proxies tell.
    header.extend_from_slice(&[0x04, 0x00, 0x04, 1, 2, 3, 4]);
    header
}

const LOCAL: &[u8] = b"\r\n\r\n\0\r\nQUIT\n\x20\x00\x00\x00";

/// What is answered to these bytes, until the other side closes or stops to speak.
pub(crate) fn answered(address: SocketAddr, pieces: &[&[u8]]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    for piece in pieces {
        // Whoever is turned away may be gone already.
        drop(stream.write_all(piece));
    }
    drop(stream.shutdown(std::net::Shutdown::Write));
    let mut bytes = Vec::new();
    drop(stream.read_to_end(&mut bytes));
    String::from_utf8(bytes).unwrap()
}

fn nginx() -> &'static [u8] {
    b"GET /gateway/nginx HTTP/1.1\r\nHost: a\r\nX-Original-URI: /\r\nX-Original-Method: GET\r\n\r\n"
}

fn check(body: &Value) -> Vec<u8> {
    let body = body.to_string();
    let length = body.len();
    format!("POST /ratelimit/check HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n{body}")
        .into_bytes()
}

fn turned_away(server: &Server) -> f64 {
    let scrape = server.administration().get("/metrics").with(200).body;
    let row = "tollgate_turned_away_total{protocol=\"http\",reason=\"bad_request\"} ";
    let count = scrape.lines().find_map(|line| line.strip_prefix(row));
    count.unwrap().parse().unwrap()
}

#[test]
fn the_client_that_is_named_is_counted_and_not_on_this_machine() {
    let desk = Desk::new();
    let server = server(&desk, &[]);
    let (one, other) = (Ipv4Addr::new(192, 0, 2, 7), Ipv4Addr::new(192, 0, 2, 8));
    let ask = |client| answered(server.http, &[&naming(client), nginx()]);
    for wanted in ["204", "204", "403"] {
        assert!(ask(one).starts_with(&format!("HTTP/1.1 {wanted}")));
    }
    assert!(ask(other).starts_with("HTTP/1.1 204"));
    // A client named by its loopback address is not trusted as this machine is.
    for client in [one, Ipv4Addr::LOCALHOST] {
        let stating = check(&json!({ "tier": "premium", "endpoint": "/" }));
        let said = answered(server.http, &[&naming(client), &stating]);
        assert!(said.starts_with("HTTP/1.1 403") && said.contains("`tier`"), "{said}");
        // Nor may it use up what another address has.
        let stating = check(&json!({ "ip": "192.0.2.99", "endpoint": "/" }));
        let said = answered(server.http, &[&naming(client), &stating]);
        assert!(said.starts_with("HTTP/1.1 403") && said.contains("`ip`"), "{said}");
        let stating: &[u8] = b"TG.CHECK ip 192.0.2.99 endpoint /\r\n";
        let said = answered(server.resp, &[&naming(client), stating]);
        assert!(said.starts_with("-FORBIDDEN not-trusted: `ip`"), "{said}");
        let stating: &[u8] = b"TG.CHECK user_id alice\r\n";
        let said = answered(server.resp, &[&naming(client), stating]);
        assert!(said.starts_with("-FORBIDDEN not-trusted: `user_id`"), "{said}");
        let reset: &[u8] = b"TG.RESET endpoint /\r\n";
        let said = answered(server.resp, &[&naming(client), reset]);
        assert!(said.starts_with("-NOAUTH"), "{said}");
    }
    // In pieces, and for itself.
    let header = naming(Ipv4Addr::new(192, 0, 2, 9));
    let pieces: Vec<&[u8]> = header.chunks(1).chain([nginx()]).collect();
    assert!(answered(server.http, &pieces).starts_with("HTTP/1.1 204"));
    assert!(
        answered(server.http, &[LOCAL, b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"])
            .starts_with("HTTP/1.1 200")
    );
    // Nobody administers through a proxy, so nothing is named there.
    server.administration().get("/healthz").with(200);
}

#[test]
fn a_proxy_that_names_nobody_is_closed_and_so_is_whoever_is_no_proxy_and_does() {
    let desk = Desk::new();
    let many = server(&desk, &[]);
    let mut count = turned_away(&many);
    let mut long = b"\r\n\r\n\0\r\nQUIT\n\x21\x11\xff\xff".to_vec();
    long.extend_from_slice(&[0; 64]);
    for bytes in [nginx(), long.as_slice(), b"PROXY TCP4 192.0.2.7 127.0.0.1 1 2\r\n"] {
        assert_eq!(answered(many.http, &[bytes]), "");
        count += 1.0;
        assert!((turned_away(&many) - count).abs() < f64::EPSILON);
    }
    drop(many);

    // Half a header is waited for, and not for ever.
    let desk = Desk::new();
    let hasty = server(&desk, &["--request-timeout", "500ms"]);
    let mut stream = TcpStream::connect(hasty.http).unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    stream.write_all(&naming(Ipv4Addr::LOCALHOST)[..20]).unwrap();
    let end = stream.read(&mut [0; 1]);
    assert!(
        matches!(&end, Ok(0)) || end.is_err_and(|error| error.kind() == ErrorKind::ConnectionReset)
    );
    drop(hasty);

    let desk = Desk::new();
    let server = server_without_proxies(&desk);
    let said = answered(server.http, &[nginx()]);
    assert!(said.starts_with("HTTP/1.1 204"), "{said}");
    let before = turned_away(&server);
    let pretending = naming(Ipv4Addr::new(198, 51, 100, 1));
    assert_eq!(answered(server.http, &[&pretending, nginx()]), "");
    assert!((turned_away(&server) - before - 1.0).abs() < f64::EPSILON);
    wait_for("the log says why", LONG, || {
        let log = server.log();
        log.contains("is not one of trusted_proxies").then_some(())
    });
}

fn server_without_proxies(desk: &Desk) -> Server {
    server(desk, &["--trusted-proxies", "10.0.0.0/8"])
}
