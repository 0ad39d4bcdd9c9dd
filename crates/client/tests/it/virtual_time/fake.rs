//! Servers that do as they are told.

use std::{
    io,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream},
    time::{Instant, sleep},
};
use tollgate_client::{Builder, Client, Connecting, Stream};
use tollgate_core::{Clock, Now, Timestamp};
use tollgate_wire::http1::{Decoded, Decoder, Limits, Reply, Request};

/// The time that the runtime shows, paused or not.
#[derive(Debug)]
pub(crate) struct TokioClock(Instant);

impl TokioClock {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }
}

impl Clock for TokioClock {
    fn now(&self) -> Now {
        let passed = self.0.elapsed();
        Now::at(Timestamp::from_secs(1_800_000_000).saturating_add(passed.into()))
    }
}

/// What a server does with its callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behaviour {
    Allow,
    Deny,
    /// One of so many requests is answered with 500, evenly.
    FailOneIn(u64),
    Refuse,
    /// The name has no address.
    NoName,
    /// The connection is never made.
    NeverConnect,
    /// Requests are read and not answered.
    BlackHole,
    /// Half of an answer, then the end.
    ResetMidAnswer,
    Garbage,
    Status(u16),
    /// The answer comes byte by byte, each so much later.
    Crumble(Duration),
    /// The answer comes so much later.
    Slow(Duration),
    /// The connection is made so much later.
    SlowConnect(Duration),
    /// Half of an answer, then the end, and nobody is let in any more.
    ResetAndRefuse,
    /// One of so many requests is answered with a page of somebody else.
    OddOneIn(u64),
}

/// A server.
#[derive(Debug)]
pub(crate) struct Fake {
    behaviour: Mutex<Behaviour>,
    pub(crate) requests: AtomicU64,
    pub(crate) bodies: Mutex<Vec<String>>,
}

impl Fake {
    pub(crate) fn new(behaviour: Behaviour) -> Arc<Self> {
        Arc::new(Self {
            behaviour: Mutex::new(behaviour),
            requests: AtomicU64::new(0),
            bodies: Mutex::default(),
        })
    }

    pub(crate) fn behave(&self, behaviour: Behaviour) {
        *self.behaviour.lock().unwrap() = behaviour;
    }

    fn behaviour(&self) -> Behaviour {
        *self.behaviour.lock().unwrap()
    }

    pub(crate) fn requests(&self) -> u64 {
        self.requests.load(Relaxed)
    }

    fn keep(&self, body: String) {
        let mut bodies = self.bodies.lock().unwrap();
        if bodies.len() < 1_000 {
            bodies.push(body);
        }
    }

    pub(crate) fn connect(self: &Arc<Self>) -> Connecting {
        let fake = Arc::clone(self);
        Box::pin(async move {
            match fake.behaviour() {
                Behaviour::Refuse => Err(io::ErrorKind::ConnectionRefused.into()),
                Behaviour::NoName => Err(io::Error::other("failed to lookup address")),
                Behaviour::NeverConnect => std::future::pending().await,
                behaviour => {
                    if let Behaviour::SlowConnect(delay) = behaviour {
                        sleep(delay).await;
                    }
                    let (ours, theirs) = tokio::io::duplex(64 * 1024);
                    #[expect(clippy::disallowed_methods, reason = "it ends with its connection")]
                    drop(tokio::spawn(serve(fake, theirs)));
                    Ok(Box::new(ours) as Box<dyn Stream>)
                }
            }
        })
    }
}

async fn serve(fake: Arc<Fake>, mut stream: DuplexStream) -> io::Result<()> {
    let mut decoder = Decoder::new(Limits::default());
    let mut waiting = Vec::new();
    loop {
        if stream.read_buf(&mut waiting).await? == 0 {
            return Ok(());
        }
        loop {
            let seen = |request: &Request<'_>| (request.path.to_owned(), request.body.to_vec());
            let (taken, request) = match decoder.decode(&waiting) {
                Ok(Decoded::Whole { request, taken }) => (taken, Some(seen(&request))),
                Ok(Decoded::Gathered { taken }) => (taken, decoder.gathered().as_ref().map(seen)),
                Ok(Decoded::Partial { taken }) => (taken, None),
                other => panic!("a client wrote {other:?}"),
            };
            if request.is_some() {
                decoder.release();
            }
            waiting.drain(..taken);
            let Some((path, body)) = request else {
                break;
            };
            let number = fake.requests.fetch_add(1, Relaxed) + 1;
            let body = String::from_utf8(body).unwrap();
            let questions = body.matches("{\"").count();
            fake.keep(body);
            let questions = path.ends_with("batch").then(|| questions.saturating_sub(1));
            let behaviour = fake.behaviour();
            if behaviour == Behaviour::ResetAndRefuse {
                fake.behave(Behaviour::Refuse);
            }
            answer(behaviour, number, questions, &mut stream).await?;
        }
    }
}

const ALLOWED: &str = r#"{"allowed":true,"limit":5,"remaining":4,"reset":1800000060,"rule":"login","revision":1,"decision_id":"a","limits":[{"rule":"login","limit":5,"window_s":60,"remaining":4,"reset":1800000060,"per":"5/min","algorithm":"fixed_window","key":["user"]}]}"#;
const DENIED: &str = r#"{"allowed":false,"limit":5,"remaining":0,"reset":1800000060,"retry_after":60,"retry_after_ms":60000,"rule":"login","revision":1,"decision_id":"a","limits":[{"rule":"login","limit":5,"window_s":60,"remaining":0,"reset":1800000060,"per":"5/min","algorithm":"fixed_window","key":["user"]}]}"#;

/// What a server finds fault with, in its own words.
const fn problem(status: u16) -> &'static str {
    match status {
        400 => r#"{"type":"about:blank","title":"Bad Request","status":400,"detail":"no"}"#,
        401 => {
            r#"{"type":"about:blank","title":"Unauthorized","status":401,"detail":"no","reason":"expired"}"#
        }
        _ => {
            r#"{"type":"about:blank","title":"Forbidden","status":403,"detail":"no","reason":"not-trusted"}"#
        }
    }
}

async fn answer(
    behaviour: Behaviour,
    number: u64,
    questions: Option<usize>,
    stream: &mut DuplexStream,
) -> io::Result<()> {
    let fails = match behaviour {
        Behaviour::FailOneIn(many) => number.is_multiple_of(many),
        _ => false,
    };
    let (status, one) = match behaviour {
        Behaviour::Deny => (429, DENIED),
        Behaviour::Status(status @ (400 | 401 | 403)) => (status, problem(status)),
        Behaviour::Status(status) => (status, "{}"),
        Behaviour::OddOneIn(many) if number.is_multiple_of(many) => (200, "<html>"),
        _ if fails => (500, "{}"),
        _ => (200, ALLOWED),
    };
    let (status, body) = match questions {
        Some(count) if status != 500 => {
            let all = vec![one; count].join(",");
            (200, format!("{{\"results\":[{all}]}}"))
        }
        _ => (status, one.to_owned()),
    };
    let mut bytes = Vec::new();
    Reply::begin(&mut bytes, status).number("Tollgate-Callers", 2).body(body.as_bytes());
    match behaviour {
        Behaviour::BlackHole => Ok(()),
        Behaviour::ResetMidAnswer | Behaviour::ResetAndRefuse => {
            stream.write_all(&bytes[..bytes.len() / 2]).await?;
            Err(io::ErrorKind::ConnectionReset.into())
        }
        Behaviour::Garbage => stream.write_all(b"\x00\x01 what is this?\r\n\r\n").await,
        Behaviour::Crumble(delay) => {
            for byte in bytes {
                stream.write_all(&[byte]).await?;
                sleep(delay).await;
            }
            Ok(())
        }
        Behaviour::Slow(delay) => {
            sleep(delay).await;
            stream.write_all(&bytes).await
        }
        _ => stream.write_all(&bytes).await,
    }
}

/// A client of one server, with a clock on the runtime's time.
pub(crate) fn client(fake: &Arc<Fake>, with: impl FnOnce(Builder) -> Builder) -> Client {
    clients(&[fake], with)
}

/// A client of several servers.
pub(crate) fn clients(fakes: &[&Arc<Fake>], with: impl FnOnce(Builder) -> Builder) -> Client {
    let names: Vec<String> = (0..fakes.len()).map(|place| format!("http://s{place}")).collect();
    let fakes: Vec<Arc<Fake>> = fakes.iter().map(|fake| Arc::clone(fake)).collect();
    let builder =
        Client::builder(&names.join(",")).clock(TokioClock::start()).connect(move |host: &str| {
            let place: usize = host[1..].parse().unwrap();
            fakes[place].connect()
        });
    with(builder).build().unwrap()
}
