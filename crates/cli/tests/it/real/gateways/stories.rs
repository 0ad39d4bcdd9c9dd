//! What every gateway with a snippet does for its clients.

use rustix::process::Signal;
use tollgate_testkit::{BACKEND_SAYS, Rng, wait_for};

use super::house::{BUDGET, House};
use crate::common::{http::Reply, server::LONG};

/// A client within its budget gets what the site says; beyond it all that it needs to come back later.
pub(crate) fn limits(house: &House) {
    house.spend("/a");
    let reply = house.get("/a").with(429);
    denied(&reply);
    assert_eq!(house.seen("/a"), 3, "the site is spared");
    // Whatever it is spelled like.
    for path in ["/a/", "/./a", "/%61", "/a;x", "/b/../a", "/a?b=%2F%5c\\"] {
        assert_eq!(house.get(path).status, 429, "{path}");
    }
    house.get("/b").with(200);
}

/// The answer to one who has no budget left.
#[track_caller]
fn denied(reply: &Reply) {
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(reply.header("x-ratelimit-limit"), Some("3"));
    assert_eq!(reply.header("x-ratelimit-remaining"), Some("0"));
    assert!(reply.header("x-ratelimit-reset").is_some(), "{reply:?}");
    let json = reply.json();
    assert_eq!(json["allowed"], false);
    assert_eq!(json["rule"], "each");
    assert_eq!(json["limits"][0]["window_s"], 3600);
    let wait = reply.header("retry-after").unwrap();
    assert_eq!(json["retry_after"].to_string(), wait);
    let id = reply.header("tollgate-decision-id").unwrap();
    assert_eq!(json["decision_id"], id);
    assert_eq!(reply.header("tollgate-reason"), Some("throttled"));
}

/// A block is 403, a path without a normal form 400; the site sees neither.
pub(crate) fn refusals(house: &House) {
    let reply = house.get("/secret").with(403);
    assert_eq!(reply.json()["message"], "nothing here");
    assert_eq!(reply.json()["rule"], "secret");
    assert_eq!(reply.header("retry-after"), None);
    assert_eq!(house.seen("/secret"), 0);
    let before = house.backend.requests().len();
    for path in NOWHERE.into_iter().chain(SLASHES) {
        assert_eq!(house.get(path).status, 400, "{path}");
    }
    let seen = house.backend.requests().split_off(before);
    assert!(seen.is_empty(), "{seen:?}");
}

/// What has no normal form, so that nobody knows which rule is about it.
const NOWHERE: [&str; 15] = [
    "/%00",
    "/..",
    "/a/../../b",
    // To some servers they lead elsewhere, to others they are names.
    "/secret/..;/b",
    "/secret/%2e%2E;x=1/b",
    "/secret/.;/b",
    "/secret/;/../b",
    // To some servers the first segment is the name of a host.
    "//a",
    "//x/secret",
    "///x/secret?c",
    // To some servers the climb removes the empty segment, to others the name before it.
    "/secret//..",
    "/secret//../b",
    "/secret//%2E%2e/b?c",
    "/secret//./../b",
    "/secret//b/../../c",
];

/// What has no normal form either, as far as the gateways themselves refuse it.
const TWO_READINGS: [&str; 6] =
    ["//x/secret", "//", "/secret//..", "/secret//../b", "/b//%2E./secret?c", "/b/c//.%2e?d"];

/// What is no slash to Tollgate, and may be one to the site.
pub(crate) const SLASHES: [&str; 6] = [
    "/secret%2Fb",
    "/secret%2fb?c",
    "/b%2F..%2Fsecret",
    "/b/..%5csecret",
    "/b%5C%2E%2E%5Csecret",
    "/b\\secret",
];

/// The body of a request is the site's, whether it is long or compressed.
pub(crate) fn bodies(house: &House) {
    let body = "x".repeat(100_000);
    let headers = [("Content-Encoding", "gzip"), ("Content-Type", "text/plain")];
    let reply = house.visit().ask("POST", "/upload", &headers, &body).with(200);
    assert_eq!(reply.body, BACKEND_SAYS);
    let requests = house.backend.requests();
    let head = requests.iter().find(|head| head.contains("/upload")).unwrap();
    assert!(head.starts_with("POST "), "{head}");
    assert!(head.to_ascii_lowercase().contains("content-length: 100000"), "{head}");
}

/// 1,000 addresses that a client makes up are one budget.
pub(crate) fn forgeries(house: &House) {
    let mut rng = Rng::new(0x1f0e);
    let mut client = house.visit();
    let mut passed = 0;
    for _ in 0..1_000 {
        let byte = |rng: &mut Rng| rng.index(256);
        let forged =
            format!("{}.{}.{}.{}", byte(&mut rng), byte(&mut rng), byte(&mut rng), byte(&mut rng));
        let forwarded = format!("for={forged}");
        let headers = [
            ("X-Forwarded-For", forged.as_str()),
            ("X-Real-IP", &forged),
            ("Forwarded", &forwarded),
            ("X-Original-URI", "/elsewhere"),
            ("X-Forwarded-Uri", "/elsewhere"),
            ("X-Original-Method", "HEAD"),
        ];
        let reply = client.ask("GET", "/forged", &headers, "");
        passed += u32::from(reply.status == 200);
        assert!(matches!(reply.status, 200 | 429), "{reply:?}");
    }
    assert_eq!(passed, BUDGET);
}

/// While Tollgate is dead or hung the site goes on; once it is back, so are the limits.
pub(crate) fn outages(house: &mut House) {
    limited(house, "/hung");
    house.server().pause();
    goes_on(house, "/hung");
    house.server().signal(Signal::CONT);
    // What it was asked in the meantime it may answer now, to nobody, and count: so this asks for another path.
    limited(house, "/awake");

    house.kill();
    goes_on(house, "/dead");
    // What the gateway refuses by itself it refuses then, too.
    for path in TWO_READINGS.into_iter().chain(SLASHES) {
        assert_eq!(house.get(path).status, 400, "{path}");
    }
    house.start();
    limited(house, "/dead");
}

/// Nobody answers for Tollgate, so that every request reaches the site: also the ones beyond the budget.
#[track_caller]
fn goes_on(house: &House, path: &str) {
    let before = house.seen(path);
    for _ in 0..=BUDGET {
        passes(house, &house.get(path));
    }
    passes(house, &house.visit().ask("POST", path, &[], "body"));
    let asked = usize::try_from(BUDGET).unwrap() + 2;
    assert_eq!(house.seen(path), before + asked);
}

#[track_caller]
fn passes(house: &House, reply: &Reply) {
    assert_eq!(reply.status, 200, "{reply:?}: {}", house.gateway.log());
    assert_eq!(reply.body, BACKEND_SAYS);
    assert_eq!(reply.header("x-ratelimit-limit"), None);
    assert_eq!(reply.header("tollgate-decision-id"), None);
}

/// Waits until a path has no budget left. A gateway in a hurry may let one pass that it got no answer to in time.
fn limited(house: &House, path: &str) {
    wait_for("limits", LONG, || (house.get(path).status == 429).then_some(()));
}
