//! A real Redis whose answers come late, on the virtual time of a test.
//!
//! Tokio's clock is paused: it goes on only while every task waits. Bytes go to the server and back while the test's
//! thread blocks, which takes no virtual time; then they wait for as long as the test says.
#![expect(
    clippy::disallowed_methods,
    reason = "tasks end with the test's runtime, and sockets deliver in real time"
)]

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream as BlockingStream},
    sync::Arc,
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    time::{Instant, sleep, sleep_until},
};
use tollgate_core::{Clock, Micros, Now, Timestamp};
use tollgate_memory::MemoryStore;
use tollgate_redis::{Leases, Options, RedisStore, Standing};
use tollgate_testkit::redis::Redis;

/// When the test begins, by the clock that the scripts believe: the middle of a month.
const START: Timestamp = Timestamp::from_secs(1_750_000_000);
/// Virtual time goes on by a millisecond at a time, and each lasts at least this long: what a socket delivers a little late
/// is delivered on time.
const REAL_PER_MILLISECOND: Duration = Duration::from_micros(50);
/// No request of these tests is answered by a policy because of the deadline.
const DEADLINE: Duration = Duration::from_secs(5);

/// Tokio's clock, as ours.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PausedClock(Instant);

impl Clock for PausedClock {
    fn now(&self) -> Now {
        let micros = self.0.elapsed().as_micros().try_into().unwrap();
        Now::at(START.saturating_add(Micros::new(micros)))
    }
}

pub(crate) type LateNode = Arc<RedisStore<MemoryStore<PausedClock>>>;

/// A node with leases over a server that takes `late` for each answer; once it is connected.
pub(crate) async fn lone_node(redis: &Redis, late: Duration) -> LateNode {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("redis://{}", listener.local_addr().unwrap());
    tokio::spawn(pace());
    let server = redis.url().rsplit('/').next().unwrap().parse().unwrap();
    tokio::spawn(forward(listener, server, late));
    let options = Options {
        deadline: DEADLINE,
        leases: Leases::On,
        prefix: format!("late{}", late.as_millis()),
        naming: |values, part| part("user", values),
        ..Options::new([url])
    };
    let clock = PausedClock(Instant::now());
    let local = MemoryStore::new(clock);
    let node = RedisStore::on_virtual_time(options, local, Arc::new(clock)).unwrap();
    loop {
        let shards = node.health().shards;
        if !shards.is_empty() && shards.iter().all(|shard| shard.standing == Standing::Up) {
            return Arc::new(node);
        }
        sleep(Duration::from_millis(1)).await;
    }
}

async fn pace() {
    loop {
        std::thread::sleep(REAL_PER_MILLISECOND);
        sleep(Duration::from_millis(1)).await;
    }
}

async fn forward(listener: TcpListener, server: SocketAddr, late: Duration) {
    while let Ok((client, _)) = listener.accept().await {
        tokio::spawn(serve(client, server, late));
    }
}

async fn serve(client: TcpStream, server: SocketAddr, late: Duration) {
    let mut server = BlockingStream::connect(server).unwrap();
    server.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let (mut from, mut to) = client.into_split();
    let (answered, mut answers) = mpsc::channel::<(Instant, Vec<u8>)>(1_024);
    tokio::spawn(async move {
        while let Some((due, bytes)) = answers.recv().await {
            sleep_until(due).await;
            if to.write_all(&bytes).await.is_err() {
                return;
            }
        }
    });
    let mut asked = Vec::new();
    while matches!(from.read_buf(&mut asked).await, Ok(1..)) {
        let mut done = 0;
        while let Some(size) = value_size(&asked[done..]) {
            let command = &asked[done..done + size];
            server.write_all(command).unwrap();
            let answer = read_answer(&mut server, command);
            if answered.send((Instant::now() + late, answer)).await.is_err() {
                return;
            }
            done += size;
        }
        asked.drain(..done);
    }
}

/// Redis answers a subscription by a push, which is no answer otherwise.
fn is_subscription(command: &[u8]) -> bool {
    String::from_utf8_lossy(command).to_uppercase().contains("SUBSCRIBE")
}

fn read_answer(server: &mut BlockingStream, command: &[u8]) -> Vec<u8> {
    let (mut read, mut start) = (Vec::new(), 0);
    loop {
        while let Some(size) = value_size(&read[start..]) {
            let is_answer = is_subscription(command) || read[start] != b'>';
            start += size;
            if is_answer {
                assert_eq!(start, read.len(), "an answer that nobody asked for");
                return read;
            }
        }
        let mut some = [0; 4_096];
        let size = server.read(&mut some).unwrap();
        assert!(size > 0, "the server is gone");
        read.extend_from_slice(&some[..size]);
    }
}

/// Bytes of the first value, if all of it is here.
fn value_size(bytes: &[u8]) -> Option<usize> {
    let end = bytes.windows(2).position(|pair| pair == b"\r\n")? + 2;
    let count = || std::str::from_utf8(&bytes[1..end - 2]).unwrap().parse::<i64>();
    let values = |count: i64| -> Option<usize> {
        (0..count).try_fold(end, |size, _| Some(size + value_size(&bytes[size..])?))
    };
    match bytes[0] {
        b'$' | b'=' | b'!' => {
            let size = usize::try_from(count().unwrap()).map_or(end, |size| end + size + 2);
            (size <= bytes.len()).then_some(size)
        }
        b'*' | b'~' | b'>' => values(count().unwrap()),
        b'%' => values(2 * count().unwrap()),
        _ => Some(end),
    }
}
