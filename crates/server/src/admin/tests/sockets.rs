//! Over a real socket.

use std::time::Duration;

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::timeout,
};

use super::house::{House, SOON};
use crate::{
    admin::serve::serve_connection,
    config::Timers,
    listen::Stream,
    stop::{Stop, Stopper},
};

/// Timers that no client runs into, also on a machine that stalls.
fn patient() -> Timers {
    Timers { request: SOON, write: SOON, ..Timers::default() }
}

struct Line {
    client: TcpStream,
    stopper: Stopper,
    served: JoinSet<()>,
}

impl Line {
    async fn to(house: &House, timers: Timers) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        let (stopper, stop) = Stop::channel();
        let router = house.router.clone();
        let mut served = JoinSet::new();
        served.spawn(
            async move { serve_connection(Stream::from(stream), router, &timers, stop).await },
        );
        Self { client, stopper, served }
    }

    async fn send(&mut self, text: &str) {
        self.client.write_all(text.as_bytes()).await.unwrap();
    }

    /// Reads until the text has come.
    async fn until(&mut self, end: &str) -> String {
        let mut text = String::new();
        while !text.contains(end) {
            let mut piece = [0; 4096];
            let read = timeout(SOON, self.client.read(&mut piece)).await.unwrap().unwrap();
            assert!(read > 0, "closed after {text:?}");
            text += &String::from_utf8_lossy(&piece[..read]);
        }
        text
    }

    /// Waits until the server has closed.
    async fn closed(mut self) -> String {
        let mut rest = Vec::new();
        // A reset says as much as an end.
        drop(timeout(SOON, self.client.read_to_end(&mut rest)).await.unwrap());
        timeout(SOON, self.served.join_next()).await.unwrap();
        String::from_utf8(rest).unwrap()
    }
}

const ASK: &str = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

#[tokio::test]
async fn a_connection_is_kept_until_the_word_to_stop() {
    let house = House::sqlite().await;
    let mut line = Line::to(&house, patient()).await;
    for _ in 0..3 {
        line.send(ASK).await;
        let told = line.until("{\"status\":\"ok\"}").await;
        assert!(told.starts_with("HTTP/1.1 200 OK\r\n"), "{told}");
    }
    line.stopper.stop();
    assert_eq!(line.closed().await, "");
}

#[tokio::test]
async fn whoever_dribbles_is_given_up() {
    let house = House::sqlite().await;
    let timers = Timers { request: Duration::from_millis(100), ..Timers::default() };
    let mut line = Line::to(&house, timers).await;
    line.send("GET /healthz HTTP/1.1\r\nHost: loc").await;
    line.closed().await;
}

#[tokio::test]
async fn a_head_is_bounded() {
    let house = House::sqlite().await;
    let long =
        format!("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", "x".repeat(400_000));
    let many =
        format!("GET /healthz HTTP/1.1\r\nHost: localhost\r\n{}\r\n", "X: y\r\n".repeat(200));
    for head in [long, many] {
        let mut line = Line::to(&house, patient()).await;
        drop(line.client.write_all(head.as_bytes()).await);
        let told = line.closed().await;
        assert!(told.starts_with("HTTP/1.1 431") || told.is_empty(), "{told}");
    }
}
