//! Random traces: the layer decides what the library decides when it is asked directly.
// Proves: L2

use std::{convert::Infallible, net::SocketAddr, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{Empty, Full};
use tollgate::{
    Cost, Gate, ManualClock, MemoryStore, RateLimiter,
    rules::{Live, Query, RuleSet},
};
use tollgate_testkit::Rng;
use tollgate_tower::{Decide, Key, PeerAddr, TollgateLayer, header, path_param, peer_ip};
use tower::{Layer as _, ServiceExt as _, service_fn};

const STEPS: usize = 4_000;

/// What is asked of both.
#[derive(Clone, Debug)]
struct Step {
    pause: Duration,
    user: Option<&'static str>,
    item: &'static str,
    address: &'static str,
    method: &'static str,
    cost: u64,
}

fn steps(seed: u64) -> impl Iterator<Item = Step> {
    let mut rng = Rng::new(seed);
    (0..STEPS).map(move |_| Step {
        pause: Duration::from_millis(rng.below(40)),
        user: rng.pick(&[None, Some("ann"), Some("bob"), Some("eve")]),
        item: rng.pick(&["1", "2", "3"]),
        address: rng.pick(&["192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2"]),
        method: rng.pick(&["GET", "POST"]),
        cost: rng.pick(&[0, 1, 1, 2, 7]),
    })
}

impl Step {
    fn request(&self) -> Request<Empty<Bytes>> {
        let peer = SocketAddr::new(self.address.parse().unwrap(), 4_000);
        let mut request = Request::builder()
            .method(self.method)
            .uri(format!("/items/{}/parts", self.item))
            .header("x-cost", self.cost)
            .extension(PeerAddr(peer));
        if let Some(user) = self.user {
            request = request.header("x-user", user);
        }
        request.body(Empty::new()).unwrap()
    }
}

/// What a client sees of a decision.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    status: u16,
    limit: Option<u64>,
    remaining: Option<u64>,
    retry_after: Option<u64>,
}

async fn seen<D: Decide, K: Key>(layer: &TollgateLayer<D, K>, step: &Step) -> Seen {
    let service = service_fn(async |_: Request<Empty<Bytes>>| {
        Ok::<_, Infallible>(Response::new(Full::new(Bytes::new())))
    });
    let response = layer.layer(service).oneshot(step.request()).await.unwrap();
    let number = |name: &str| {
        let value = response.headers().get(name)?;
        Some(value.to_str().unwrap().parse().unwrap())
    };
    Seen {
        status: response.status().as_u16(),
        limit: number("x-ratelimit-limit"),
        remaining: number("x-ratelimit-remaining"),
        retry_after: number("retry-after"),
    }
}

fn cost<D: Decide, K: Key>(layer: TollgateLayer<D, K>) -> TollgateLayer<D, K> {
    layer.cost(|head| head.header("x-cost").unwrap().parse().unwrap())
}

#[tokio::test]
async fn a_limiter_decides_alike() {
    for (seed, limits) in [(1, "5/s"), (2, "3/s, 40/min"), (3, "20/min, 200/day")] {
        let clock = ManualClock::start();
        let limiter =
            || RateLimiter::builder().limits(limits.parse().unwrap()).clock(clock.clone());
        let direct = limiter().build();
        let layer = TollgateLayer::embedded(Arc::new(limiter().build())).unwrap();
        let layer = cost(layer.key((header("x-user"), peer_ip())));
        let mut denied = 0;
        for step in steps(seed) {
            clock.advance(step.pause);
            // A key that tells the same apart, otherwise written.
            let network = if step.address.contains(':') { "2001:db8::" } else { step.address };
            let key = format!("{:?} {network}", step.user);
            let decision = direct.check(&key, Cost::new(step.cost));
            let wait = decision.retry_after().filter(|_| !decision.is_allowed());
            let wanted = Seen {
                status: if decision.is_allowed() { 200 } else { 429 },
                limit: Some(decision.limit()),
                remaining: Some(decision.remaining()),
                retry_after: wait.map(|wait| {
                    u64::try_from(wait.as_micros().div_ceil(1_000_000)).unwrap().max(1)
                }),
            };
            denied += usize::from(!decision.is_allowed());
            assert_eq!(seen(&layer, &step).await, wanted, "{step:?}");
        }
        assert!((STEPS / 20..STEPS).contains(&denied), "{limits}: {denied} of {STEPS} denied");
    }
}

const RULES: &str = "
version: 1
rules:
  - { name: eve, match: { user: eve, method: POST }, action: block }
  - { name: parts, match: { endpoint: '/items/{id}/parts' }, key: [attributes.id], limits: [9/s, 300/min] }
  - { name: writers, match: { method: POST }, key: ['user|ip'], limit: 4/s, response: { status: 503 } }
";

#[tokio::test]
async fn a_gate_decides_alike() {
    let rules: RuleSet = RULES.parse().unwrap();
    let clock = ManualClock::start();
    let gate = || {
        let live = Arc::new(Live::new());
        live.publish(&rules, 1);
        Gate::new(live, MemoryStore::new(clock.clone()), clock.clone())
    };
    let direct = gate();
    let layer = TollgateLayer::embedded(Arc::new(gate())).unwrap();
    let item = path_param("/items/{id}/**", "id").unwrap();
    let layer = cost(layer.key((header("x-user").as_user(), peer_ip(), item)));
    let mut statuses = std::collections::BTreeMap::<u16, usize>::new();
    for step in steps(4) {
        clock.advance(step.pause);
        let path = format!("/items/{}/parts", step.item);
        let query = Query::new().endpoint(&path).unwrap().method(step.method).unwrap();
        let query = query.user(step.user.unwrap_or_default()).unwrap();
        let query = query.ip(step.address).unwrap().attribute("id", step.item).unwrap();
        let ruling = direct.check(&query.cost(Cost::new(step.cost))).unwrap();
        let wanted = Seen {
            status: ruling.status(),
            limit: ruling.limit(),
            remaining: ruling.remaining(),
            retry_after: ruling.retry_after_s().filter(|_| !ruling.is_allowed()),
        };
        *statuses.entry(wanted.status).or_default() += 1;
        assert_eq!(seen(&layer, &step).await, wanted, "{step:?}");
    }
    assert_eq!(statuses.keys().copied().collect::<Vec<_>>(), [200, 403, 429, 503]);
}
