//! The proxy's faults, each seen from both ends of a connection.

use std::{
    io::{ErrorKind, Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    time::{Duration, Instant},
};

use tollgate_testkit::{
    free_address,
    proxy::{CONNECTIONS_MAX, Proxy},
    wait_for,
};

/// Long enough for anything on this machine.
const LONG: Duration = Duration::from_secs(60);
/// What has not come after this long is not coming.
const SILENCE: Duration = Duration::from_millis(100);

struct Rig {
    server: TcpListener,
    proxy: Proxy,
}

impl Rig {
    fn new() -> Self {
        let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let proxy = Proxy::to(server.local_addr().unwrap());
        Self { server, proxy }
    }

    /// A connection through the proxy: the client's end, the server's end.
    fn connect(&self) -> (TcpStream, TcpStream) {
        let client = connect(self.proxy.addr());
        let (server, _) = self.server.accept().unwrap();
        server.set_read_timeout(Some(LONG)).unwrap();
        (client, server)
    }
}

fn connect(addr: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(addr).unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    stream
}

fn send(mut from: &TcpStream, text: &str) {
    from.write_all(text.as_bytes()).unwrap();
}

fn receive(mut at: &TcpStream, text: &str) {
    let mut bytes = vec![0; text.len()];
    at.read_exact(&mut bytes).unwrap();
    assert_eq!(bytes, text.as_bytes());
}

/// No byte and no end.
fn hears_nothing(mut at: &TcpStream) {
    at.set_read_timeout(Some(SILENCE)).unwrap();
    let error = at.read(&mut [0]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WouldBlock);
    at.set_read_timeout(Some(LONG)).unwrap();
}

fn is_closed(mut at: &TcpStream) -> bool {
    match at.read(&mut [0]) {
        Ok(count) => count == 0,
        Err(error) => error.kind() == ErrorKind::ConnectionReset,
    }
}

#[test]
fn bytes_pass_both_ways_and_so_does_the_end() {
    let rig = Rig::new();
    let (client, server) = rig.connect();
    send(&client, "question");
    receive(&server, "question");
    send(&server, "answer");
    receive(&client, "answer");
    assert_eq!(rig.proxy.connections(), 1);
    client.shutdown(std::net::Shutdown::Write).unwrap();
    assert!(is_closed(&server));
    send(&server, "the other half is still open");
    receive(&client, "the other half is still open");
    drop(server);
    assert!(is_closed(&client));
    wait_for("the end of the connection", LONG, || (rig.proxy.connections() == 0).then_some(()));
}

#[test]
fn more_than_a_buffer_passes_unchanged() {
    let rig = Rig::new();
    let (client, server) = rig.connect();
    let text = "0123456789abcdef".repeat(64 * 1024);
    std::thread::scope(|scope| {
        scope.spawn(|| send(&client, &text));
        receive(&server, &text);
    });
}

#[test]
fn a_cut_ends_both_sides_and_new_connections_live() {
    let rig = Rig::new();
    let ends = [rig.connect(), rig.connect()];
    rig.proxy.cut();
    for (client, server) in &ends {
        assert!(is_closed(client));
        assert!(is_closed(server));
    }
    let (client, server) = rig.connect();
    send(&client, "again");
    receive(&server, "again");
}

#[test]
fn refused_connections_end_at_once_and_others_go_on() {
    let rig = Rig::new();
    let (client, server) = rig.connect();
    rig.proxy.refuse();
    assert!(is_closed(&connect(rig.proxy.addr())));
    send(&client, "still here");
    receive(&server, "still here");
    rig.proxy.accept();
    let (client, server) = rig.connect();
    send(&client, "welcome");
    receive(&server, "welcome");
}

#[test]
fn a_stall_holds_bytes_and_ends_back_until_they_flow() {
    let rig = Rig::new();
    let (client, server) = rig.connect();
    rig.proxy.stall();
    send(&client, "question");
    send(&server, "notice");
    hears_nothing(&server);
    hears_nothing(&client);
    let (late, late_server) = rig.connect();
    send(&late, "late");
    drop(late);
    hears_nothing(&late_server);
    rig.proxy.flow();
    receive(&server, "question");
    receive(&client, "notice");
    receive(&late_server, "late");
    assert!(is_closed(&late_server));
}

#[test]
fn a_muted_server_hears_and_is_not_heard_until_bytes_flow() {
    let rig = Rig::new();
    let (client, server) = rig.connect();
    rig.proxy.mute();
    send(&client, "question");
    receive(&server, "question");
    send(&server, "answer");
    hears_nothing(&client);
    let (late, late_server) = rig.connect();
    drop(late_server);
    hears_nothing(&late);
    rig.proxy.flow();
    receive(&client, "answer");
    assert!(is_closed(&late));
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the delay of a real connection is measured in real time"
)]
fn a_slow_reply_comes_after_its_delay_and_a_cut_does_not_wait_for_it() {
    let rig = Rig::new();
    let (client, server) = rig.connect();
    rig.proxy.slow(3 * SILENCE);
    send(&client, "question");
    receive(&server, "question");
    let sent = Instant::now();
    send(&server, "answer");
    receive(&client, "answer");
    assert!(sent.elapsed() >= 3 * SILENCE, "{:?}", sent.elapsed());

    rig.proxy.slow(10 * LONG);
    send(&server, "never");
    hears_nothing(&client);
    rig.proxy.cut();
    assert!(is_closed(&client));
}

#[test]
fn replies_arrive_byte_by_byte_and_whole() {
    let rig = Rig::new();
    let (mut client, server) = rig.connect();
    rig.proxy.crumble();
    let text = "0123456789abcdef".repeat(16);
    // A reader that is held up finds all the bytes at once.
    wait_for("a text that comes in parts", LONG, || {
        send(&server, &text);
        let (mut bytes, mut parts) = (Vec::new(), 0);
        while bytes.len() < text.len() {
            let mut buffer = [0; 1024];
            let count = client.read(&mut buffer).unwrap();
            bytes.extend_from_slice(&buffer[..count]);
            parts += 1;
        }
        assert_eq!(bytes, text.as_bytes());
        (parts > 1).then_some(())
    });
}

#[test]
fn a_stalled_connection_can_be_cut() {
    let rig = Rig::new();
    let (client, server) = rig.connect();
    rig.proxy.stall();
    send(&client, "lost");
    hears_nothing(&server);
    rig.proxy.cut();
    assert!(is_closed(&client));
    assert!(is_closed(&server));
}

#[test]
fn requests_arrive_and_replies_are_lost() {
    let rig = Rig::new();
    let (client, server) = rig.connect();
    rig.proxy.drop_replies();
    send(&client, "commit");
    receive(&server, "commit");
    hears_nothing(&client);
    assert_eq!(rig.proxy.replies_dropped(), 0);
    send(&server, "done");
    assert!(is_closed(&client));
    assert!(is_closed(&server));
    assert_eq!(rig.proxy.replies_dropped(), 1);
    rig.proxy.flow();
    let (client, server) = rig.connect();
    send(&server, "hello");
    receive(&client, "hello");
}

#[test]
fn one_reply_is_lost_wherever_its_request_is_cut_into_packets() {
    let rig = Rig::new();
    let (client, server) = rig.connect();
    let (other, other_server) = rig.connect();
    rig.proxy.drop_reply_to(b"COMMIT");
    send(&client, "INSERT; COM");
    receive(&server, "INSERT; COM");
    send(&server, "inserted");
    receive(&client, "inserted");
    send(&client, "MIT");
    receive(&server, "MIT");
    send(&server, "committed");
    assert!(is_closed(&client));
    assert_eq!(rig.proxy.replies_dropped(), 1);
    send(&other, "COMMIT");
    receive(&other_server, "COMMIT");
    send(&other_server, "committed");
    receive(&other, "committed");
}

#[test]
fn a_missing_server_ends_the_connection() {
    let proxy = Proxy::to(free_address());
    assert!(is_closed(&connect(proxy.addr())));
}

#[test]
fn connections_have_a_maximum() {
    let rig = Rig::new();
    let ends: Vec<_> = (0..CONNECTIONS_MAX).map(|_| rig.connect()).collect();
    assert!(is_closed(&connect(rig.proxy.addr())));
    assert_eq!(rig.proxy.connections(), ends.len());
}

#[test]
fn nothing_is_left_of_a_dropped_proxy() {
    let rig = Rig::new();
    let (client, server) = rig.connect();
    rig.proxy.stall();
    send(&client, "lost");
    let addr = rig.proxy.addr();
    drop(rig.proxy);
    assert!(is_closed(&client));
    assert!(is_closed(&server));
    // A program that is being started by another test has our sockets for a moment.
    wait_for("nothing listens there", LONG, || {
        let refused = TcpStream::connect(addr).err()?;
        (refused.kind() == ErrorKind::ConnectionRefused).then_some(())
    });
}
