//! What happens to those who connect.

use std::{
    io::{ErrorKind, Read as _, Write as _},
    net::TcpStream as Client,
    sync::atomic::Ordering::Relaxed,
};

use super::rig::{LONG, Rig, SHORT, terms};
use tollgate_testkit::wait_for;

use crate::listen::{BoundSocket, OUTPUT_BYTES_HIGH, Terms};

/// All that comes until the end.
fn rest(client: &mut Client) -> String {
    let mut text = String::new();
    client.read_to_string(&mut text).unwrap();
    text
}

fn say(client: &mut Client, text: &str) {
    client.write_all(text.as_bytes()).unwrap();
}

fn hear(client: &mut Client, text: &str) {
    let mut heard = vec![0; text.len()];
    client.read_exact(&mut heard).unwrap();
    assert_eq!(String::from_utf8(heard).unwrap(), text);
}

#[test]
fn what_is_sent_at_once_is_answered_in_order() {
    let rig = Rig::start(terms(), 8);
    let mut client = rig.client();
    let lines: String = (0..2_000).map(|number| format!("{number}\n")).collect();
    say(&mut client, &lines);
    hear(&mut client, &lines);
    say(&mut client, "end\n");
    assert_eq!(rest(&mut client), "end\n");
}

#[test]
fn a_dribbling_client_is_told_and_left() {
    let rig = Rig::start(Terms { request: SHORT, ..terms() }, 8);
    // On a machine that stalls, a client may be left before it has asked.
    let mut client = wait_for("an answer", LONG, || {
        let mut client = rig.client();
        let mut heard = [0; 2];
        client.write_all(b"a\n").ok()?;
        client.read_exact(&mut heard).ok()?;
        (heard == *b"a\n").then_some(client)
    });
    let mut reader = client.try_clone().unwrap();
    let dribble = std::thread::spawn(move || while client.write_all(b"x").is_ok() {});
    let heard = rest_or_reset(&mut reader);
    assert!(heard.is_empty() || heard == "slow\n", "{heard:?}");
    dribble.join().unwrap();
}

/// A client that goes on sending may find the connection reset.
fn rest_or_reset(client: &mut Client) -> String {
    let mut bytes = Vec::new();
    match client.read_to_end(&mut bytes) {
        Ok(_) => {}
        Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
    }
    String::from_utf8(bytes).unwrap()
}

#[test]
fn half_a_request_is_waited_for_only_so_long() {
    let rig = Rig::start(Terms { request: SHORT, ..terms() }, 8);
    // On a machine that stalls, a client may be left before it has said anything.
    let told = wait_for("a word to the slow", LONG, || {
        let mut client = rig.client();
        client.write_all(b"half").ok()?;
        Some(rest_or_reset(&mut client)).filter(|told| !told.is_empty())
    });
    assert_eq!(told, "slow\n");
    let mut silent = rig.client();
    assert_eq!(rest(&mut silent), "", "nobody is told who never asked");
}

#[test]
fn an_idle_client_is_left() {
    let rig = Rig::start(Terms { idle: SHORT, ..terms() }, 8);
    let mut client = rig.client();
    say(&mut client, "a\n");
    assert_eq!(rest(&mut client), "a\n");
}

#[test]
fn a_client_that_never_reads_costs_a_bounded_amount() {
    let rig = Rig::start(Terms { write: SHORT, ..terms() }, 8);
    let mut client = rig.client();
    let many = "big\n".repeat(1_000);
    // It is left in the middle of this, as soon as the sockets are full.
    drop(client.write_all(many.as_bytes()));
    wait_for("the connection is closed", LONG, || client.write_all(b"big\n").err());
    let most = rig.output_most.load(Relaxed);
    assert!(most <= OUTPUT_BYTES_HIGH + 64 * 1024, "{most}");
}

#[test]
fn a_request_that_never_ends_is_left_at_the_bound() {
    let rig = Rig::start(terms(), 8);
    let mut client = rig.client();
    drop(client.write_all(&[b'x'; 1 << 20]));
    assert_eq!(rest_or_reset(&mut client), "");
}

#[test]
fn one_too_many_is_told_so() {
    let rig = Rig::start(terms(), 1);
    let mut first = rig.client();
    say(&mut first, "a\n");
    hear(&mut first, "a\n");
    assert_eq!(rest(&mut rig.client()), "full\n");
    drop(first);
    wait_for("there is room again", LONG, || {
        let mut next = rig.client();
        let mut heard = [0; 2];
        next.write_all(b"b\n").ok()?;
        next.read_exact(&mut heard).ok()?;
        (heard == *b"b\n").then_some(())
    });
}

// Proves: U5
#[test]
fn whoever_has_begun_may_finish() {
    let rig = Rig::start(terms(), 8);
    let (mut idle, mut busy) = (rig.client(), rig.client());
    for client in [&mut idle, &mut busy] {
        say(client, "a\n");
        hear(client, "a\n");
    }
    say(&mut busy, "ha");
    rig.stopper.stop();
    assert_eq!(rest(&mut idle), "");
    say(&mut busy, "lf\nmore\n");
    assert_eq!(rest(&mut busy), "half\n");
    assert_eq!(rig.stop(), 0);
}

// Proves: U5
#[test]
fn stopping_takes_no_new_connections() {
    let rig = Rig::start(terms(), 8);
    let address = rig.address;
    assert_eq!(rig.stop(), 0);
    // A program that is being started by another test has our sockets for a moment.
    wait_for("nothing listens there", LONG, || Client::connect(address).err());
}

#[test]
fn a_port_that_is_taken_is_named_with_its_flag() {
    let rig = Rig::start(terms(), 8);
    let error = BoundSocket::bind("resp", rig.address).unwrap_err();
    let words = error.to_string();
    assert!(words.contains("(--resp): another process has this port"), "{words}");
}
