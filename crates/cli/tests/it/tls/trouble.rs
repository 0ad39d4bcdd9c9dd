//! Those who do not speak as they should, and certificates that end.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
};

use tollgate_core::{Clock as _, SystemClock};
use tollgate_testkit::{certificates::Holds, tls::Client, wait_for};

use super::house::{DAY, House};
use crate::common::{Desk, server::LONG};

// Proves: S7
#[test]
fn a_client_that_speaks_in_clear_is_told_of_in_the_log() {
    let house = House::new();
    let server = house.serve(&[]);
    for (at, listener, words) in [
        (server.http, "http", "GET / HTTP/1.1\r\n\r\n"),
        (server.resp, "resp", "PING\r\n"),
        (server.grpc, "grpc", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        (server.admin, "admin", "GET / HTTP/1.1\r\n\r\n"),
    ] {
        let mut client = TcpStream::connect(at).unwrap();
        client.set_read_timeout(Some(LONG)).unwrap();
        client.write_all(words.as_bytes()).unwrap();
        let mut heard = Vec::new();
        drop(client.read_to_end(&mut heard));
        assert!(heard.is_empty(), "nothing is said in clear: {heard:?}");
        wait_for("the log says why", LONG, || {
            let log = server.log();
            let line =
                log.lines().find(|line| line.contains(&format!("listener=\"{listener}\"")))?;
            assert!(line.contains("speaks in clear to a port that speaks TLS"), "{line}");
            assert!(line.contains("peer=127.0.0.1:"), "{line}");
            Some(())
        });
    }
}

// Proves: S7
#[test]
fn a_flood_of_bad_clients_writes_a_line_a_second() {
    let house = House::new();
    let server = house.serve(&[]);
    let begun = SystemClock.now().steady;
    for _ in 0..200 {
        let mut client = TcpStream::connect(server.http).unwrap();
        client.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
        drop(client.read(&mut [0]));
    }
    let series = "tollgate_tls_handshakes_failed_total{protocol=\"http\",reason=\"plaintext\"} 200";
    wait_for("all are counted", LONG, || {
        let metrics = house.http(server.admin, None).get("/metrics").body;
        metrics.contains(series).then_some(())
    });
    let lines = wait_for("a line in the log", LONG, || {
        let lines = server.log().matches("speaks in clear").count();
        (lines > 0).then_some(lines)
    });
    // The first, and one for each second that has passed.
    let passed_s = SystemClock.now().steady.since(begun).get() / 1_000_000;
    let lines_max = usize::try_from(passed_s).unwrap() + 1;
    assert!(lines <= lines_max, "{lines} in {passed_s} s");
}

// Proves: S7
#[test]
fn a_handshake_that_never_ends_is_ended() {
    let house = House::new();
    // A handshake with the admin side might take too long, too.
    let words = ["--request-timeout", "100ms", "--admin-tls-cert", "off"];
    let server = house.serve(&words);
    // The beginning of a handshake, and silence.
    for said in [&b"\x16"[..], b"\x16\x03\x01\x02\x00\x01"] {
        let mut client = TcpStream::connect(server.http).unwrap();
        client.set_read_timeout(Some(LONG)).unwrap();
        client.write_all(said).unwrap();
        let mut heard = Vec::new();
        drop(client.read_to_end(&mut heard));
    }
    let mut silent = TcpStream::connect(server.http).unwrap();
    silent.set_read_timeout(Some(LONG)).unwrap();
    assert_eq!(silent.read(&mut [0]).unwrap(), 0);
    let series = "tollgate_tls_handshakes_failed_total{protocol=\"http\",reason=\"timeout\"} 3";
    wait_for("all are counted", LONG, || {
        let metrics = server.administration().try_ask("GET", "/metrics", "");
        metrics.ok()?.body.contains(series).then_some(())
    });
}

// Proves: S7, U5
#[test]
fn a_handshake_under_way_does_not_keep_a_server_from_stopping() {
    let house = House::new();
    let server = house.serve(&["--request-timeout", "1h", "--drain-timeout", "1h"]);
    let mut client = TcpStream::connect(server.http).unwrap();
    client.write_all(b"\x16\x03\x01").unwrap();
    wait_for("the connection is taken", LONG, || {
        let metrics = house.http(server.admin, None).get("/metrics").body;
        metrics.contains("tollgate_connections{protocol=\"http\"} 1").then_some(())
    });
    let (status, log) = server.stop();
    assert!(status.success(), "{log}");
    assert!(!log.contains("did not finish in time"), "{log}");
}

// Proves: S7
#[test]
fn handshakes_count_against_the_room_for_connections() {
    let house = House::new();
    // The first says nothing, and shall stay.
    let server = house.serve(&["--connections-max", "1", "--request-timeout", "60s"]);
    let first = TcpStream::connect(server.http).unwrap();
    wait_for("the room is taken", LONG, || {
        let metrics = house.http(server.admin, None).get("/metrics").body;
        metrics.contains("tollgate_connections{protocol=\"http\"} 1").then_some(())
    });
    let mut second = TcpStream::connect(server.http).unwrap();
    second.set_read_timeout(Some(LONG)).unwrap();
    let mut heard = Vec::new();
    drop(second.read_to_end(&mut heard));
    assert!(heard.is_empty(), "nothing is said in clear: {heard:?}");
    drop(first);
    wait_for("there is room again", LONG, || house.knock(server.http, None).ok());
}

// Proves: S7
#[test]
fn a_certificate_that_ends_soon_is_told_of_ahead() {
    let house = House::holding(Holds::For(10 * DAY));
    let server = house.serve(&[]);
    let ready = house.http(server.http, None).get("/readyz").with(200).json();
    let degraded = ready["degraded"].to_string();
    let told = |days: u32| degraded.contains(&format!("server.pem runs out in {days} days"));
    assert!(told(9) || told(10), "{degraded}");
    wait_for("the log says so", LONG, || server.log().contains("runs out in").then_some(()));
    let metrics = house.http(server.admin, None).get("/metrics").body;
    let series = "tollgate_tls_certificate_expiry_timestamp_seconds{protocol=\"http\"} ";
    let line = metrics.lines().find(|line| line.starts_with(series)).unwrap();
    let started = "process_start_time_seconds ";
    let started = metrics.lines().find(|line| line.starts_with(started)).unwrap();
    let number = |line: &str| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap();
    let days = (number(line) - number(started)) / DAY.as_secs_f64();
    assert!((9.9..10.1).contains(&days), "{days}");

    let next = house.authority.server(
        &house.desk.path(""),
        "next",
        tollgate_testkit::certificates::A_YEAR,
    );
    house.ours.replace(&next);
    wait_for("nothing is told of any more", LONG, || {
        let ready = house.http(server.http, None).get("/readyz").json();
        ready["degraded"].as_array().unwrap().is_empty().then_some(())
    });
}

// Proves: S7
#[test]
fn a_certificate_that_has_ended_is_a_warning_and_no_reason_not_to_start() {
    let house = House::holding(Holds::NoMore);
    let server = house.serve(&["--http-tls-cert", "off"]);
    let ready = server.decisions().get("/readyz").with(200).json();
    assert!(ready["degraded"].to_string().contains("has run out"), "{ready}");
    wait_for("the log says so", LONG, || server.log().contains("has run out").then_some(()));
    assert!(house.caller(None).connect(server.resp).is_err());
    wait_for("a client that refuses is told of", LONG, || {
        server.log().contains("reason=\"refused\"").then_some(())
    });
}

// Proves: S7
#[test]
fn a_client_of_tls_at_a_plain_port_is_told_of_in_the_log() {
    let house = House::new();
    let desk = Desk::new();
    let server = desk.serve(&[]);
    for (at, listener) in [
        (server.http, "http"),
        (server.grpc, "grpc"),
        (server.resp, "resp"),
        (server.admin, "admin"),
    ] {
        assert!(Client::new(&house.ca, None).connect(at).is_err());
        wait_for("the log says why", LONG, || {
            let log = server.log();
            let line =
                log.lines().find(|line| line.contains(&format!("listener=\"{listener}\"")))?;
            assert!(line.contains("speaks TLS to a port that speaks in clear"), "{line}");
            Some(())
        });
    }
}
