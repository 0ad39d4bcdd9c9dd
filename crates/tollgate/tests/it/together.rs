//! Several requests in one call are decided as one by one.

use std::time::Duration;

use tollgate::{
    Cost, Gate, ManualClock, MemoryStore, Ruling,
    rules::{Live, Query},
};
use tollgate_testkit::Rng;

const RULES: &str = "
version: 1
default_tier: free
tiers: { free: { rank: 1, default: 3/min } }
rules:
  - { name: banned, match: { user: user-0 }, action: block }
  - { name: open, match: { endpoint: /open }, action: allow }
  - { name: login, match: { endpoint: /login }, key: [user], limit: 2/min }
  - { name: both, match: { endpoint: /both }, key: [user], limits: [2/s, 20/h] }
  - { name: all, match: { endpoint: /both }, key: [], limit: 30/min, algorithm: token_bucket }
";

type Manual = Gate<MemoryStore<ManualClock>, ManualClock>;

fn gate(clock: &ManualClock) -> Manual {
    let live = std::sync::Arc::new(Live::new());
    live.publish(&RULES.parse().unwrap(), 1);
    Gate::new(live, MemoryStore::with_capacity(1_000, clock.clone()), clock.clone())
}

fn seen(ruling: &Ruling) -> impl PartialEq + std::fmt::Debug + use<> {
    let rule = ruling.rule().map(|rule| rule.name.to_string());
    let each: Vec<_> = ruling.decisions().map(|(_, decision)| *decision).collect();
    (ruling.is_allowed(), rule, ruling.retry_after(), each)
}

// Proves: D11
#[test]
fn a_batch_decides_as_one_by_one() {
    let clock = ManualClock::start();
    let (alone, together) = (gate(&clock), gate(&clock));
    let mut rng = Rng::new(7);
    let users: Vec<String> = (0..6).map(|user| format!("user-{user}")).collect();
    let paths = ["/login", "/both", "/open", "/other"];
    for _ in 0..3_000 {
        clock.advance(Duration::from_millis(rng.below(400)));
        let count = rng.below(40);
        let queries: Vec<Query<'_>> = (0..count)
            .map(|_| {
                let user = &users[usize::try_from(rng.below(6)).unwrap()];
                let path = paths[usize::try_from(rng.below(4)).unwrap()];
                let query = Query::new().user(user).unwrap().endpoint(path).unwrap();
                query.cost(Cost::new(rng.below(3)))
            })
            .collect();
        let expected: Vec<_> =
            queries.iter().map(|query| seen(&alone.check(query).unwrap())).collect();
        let mut found = Vec::new();
        together.check_all(&queries, |_, ruling| found.push(seen(&ruling))).unwrap();
        assert_eq!(found, expected);
    }
}
