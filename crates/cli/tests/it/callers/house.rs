//! A server, a network that fails on command, and clients on both of its protocols.

use std::{net::SocketAddr, time::Duration};

use tollgate_client::{Builder, Check, Client, Source};
use tollgate_core::ManualClock;
use tollgate_testkit::proxy::Proxy;

use crate::common::{Desk, server::Server};

/// Long enough for a machine that is busy: what is shown is what comes of it, not how fast.
pub(crate) const PATIENT: Duration = Duration::from_secs(60);
/// Short enough for a test that waits for it to pass many times.
pub(crate) const HASTY: Duration = Duration::from_millis(100);

/// Buckets of a day: how long a test takes makes no difference.
pub(crate) const RULES: &str = "version: 1\nrules:\n  \
    - { name: search, match: { endpoint: /search }, key: [user], limit: { per: 10/day, burst: 10 } }\n  \
    - { name: all, match: { endpoint: /search }, key: [org], limit: { per: 100/day, burst: 100 } }\n  \
    - { name: named, match: { endpoint: /named }, key: [user], limit: { per: 1000/day, burst: 1000 } }\n  \
    - { name: stop, match: { user: mallory }, action: block }\n";

pub(crate) struct House {
    pub(crate) server: Server,
    _desk: Desk,
}

impl House {
    pub(crate) fn new() -> Self {
        let desk = Desk::new();
        desk.write("rules.yaml", RULES);
        let server = desk.serve(&["--rules", "rules.yaml"]);
        Self { server, _desk: desk }
    }

    /// The addresses for a client, by protocol.
    pub(crate) fn urls(&self) -> [String; 2] {
        [http(self.server.http), format!("redis://{}", self.server.resp)]
    }

    /// A network on each of the protocols' ways, and the address behind it.
    pub(crate) fn proxied(&self) -> [(Proxy, String); 2] {
        let (http, resp) = (Proxy::to(self.server.http), Proxy::to(self.server.resp));
        let urls = [format!("http://{}", http.addr()), format!("redis://{}", resp.addr())];
        let [over_http, over_resp] = urls;
        [(http, over_http), (resp, over_resp)]
    }
}

pub(crate) fn http(addr: SocketAddr) -> String {
    format!("http://{addr}")
}

pub(crate) fn search(user: &str) -> Check<'_> {
    Check::new().user(user).org("acme").endpoint("/search")
}

/// A client with a clock that is moved by hand: only its deadlines are real.
pub(crate) fn client(url: &str, with: impl FnOnce(Builder) -> Builder) -> (Client, ManualClock) {
    let clock = ManualClock::start();
    let builder = Client::builder(url).clock(clock.clone());
    (with(builder).build().unwrap(), clock)
}

/// How many of so many are allowed, all answered by whom it is said.
pub(crate) async fn allowed(client: &Client, check: &Check<'_>, times: u32, by: Source) -> u32 {
    let mut allowed = 0;
    for _ in 0..times {
        let answer = client.check(check).await.unwrap();
        if answer.source() != Source::CachedDenial {
            assert_eq!(answer.source(), by, "{answer:?}");
        }
        allowed += u32::from(answer.is_allowed());
    }
    allowed
}
