//! A server of lines.

use std::{
    net::{SocketAddr, TcpStream as Client},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::{runtime::Runtime, task::JoinHandle};
use tollgate_core::SystemClock;
use tollgate_memory::MemoryStore;
use tollgate_rules::Live;

use super::super::{
    Acceptor, Addresses, BoundSocket, Conversation, InputBudget, OUTPUT_BYTES_HIGH, Peer, Refusals,
    Serve, Session, Step, Stream, Terms, Then,
};
use crate::{
    TrustedCallers, TrustedProxies,
    engine::{Engine, Time},
    stop::{Stop, Stopper},
    telemetry::{Protocol, Recorder},
    tls::TlsListener,
};

/// Repeats every line; one that says `big` is answered with 64 KiB, `end` with the end.
struct Lines {
    is_ending: bool,
    output_most: Arc<AtomicUsize>,
}

impl Session for Lines {
    async fn advance(&mut self, input: &[u8], output: &mut Vec<u8>) -> Step {
        let mut step = Step { taken: 0, answered: 0, then: Then::Read };
        for line in input.split_inclusive(|byte| *byte == b'\n') {
            if !line.ends_with(b"\n") {
                break;
            }
            if output.len() >= OUTPUT_BYTES_HIGH {
                step.then = Then::Again;
                break;
            }
            step.taken += line.len();
            step.answered += 1;
            match line {
                b"big\n" => output.extend_from_slice(&[b'x'; 64 * 1024]),
                line => output.extend_from_slice(line),
            }
            if self.is_ending || line == b"end\n" {
                step.then = Then::Close;
                break;
            }
        }
        self.output_most.fetch_max(output.len(), Relaxed);
        step
    }

    fn is_idle(&self) -> bool {
        true
    }

    fn wind_down(&mut self) {
        self.is_ending = true;
    }

    fn input_bytes(&self) -> usize {
        0
    }

    fn release_input(&mut self) {}

    fn no_room(&mut self, output: &mut Vec<u8>) {
        output.extend_from_slice(b"no room\n");
    }

    fn too_slow(&mut self, output: &mut Vec<u8>) {
        output.extend_from_slice(b"slow\n");
    }
}

struct ServeLines {
    engine: Engine,
    terms: Terms,
    budget: Arc<InputBudget>,
    output_most: Arc<AtomicUsize>,
}

impl Serve for ServeLines {
    const PROTOCOL: Protocol = Protocol::Http;
    const FULL: &'static [u8] = b"full\n";

    async fn serve(&self, stream: Stream, peer: Peer, stop: Stop) {
        let session = Lines { is_ending: false, output_most: Arc::clone(&self.output_most) };
        let conversation = Conversation {
            stream,
            session,
            engine: &self.engine,
            terms: self.terms,
            budget: &self.budget,
            client: peer.address.ip(),
        };
        conversation.run(stop).await;
    }
}

/// A server of lines.
pub(super) struct Rig {
    pub(super) address: SocketAddr,
    pub(super) output_most: Arc<AtomicUsize>,
    pub(super) stopper: Stopper,
    accepting: JoinHandle<usize>,
    pub(super) runtime: Runtime,
}

pub(super) const LONG: Duration = Duration::from_secs(60);
pub(super) const SHORT: Duration = Duration::from_millis(100);

pub(super) fn terms() -> Terms {
    Terms {
        protocol: Protocol::Http,
        request: LONG,
        idle: LONG,
        write: LONG,
        stay: LONG,
        input_bytes_max: 1024,
    }
}

impl Rig {
    pub(super) fn start(terms: Terms, connections_max: usize) -> Self {
        Self::sealed(terms, connections_max, None)
    }

    /// The same over TLS, if there is something to make handshakes with.
    pub(super) fn sealed(
        terms: Terms,
        connections_max: usize,
        tls: Option<Arc<TlsListener>>,
    ) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let (stopper, stop) = Stop::channel();
        let time = Time::new(SystemClock);
        let recorder = Arc::new(Recorder::default());
        let store = MemoryStore::with_capacity(16, time.clone());
        let live = Arc::new(Live::new());
        let engine = Engine::new(live, store, time, Arc::clone(&recorder));
        let any = "127.0.0.1:0".parse().unwrap();
        let socket = BoundSocket::bind("http", any).unwrap();
        let address = socket.address();
        let listener = runtime.block_on(async { socket.listen() }).unwrap();
        let budget = InputBudget::new(Protocol::Http, 1 << 20, &recorder);
        let acceptor = Acceptor {
            herald: None,
            listener,
            tls,
            complaints: Arc::default(),
            connections_max,
            addresses: Arc::new(Addresses::new(
                connections_max,
                TrustedCallers::In(TrustedProxies::none()),
                TrustedProxies::none(),
            )),
            refusals: Arc::new(Refusals::new(Protocol::Http, &recorder)),
            drain: LONG,
            recorder,
        };
        let output_most = Arc::default();
        let serve = ServeLines { engine, terms, budget, output_most: Arc::clone(&output_most) };
        let accepting = runtime.spawn(acceptor.run(Arc::new(serve), stop));
        Self { address, output_most, stopper, accepting, runtime }
    }

    pub(super) fn client(&self) -> Client {
        let client = Client::connect(self.address).unwrap();
        client.set_read_timeout(Some(LONG)).unwrap();
        client.set_nodelay(true).unwrap();
        client
    }

    /// Stops it, and says how many connections were cut off.
    pub(super) fn stop(self) -> usize {
        self.stopper.stop();
        self.runtime.block_on(self.accepting).unwrap()
    }
}
