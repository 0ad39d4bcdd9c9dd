//! A lone node is never denied units that only it holds, however late Redis answers.
// Proves: C3, D5

use std::{cell::RefCell, rc::Rc, time::Duration};

use tokio::{
    task::LocalSet,
    time::{Instant, sleep},
};
use tollgate_core::{
    Charge, Consistency, Cost, CounterKey, Limit, OnFailure, Policy, RuleId, Store as _, Verdict,
};
use tollgate_testkit::{Rng, limit, redis::Redis};

use super::late_redis::{LateNode, lone_node};

const LIMITS: [&str; 3] = ["100/month fixed_window", "100/month", "100/month burst 100"];

async fn ask(node: &LateNode, user: &str, limit: &Limit, cost: u64) -> Verdict {
    let key = CounterKey::new(RuleId::new(7), user.as_bytes());
    let charge = Charge::new(key, limit, Cost::new(cost))
        .under(Policy { consistency: Consistency::Leased, on_failure: OnFailure::Closed });
    node.charge(&[charge]).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn one_request_after_the_other_gets_all_there_is() {
    let redis = Redis::start();
    for late in [0, 1, 7, 50] {
        let node = lone_node(&redis, Duration::from_millis(late)).await;
        for text in LIMITS {
            for costs in [&[10, 10, 30, 30, 20][..], &[1, 1, 1, 1, 1, 35, 60], &[2, 40, 3, 50, 5]] {
                use_up(&node, text, costs).await;
            }
        }
    }
}

/// Asks for costs that are 100 together, and for more.
async fn use_up(node: &LateNode, text: &str, costs: &[u64]) {
    let (user, limit) = (format!("{text} {costs:?}"), limit(text));
    for cost in costs {
        let verdict = ask(node, &user, &limit, *cost).await;
        assert!(verdict.is_allowed(), "{user}: {cost}");
    }
    let over = ask(node, &user, &limit, 1).await;
    assert_eq!((over.is_allowed(), over.fallback()), (false, None), "{user}: one too many");
    let never = ask(node, &user, &limit, 101).await;
    assert_eq!((never.is_allowed(), never.binding().retry_after()), (false, None));
}

/// A denial of what is more than is left is remembered, and says nothing of less.
#[tokio::test(start_paused = true)]
async fn a_request_for_too_much_does_not_spoil_one_for_less() {
    let redis = Redis::start();
    let node = lone_node(&redis, Duration::from_millis(50)).await;
    for text in LIMITS {
        let limit = limit(text);
        for cost in [10, 10, 30] {
            assert!(ask(&node, text, &limit, cost).await.is_allowed(), "{text}: {cost}");
        }
        for (too_much, fits) in [(60, 30), (21, 11), (10, 9)] {
            let denied = ask(&node, text, &limit, too_much).await;
            assert_eq!(
                (denied.is_allowed(), denied.fallback()),
                (false, None),
                "{text}: {too_much}"
            );
            assert!(ask(&node, text, &limit, fits).await.is_allowed(), "{text}: {fits}");
        }
    }
}

/// What became of a request.
struct Request {
    cost: u64,
    began: Instant,
    ended: Instant,
    is_allowed: bool,
}

/// Random requests, many at once: whatever their order, one is denied only if those that passed have left too little for it.
#[tokio::test(start_paused = true)]
async fn requests_at_the_same_time_get_all_there_is() {
    let redis = Redis::start();
    for late in [1, 50] {
        let node = lone_node(&redis, Duration::from_millis(late)).await;
        for seed in 0..24 {
            let mut rng = Rng::new(seed);
            let text = rng.pick(&LIMITS);
            let requests = run(&node, &format!("{seed} {text}"), text, &mut rng).await;
            let story = format!("seed {seed}, {text}, {late} ms late");
            let passed = requests.iter().filter(|request| request.is_allowed);
            let units: u64 = passed.clone().map(|request| request.cost).sum();
            assert!(units <= 100, "{story}: {units} of 100");
            for denied in requests.iter().filter(|request| !request.is_allowed) {
                let before = passed.clone().filter(|request| request.began <= denied.ended);
                let spent: u64 = before.map(|request| request.cost).sum();
                let left = 100 - spent;
                assert!(denied.cost > left, "{story}: {} of {left} denied", denied.cost);
            }
        }
    }
}

async fn run(node: &LateNode, user: &str, text: &str, rng: &mut Rng) -> Vec<Request> {
    let (limit, requests) = (limit(text), Rc::new(RefCell::new(Vec::new())));
    let most = rng.pick(&[1, 3, 10, 30]);
    let span = rng.pick(&[1, 20, 400]);
    let local = LocalSet::new();
    for _ in 0..rng.pick(&[20, 60, 150]) {
        let (node, user, limit) = (LateNode::clone(node), user.to_owned(), limit.clone());
        let (cost, wait) = (1 + rng.below(most), rng.below(span));
        let requests = Rc::clone(&requests);
        local.spawn_local(async move {
            sleep(Duration::from_millis(wait)).await;
            let began = Instant::now();
            let verdict = ask(&node, &user, &limit, cost).await;
            assert_eq!(verdict.fallback(), None, "{user}: {cost} by a policy");
            requests.borrow_mut().push(Request {
                cost,
                began,
                ended: Instant::now(),
                is_allowed: verdict.is_allowed(),
            });
        });
    }
    local.await;
    Rc::into_inner(requests).unwrap().into_inner()
}
