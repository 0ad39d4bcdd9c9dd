//! The same stories over TLS: nobody hears anything else.

use std::{
    io::{Read, Write},
    sync::{Arc, atomic::Ordering::Relaxed},
};

use tempfile::TempDir;
use tollgate_testkit::{
    certificates::{A_YEAR, Authority},
    tls::{Client, Sealed},
    wait_for,
};

use super::rig::{LONG, Rig, SHORT, terms};
use crate::{
    config::TlsFiles,
    listen::{BoundSocket, OUTPUT_BYTES_HIGH, Stream, Terms, connection::write},
    stop::Stop,
    telemetry::{Protocol, Recorder},
    tls::{Material, TlsListener},
};

/// A server of lines that speaks TLS.
struct House {
    rig: Rig,
    client: Client,
    _folder: TempDir,
}

/// What a server shakes hands with, and a client that believes it.
fn handshakes(folder: &TempDir) -> (TlsListener, Client) {
    let authority = Authority::new("lines");
    let ca = folder.path().join("ca.pem");
    authority.write(&ca);
    let ours = authority.server(folder.path(), "server", A_YEAR);
    let files = TlsFiles { certificate: ours.certificate, key: ours.key, client_ca: None };
    let material = Material::of(&files).unwrap();
    let recorder = Arc::new(Recorder::default());
    let tls = TlsListener::new(Protocol::Resp, &material, LONG, recorder).unwrap();
    (tls, Client::new(&ca, None))
}

impl House {
    fn new(terms: Terms) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (tls, client) = handshakes(&folder);
        Self { rig: Rig::sealed(terms, 8, Some(Arc::new(tls))), client, _folder: folder }
    }

    fn client(&self) -> Sealed {
        self.client.connect(self.rig.address).unwrap()
    }
}

fn rest(client: &mut impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    client.read_to_end(&mut bytes).unwrap();
    bytes
}

/// Lines short and long, with answers that need many records.
fn story() -> String {
    let mut story: String = (0..500).map(|number| format!("{number}\n")).collect();
    story += &"big\n".repeat(20);
    story += &format!("{}\n", "y".repeat(900));
    story + "end\n"
}

// Proves: S7
#[test]
fn what_is_answered_does_not_depend_on_the_seal() {
    let story = story();
    let plain = Rig::start(terms(), 8);
    let mut client = plain.client();
    client.write_all(story.as_bytes()).unwrap();
    let expected = rest(&mut client);
    assert!(expected.len() > 20 * 64 * 1024);

    let house = House::new(terms());
    let mut client = house.client();
    client.write_all(story.as_bytes()).unwrap();
    assert_eq!(rest(&mut client), expected);
}

// Proves: S7
#[test]
fn a_record_for_every_byte_makes_no_difference() {
    let house = House::new(terms());
    let mut client = house.client();
    for byte in b"a\nlonger\nbig\nend\n" {
        client.write_all(&[*byte]).unwrap();
        client.flush().unwrap();
    }
    let mut expected = b"a\nlonger\n".to_vec();
    expected.extend_from_slice(&[b'x'; 64 * 1024]);
    expected.extend_from_slice(b"end\n");
    assert_eq!(rest(&mut client), expected);
}

/// A record opens to more than is read at once: what is left of it is answered although the socket has
/// nothing more to give.
// Proves: S7
#[test]
fn what_lies_in_the_session_is_not_forgotten() {
    let house = House::new(Terms { input_bytes_max: 1 << 20, ..terms() });
    let mut client = house.client();
    for lines in [1_000, 3_000, 7_000, 16_000] {
        let sent = "12345\n".repeat(lines);
        client.write_all(sent.as_bytes()).unwrap();
        let mut heard = vec![0; sent.len()];
        client.read_exact(&mut heard).unwrap();
        assert_eq!(heard, sent.as_bytes());
    }
}

/// Sealed bytes that the socket has no room for lie in the session: what counts as written is on its way.
// Proves: S7
#[test]
fn what_was_written_arrives_although_nobody_writes_again() {
    let folder = tempfile::tempdir().unwrap();
    let (tls, client) = handshakes(&folder);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let any = "127.0.0.1:0".parse().unwrap();
    let socket = BoundSocket::bind("resp", any).unwrap();
    let address = socket.address();
    let listener = runtime.block_on(async { socket.listen() }).unwrap();
    let connecting = std::thread::spawn(move || client.connect(address).unwrap());
    let (_stopper, mut stop) = Stop::channel();
    let greeted = runtime.block_on(async {
        let (socket, peer) = listener.accept().await.unwrap();
        tls.greet(socket, peer, &mut stop).await
    });
    let mut stream = Stream::Tls(greeted.unwrap().0);
    let mut client = connecting.join().unwrap();
    let piece = [b'x'; 16 * 1024];
    let mut written = 0;
    // Nobody reads, so some time the sockets are full.
    while runtime.block_on(write(&mut stream, &piece, SHORT)).is_ok() {
        written += piece.len();
    }
    let mut heard = vec![0; written];
    client.read_exact(&mut heard).unwrap();
}

// Proves: S7
#[test]
fn half_a_request_is_waited_for_only_so_long() {
    let house = House::new(Terms { request: SHORT, ..terms() });
    // On a machine that stalls, a client may be left before it has said anything.
    let told = wait_for("a word to the slow", LONG, || {
        let mut client = house.client();
        client.write_all(b"half").ok()?;
        let mut told = Vec::new();
        client.read_to_end(&mut told).ok()?;
        Some(told).filter(|told| !told.is_empty())
    });
    assert_eq!(told, b"slow\n");
    assert_eq!(rest(&mut house.client()), b"", "nobody is told who never asked");
}

// Proves: S7
#[test]
fn a_client_that_never_reads_costs_a_bounded_amount() {
    let house = House::new(Terms { write: SHORT, ..terms() });
    let mut client = house.client();
    let many = "big\n".repeat(200);
    drop(client.write_all(many.as_bytes()));
    wait_for("the connection is closed", LONG, || client.write_all(many.as_bytes()).err());
    let most = house.rig.output_most.load(Relaxed);
    assert!(most <= OUTPUT_BYTES_HIGH + 64 * 1024, "{most}");
}

// Proves: S7, U5
#[test]
fn whoever_has_begun_may_finish() {
    let house = House::new(terms());
    let mut busy = house.client();
    busy.write_all(b"a\nha").unwrap();
    let mut heard = [0; 2];
    busy.read_exact(&mut heard).unwrap();
    let mut idle = house.client();
    house.rig.stopper.stop();
    assert_eq!(rest(&mut idle), b"");
    busy.write_all(b"lf\nmore\n").unwrap();
    assert_eq!(rest(&mut busy), b"half\n");
    assert_eq!(house.rig.stop(), 0);
}
