//! An embedded gate and a server decide alike, and are told alike.
// Proves: L2, U4, S5

use std::{collections::BTreeMap, net::SocketAddr, sync::Arc, time::Duration};

use serde_json::Value;
use tollgate::{Gate, ManualClock, rules::RuleSet};
use tollgate_testkit::Rng;
use tollgate_tower::{
    Decide, Fields, Key as _, PeerAddr, TollgateLayer, header, path_param, peer_ip,
};

use super::{Got, client, send};
use crate::common::{Desk, standstill};

/// Buckets of a day: while this runs nothing comes back.
const RULES: &str = "version: 1
rules:
  - { name: mallory, match: { api_key: mallory, method: POST }, action: block }
  - name: parts
    match: { endpoint: '/items/{id}/parts' }
    key: [attributes.id]
    limits: [{ per: 30/day, burst: 30 }, { per: 50/week, burst: 50 }]
  - name: writers
    match: { method: POST }
    key: ['api_key|ip']
    limit: { per: 25/day, burst: 25 }
    response: { message: come back tomorrow }
";

const STEPS: usize = 600;

/// What a client sees, but for times.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    status: u16,
    headers: Vec<Option<String>>,
    has_wait: bool,
    problem: Option<Vec<Value>>,
}

fn seen(got: &Got) -> Seen {
    let names = ["x-ratelimit-limit", "x-ratelimit-remaining", "ratelimit-policy", "content-type"];
    let text = |name: &str| got.headers.get(name).map(|value| value.to_str().unwrap().to_owned());
    let mut headers: Vec<_> = names.into_iter().map(text).collect();
    // Without the seconds until there is more.
    headers.push(text("ratelimit").map(|value| value.split(";t=").next().unwrap().to_owned()));
    let members = ["type", "title", "violated-policies", "limit", "remaining", "rule", "message"];
    let problem = (got.status != 200).then(|| {
        let problem: Value = serde_json::from_slice(&got.body).unwrap();
        let members = members.into_iter().map(|name| problem[name].clone());
        members.collect()
    });
    Seen { status: got.status, headers, has_wait: got.headers.contains_key("retry-after"), problem }
}

fn request(rng: &mut Rng) -> http::request::Builder {
    let address: &str =
        rng.pick(&["192.0.2.1:1", "192.0.2.2:1", "[2001:db8::1]:1", "[2001:db8::2]:1"]);
    let address: SocketAddr = address.parse().unwrap();
    let path = format!("/items/{}/parts", rng.pick(&["1", "2", "3", "%33", "4/nothing", "5"]));
    let request = http::Request::builder()
        .method(rng.pick(&["GET", "POST"]))
        .uri(path)
        .extension(PeerAddr(address))
        .header("x-cost", rng.pick(&["1", "2", "9"]));
    match rng.pick(&[None, Some("ann"), Some("bob"), Some("mallory")]) {
        Some(key) => request.header("x-api-key", key),
        None => request,
    }
}

fn set_up<D: Decide>(layer: TollgateLayer<D>) -> TollgateLayer<D, impl tollgate_tower::Key> {
    let item = path_param("/items/{id}/**", "id").unwrap();
    layer
        .key((header("x-api-key").as_api_key(), peer_ip(), item))
        .cost(|head| head.header("x-cost").unwrap().parse().unwrap())
        .fields(Fields::Both)
}

/// What has to be the same.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Same {
    /// Every word.
    Words,
    /// What is decided. A denial that is remembered has the numbers of when it was made.
    Decision,
}

async fn decide_alike(scheme: &str, same: Same) {
    let _still = standstill();
    let desk = Desk::new();
    desk.write("rules.yaml", RULES);
    let server = desk.serve(&["--rules", "rules.yaml"]);
    let address = match scheme {
        "http" => server.http,
        _ => server.resp,
    };
    // By this clock every denial that is remembered is forgotten before the next request.
    let clock = ManualClock::start();
    let client = client(scheme, address);
    let client = match same {
        Same::Words => client.clock(clock.clone()),
        Same::Decision => client,
    };
    let remote = set_up(TollgateLayer::remote(client.build().unwrap()).unwrap());
    let rules: RuleSet = RULES.parse().unwrap();
    let embedded = TollgateLayer::embedded(Arc::new(Gate::in_memory(&rules))).unwrap();
    let embedded = set_up(embedded);
    let mut statuses = BTreeMap::<u16, usize>::new();
    let (mut here, mut there) = (Rng::new(9), Rng::new(9));
    for step in 0..STEPS {
        clock.advance(Duration::from_secs(2));
        let wanted = seen(&send(&embedded, request(&mut here)).await);
        let found = seen(&send(&remote, request(&mut there)).await);
        *statuses.entry(found.status).or_default() += 1;
        match same {
            Same::Words => assert_eq!(found, wanted, "step {step}"),
            Same::Decision => assert_eq!(found.status, wanted.status, "step {step}"),
        }
    }
    let kinds: Vec<u16> = statuses.keys().copied().collect();
    assert_eq!(kinds, [200, 403, 429], "{statuses:?}");
    assert_eq!(remote.counts(), embedded.counts());
}

#[tokio::test(start_paused = true)]
async fn over_http() {
    decide_alike("http", Same::Words).await;
}

#[tokio::test(start_paused = true)]
async fn over_the_redis_protocol() {
    decide_alike("redis", Same::Words).await;
}

#[tokio::test(start_paused = true)]
async fn with_denials_that_are_remembered() {
    decide_alike("http", Same::Decision).await;
    decide_alike("redis", Same::Decision).await;
}
