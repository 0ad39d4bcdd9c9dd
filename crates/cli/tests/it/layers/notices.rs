//! What the layer logs about its server, and tells handlers.

use std::{
    convert::Infallible,
    fmt,
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Empty;
use tollgate_tower::{Decide, Key, Outcome, PeerAddr, TollgateLayer, header, peer_ip};
use tower::{Layer as _, ServiceExt as _, service_fn};
use tracing::{
    Dispatch, Event, Metadata, Subscriber,
    dispatcher::{self, DefaultGuard},
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};

use super::{remote, send};
use crate::common::{Desk, standstill};

/// What the layer logs, a line for each.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    /// Hears what this thread logs, until both are dropped.
    fn listen(&self) -> (Dispatch, DefaultGuard) {
        let log = Dispatch::new(self.clone());
        // With one dispatcher in the process, another test's thread decides by its own, which is none, that a line is of
        // no interest to any. With two, all are asked.
        let other = Dispatch::new(Self::default());
        (other, dispatcher::set_default(&log))
    }

    /// The lines since they were last taken.
    fn taken(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// A line under way.
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0 += &format!(" {}={value:?}", field.name());
    }
}

impl Subscriber for Log {
    fn enabled(&self, about: &Metadata<'_>) -> bool {
        about.target().starts_with("tollgate_tower")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

const RULES: &str = "version: 1\nrules: [{ name: all, match: { endpoint: /in }, key: [\"user|ip\"], limit: 90/day }]\n";

/// Whether a handler is told that a limit counted the request.
async fn is_limited<D: Decide, K: Key>(
    layer: &TollgateLayer<D, K>,
    request: http::request::Builder,
) -> bool {
    let service = service_fn(async |request: Request<Empty<Bytes>>| {
        let outcome = request.extensions().get::<Outcome>().unwrap();
        Ok::<_, Infallible>(Response::new(outcome.is_limited().to_string()))
    });
    let request = request.body(Empty::new()).unwrap();
    let response = layer.layer(service).oneshot(request).await.unwrap();
    let body = http_body_util::BodyExt::collect(response.into_body());
    body.await.unwrap().to_bytes() == "true"
}

fn get(path: &str) -> http::request::Builder {
    let peer = PeerAddr("192.0.2.1:1".parse().unwrap());
    Request::get(path).header("x-user", "ann").extension(peer)
}

/// The reproduction of the report: `header("x-user")` is an attribute, and a rule with `key: ["user|ip"]` counts by none.
// Proves: L2
#[tokio::test(start_paused = true)]
async fn a_key_that_no_rule_counts_by_is_said_at_the_first_answer() {
    let log = Log::default();
    let _logs = log.listen();
    let _still = standstill();
    let desk = Desk::new();
    desk.write("rules.yaml", RULES);
    let server = desk.serve(&["--rules", "rules.yaml"]);
    for (scheme, address) in [("http", server.http), ("redis", server.resp)] {
        let natural = remote(scheme, address).key(header("x-user"));
        assert!(!is_limited(&natural, get("/in")).await);
        let lines = log.taken();
        let [line] = lines.as_slice() else {
            panic!("one line: {lines:?}");
        };
        assert!(line.contains("WARN") && line.contains("attributes.x-user"), "{line}");
        assert!(line.contains("as_user()"), "{line}");
        for _ in 0..3 {
            assert!(!is_limited(&natural.clone(), get("/in")).await);
        }

        let right = remote(scheme, address).key(header("x-user").as_user().or(peer_ip()));
        assert!(is_limited(&right, get("/in")).await);
        assert!(!is_limited(&right, get("/out")).await, "a path without rules");
        let by_address = remote(scheme, address);
        assert!(is_limited(&by_address, get("/in")).await);
        assert_eq!(log.taken(), [""; 0]);
    }
}

// Proves: L2, U4
#[tokio::test(start_paused = true)]
async fn a_server_that_is_lost_and_found_is_said_once_each() {
    let log = Log::default();
    let _logs = log.listen();
    let _still = standstill();
    let desk = Desk::new();
    desk.write("rules.yaml", RULES);
    let server = desk.serve(&["--rules", "rules.yaml"]);
    let address = server.http;
    let layer = remote("http", address);
    assert_eq!(send(&layer, get("/in")).await.status, 200);
    assert_eq!(log.taken(), [""; 0]);
    server.kill();
    for _ in 0..12 {
        assert_eq!(send(&layer, get("/in")).await.status, 200);
    }
    let lines = log.taken();
    let [line] = lines.as_slice() else {
        panic!("one line: {lines:?}");
    };
    assert!(line.contains("WARN") && line.contains("No Tollgate server answers"), "{line}");
    assert!(line.contains(&address.to_string()), "{line}");

    let server = desk.serve(&["--rules", "rules.yaml", "--http", &address.to_string()]);
    for _ in 0..3 {
        send(&layer, get("/in")).await;
    }
    let lines = log.taken();
    let [line] = lines.as_slice() else {
        panic!("one line: {lines:?}");
    };
    assert!(line.contains("INFO") && line.contains("answers again"), "{line}");
    server.kill();
}

#[test]
fn addresses_of_servers_are_taken_as_any_text() {
    let address = String::from("http://127.0.0.1:7070");
    assert!(TollgateLayer::remote(&address).is_ok());
    assert!(TollgateLayer::remote(address.clone().into_boxed_str()).is_ok());
    assert!(TollgateLayer::remote(std::borrow::Cow::from(&address)).is_ok());
    assert!(TollgateLayer::remote(Arc::<str>::from(&*address)).is_ok());
    assert!(TollgateLayer::remote(address).is_ok());
    assert!(TollgateLayer::remote("nowhere").is_err());
}
