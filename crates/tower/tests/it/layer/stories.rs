//! Costs, shadows, queues, stacks and preflights.

use std::{sync::Arc, time::Duration};

use http::Request;
use tollgate::{AlgorithmName, Gate, Limit, RateLimiter};
use tollgate_tower::{Fields, Missing, Preflights, TollgateLayer, header};
use tower::{Layer as _, service_fn};

use super::{Counter, get, got, limiter, send};

// Proves: L2
#[tokio::test]
async fn requests_weigh_what_is_said() {
    let (limiter, _clock) = limiter("10/day");
    let layer = TollgateLayer::embedded(limiter).unwrap();
    let layer = layer.cost(|head| if head.path() == "/export" { 8 } else { 1 });
    assert_eq!(send(&layer, get("/export?all")).await.header("x-ratelimit-remaining"), "2");
    assert_eq!(send(&layer, get("/export")).await.status, 429);
    assert_eq!(send(&layer, get("/search")).await.header("x-ratelimit-remaining"), "1");
}

// Proves: L2
#[tokio::test]
async fn in_the_shadow_everything_passes_and_is_labelled() {
    let (limiter, _clock) = limiter("1/day");
    let layer = TollgateLayer::embedded(limiter).unwrap().shadow();
    let first = send(&layer, get("/")).await;
    assert_eq!((first.status, first.has("tollgate-shadow")), (200, false));
    let second = send(&layer, get("/")).await;
    assert_eq!((second.status, second.header("tollgate-shadow")), (200, "denied"));
    assert_eq!(&second.body[..], b"Some((false, Some(0)))");
    assert!(!second.has("retry-after"));
    assert_eq!(layer.counts().shadowed, 1);
}

/// What would have been refused is told apart as well, though there is no outcome of it.
// Proves: L2
#[tokio::test]
async fn refusals_are_labelled_in_the_shadow() {
    let (limiter, _clock) = limiter("1/day");
    let keyless = TollgateLayer::embedded(limiter).unwrap().shadow();
    let keyless = keyless.key(header("x-api-key")).missing(Missing::Deny);
    let rules = "version: 1\nrules: [{ name: all, key: [api_key], limit: 1/day }]";
    let gate = Gate::in_memory(&rules.parse().unwrap());
    let malformed = TollgateLayer::embedded(Arc::new(gate)).unwrap().shadow();
    let forbidden = send(&keyless, get("/")).await;
    let bad = send(&malformed, get("/a/../../b")).await;
    for passed in [forbidden, bad] {
        assert_eq!((passed.status, passed.header("tollgate-shadow")), (200, "denied"));
        assert_eq!(&passed.body[..], b"None");
    }
    assert_eq!((keyless.counts().shadowed, malformed.counts().shadowed), (1, 1));
    let named = send(&keyless, get("/").header("x-api-key", "a")).await;
    assert!(!named.has("tollgate-shadow"));
}

/// The time is tokio's, which runs when everybody waits.
// Proves: D2, L2
#[tokio::test(start_paused = true)]
async fn a_leaky_bucket_holds_requests_back() {
    let limit = "2/s".parse::<Limit>().unwrap();
    let limit = limit.with_algorithm(AlgorithmName::LeakyBucket).unwrap();
    let limit = limit.with_burst(2).unwrap();
    let clock = tollgate::ManualClock::start();
    let limiter = RateLimiter::builder().limit(limit).clock(clock).build();
    let layer = TollgateLayer::embedded(Arc::new(limiter)).unwrap();
    let begin = tokio::time::Instant::now();
    let mut waited = Vec::new();
    for _ in 0..3 {
        let before = begin.elapsed();
        assert_eq!(send(&layer, get("/")).await.status, 200);
        waited.push((begin.elapsed() - before).as_millis());
    }
    // A timer of tokio rings at the next millisecond.
    assert_eq!(waited[0], 0);
    assert!((500..=502).contains(&waited[1]) && (1_000..=1_002).contains(&waited[2]), "{waited:?}");
    assert_eq!(send(&layer, get("/")).await.status, 429);
    // Nobody waits in the shadow.
    let shadow = layer.shadow();
    let before = begin.elapsed();
    assert_eq!(send(&shadow, get("/")).await.status, 200);
    assert!(begin.elapsed() - before < Duration::from_millis(1));
}

/// The local limit is first; the numbers are those of the one within, unless the outer denies.
// Proves: L2
#[tokio::test]
async fn layers_stack_and_say_nothing_twice() {
    let (outer, _clock) = limiter("2/day");
    let (inner, _clock) = limiter("5/day");
    let outer = TollgateLayer::embedded(outer).unwrap().fields(Fields::Both);
    let inner = TollgateLayer::embedded(inner).unwrap().key(header("x-api-key"));
    let reached = Counter::default();
    let service = service_fn({
        let reached = reached.clone();
        move |_: Request<_>| {
            reached.add();
            async { Ok::<_, std::convert::Infallible>(http::Response::new(String::new())) }
        }
    });
    let stack = outer.layer(inner.layer(service));
    for left in ["4", "3"] {
        let passed = got(stack.clone(), get("/").header("x-api-key", "a")).await;
        assert_eq!(passed.status, 200);
        let shown: Vec<_> = passed.headers.get_all("x-ratelimit-remaining").iter().collect();
        assert_eq!(shown, [left]);
        assert!(!passed.has("ratelimit"), "that would be the outer's: {passed:?}");
    }
    let denied = got(stack.clone(), get("/").header("x-api-key", "a")).await;
    assert_eq!((denied.status, denied.header("x-ratelimit-limit")), (429, "2"));
    assert_eq!(reached.get(), 2);
}

// Proves: S5
#[tokio::test]
async fn preflights_are_free_unless_said() {
    let (limiter, _clock) = limiter("1/day");
    let layer = TollgateLayer::embedded(limiter).unwrap();
    let options = || Request::options("/");
    let preflight = || options().header("access-control-request-method", "PUT");
    for _ in 0..3 {
        assert_eq!(send(&layer, preflight()).await.status, 200);
    }
    assert_eq!(send(&layer, options()).await.status, 200);
    assert_eq!(send(&layer, options()).await.status, 429);
    let charging = layer.preflights(Preflights::Charged);
    assert_eq!(send(&charging, preflight()).await.status, 429);
}
