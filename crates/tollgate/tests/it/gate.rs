//! The gate as a black box: rules, counters and answers together.

use std::{sync::Arc, time::Duration};

use tollgate::{
    Action, Gate, ManualClock, MemoryStore, NoSnapshot, Timestamp,
    rules::{Block, Field, Live, Override, Query, document},
};

type TestGate = Gate<MemoryStore<ManualClock>, ManualClock>;

fn gate(rules: &str) -> (TestGate, ManualClock) {
    let clock = ManualClock::start();
    let live = Arc::new(Live::new());
    publish(&live, rules, 1);
    let store = MemoryStore::new(clock.clone());
    (Gate::new(live, store, clock.clone()), clock)
}

fn publish(live: &Live, rules: &str, revision: u64) {
    let text = format!("version: 1\n{rules}");
    let reading = document::read("rules.yaml", &text);
    let document = reading.document.unwrap_or_else(|| panic!("{}", reading.report));
    live.publish(&document.rules, revision);
}

fn user(name: &str) -> Query<'_> {
    Query::new().user(name).unwrap()
}

fn admitted(gate: &TestGate, query: &Query<'_>, tries: usize) -> usize {
    let allowed = (0..tries).filter(|_| gate.check(query).unwrap().is_allowed());
    allowed.count()
}

/// 12.13: no rules at all is not "nothing matched".
#[test]
fn without_any_snapshot_nothing_is_decided() {
    let clock = ManualClock::start();
    let gate = Gate::new(Arc::new(Live::new()), MemoryStore::new(clock.clone()), clock);
    assert_eq!(gate.check(&user("a")).unwrap_err(), NoSnapshot);
}

/// 12.5: nothing matched.
#[test]
fn what_no_rule_is_about_passes_without_numbers() {
    let (gate, _) = gate("rules: [{ name: a, match: { endpoint: /a }, key: [user], limit: 1/s }]");
    let ruling = gate.check(&user("a")).unwrap();
    assert!(ruling.is_allowed());
    assert_eq!((ruling.limit(), ruling.remaining(), ruling.status()), (None, None, 200));
    assert!(ruling.rule().is_none());
}

/// 12.5 and D4: of several denials the longest wait shows, and nobody is charged.
// Proves: R2
#[test]
fn all_rules_or_none_are_charged_and_the_longest_wait_is_shown() {
    let rules = "rules:\n\
        \x20 - { name: narrow, key: [user], limit: { per: 1/h, algorithm: fixed_window } }\n\
        \x20 - { name: broad, key: [], limit: { per: 3/min, algorithm: fixed_window } }\n";
    let (gate, _) = gate(rules);
    assert!(gate.check(&user("a")).unwrap().is_allowed());
    for _ in 0..10 {
        let denied = gate.check(&user("a")).unwrap();
        assert_eq!(denied.rule().unwrap().name.as_str(), "narrow");
        assert_eq!((denied.limit(), denied.remaining()), (Some(1), Some(0)));
    }
    assert_eq!(admitted(&gate, &user("b"), 1) + admitted(&gate, &user("c"), 1), 2, "nothing burnt");
    let denied = gate.check(&user("d")).unwrap();
    assert_eq!(denied.rule().unwrap().name.as_str(), "broad");
    assert_eq!(denied.decisions().count(), 2);
}

/// 12.6.
#[test]
fn a_block_answers_403_without_a_wait_and_charges_nothing() {
    let rules = "rules:\n\
        \x20 - { name: counted, key: [user], limit: 1/h, priority: 5 }\n\
        \x20 - { name: gone, match: { endpoint: /old/** }, action: block }\n\
        \x20 - { name: teapot, match: { endpoint: /tea }, action: block, response: { status: 418 } }\n";
    let (gate, _) = gate(rules);
    for (path, status) in [("/old/x", 403), ("/tea", 418)] {
        let ruling = gate.check(&user("a").endpoint(path).unwrap()).unwrap();
        assert!(!ruling.is_allowed());
        assert_eq!(ruling.status(), status);
        assert_eq!(
            (ruling.limit(), ruling.remaining(), ruling.retry_after()),
            (Some(0), Some(0), None)
        );
    }
    assert!(gate.check(&user("a")).unwrap().is_allowed(), "the throttle above was not charged");
}

/// 12.1 and 12.6: blocks come first, and a timed one says when it ends.
#[test]
fn a_blocked_caller_is_denied_whatever_allows_it() {
    let (gate, clock) = gate("rules: [{ name: everyone, action: allow, priority: 100 }]");
    let end = Timestamp::from_micros(clock_now(&clock) + 90_500_000);
    gate.live().directory().block(&Block::new(Field::User, "mallory".into()).until(end));
    let denied = gate.check(&user("mallory")).unwrap();
    assert_eq!((denied.status(), denied.retry_after_s()), (403, Some(91)));
    assert!(gate.check(&user("alice")).unwrap().is_allowed());
    clock.advance(Duration::from_secs(91));
    assert!(gate.check(&user("mallory")).unwrap().is_allowed());
}

fn clock_now(clock: &ManualClock) -> u64 {
    use tollgate::Clock as _;
    clock.now().wall.as_micros()
}

/// D6: what is shown is whole seconds, at least one, at least what the rule asks for.
#[test]
fn the_wait_that_is_shown_is_rounded_up_and_at_least_the_rules_own() {
    let rules = "rules:\n\
        \x20 - { name: quick, match: { endpoint: /q }, key: [user], limit: { per: 10/s, burst: 1 } }\n\
        \x20 - { name: slow, match: { endpoint: /s }, key: [user], limit: { per: 10/s, burst: 1 }, \
        response: { retry_after: 30, status: 503 } }\n";
    let (gate, _) = gate(rules);
    for (path, shown, status) in [("/q", 1, 429), ("/s", 30, 503)] {
        let query = user("a").endpoint(path).unwrap();
        assert!(gate.check(&query).unwrap().is_allowed());
        let denied = gate.check(&query).unwrap();
        assert_eq!(denied.retry_after(), Some(Duration::from_millis(100)));
        assert_eq!((denied.retry_after_s(), denied.status()), (Some(shown), status));
    }
}

/// D14 through rules: another amount, another period, another key.
// Proves: R7
#[test]
fn a_new_revision_keeps_counters_as_the_diff_says() {
    let rule = |key: &str, limit: &str| {
        format!("rules: [{{ name: r, key: [{key}], missing: shared, limit: {limit} }}]")
    };
    let (gate, clock) = gate(&rule("user", "5/h"));
    let query = user("a").org("o").unwrap();
    assert_eq!(admitted(&gate, &query, 9), 5);

    publish(gate.live(), &rule("user", "7/h"), 2);
    assert_eq!(admitted(&gate, &query, 9), 2, "a raised limit frees the difference");

    publish(gate.live(), &rule("user", "10/day"), 3);
    assert_eq!(admitted(&gate, &query, 9), 3, "what the hour counted is carried into the day");

    publish(gate.live(), &rule("org", "10/day"), 4);
    assert_eq!(admitted(&gate, &query, 20), 10, "another key starts fresh");
    assert_eq!(gate.check(&query).unwrap().revision(), 4);
    clock.advance(Duration::from_secs(1));
}

/// 12.8 and R12: an override binds at once, for its key only, and ends by itself.
// Proves: R12
#[test]
fn an_override_raises_one_key_until_it_ends() {
    let (gate, clock) = gate("rules: [{ name: login, key: [user], limit: 2/day }]");
    let (acme, other) = (user("acme"), user("other"));
    assert_eq!(admitted(&gate, &acme, 9) + admitted(&gate, &other, 9), 4);

    let text = r#"{ "rule": "login", "key": { "user": "acme" }, "limit": "5/day" }"#;
    let mut exception: Override = document::read_override(text).unwrap();
    let end = Timestamp::from_micros(clock_now(&clock) + 60_000_000);
    exception.until = Some(end);
    let id = gate.live().snapshot().unwrap().rule_id("login");
    assert!(gate.live().directory().put(1, id, &exception));
    assert_eq!((admitted(&gate, &acme, 9), admitted(&gate, &other, 9)), (3, 0));

    clock.advance(Duration::from_secs(60));
    let denied = gate.check(&acme).unwrap();
    assert!(!denied.is_allowed(), "what was admitted counts against the rule's own limit again");
    assert_eq!(denied.limit(), Some(2));
}

/// D11 through rules.
#[test]
fn peek_refund_and_reset_act_on_every_counter_of_the_request() {
    let (gate, _) = gate("rules: [{ name: r, key: [user], limits: [3/min, 5/h] }]");
    let query = user("a");
    assert_eq!(admitted(&gate, &query, 9), 3);
    assert!(!gate.inspect(Action::Peek, &query).unwrap().is_allowed());
    gate.inspect(Action::Refund, &query).unwrap();
    assert_eq!(admitted(&gate, &query, 9), 1);
    gate.inspect(Action::Reset, &query).unwrap();
    assert_eq!(admitted(&gate, &query, 9), 3);
}

/// R3: a field may name alternatives, and IPv6 counts by network.
// Proves: R3
#[test]
fn the_first_fact_that_is_there_names_the_counter() {
    let (gate, _) = gate("rules: [{ name: r, key: [\"user|ip\"], limit: 2/h }]");
    let at = |address| Query::new().ip(address).unwrap();
    assert_eq!(
        admitted(&gate, &at("2001:db8::1"), 1) + admitted(&gate, &at("2001:db8::ffff"), 5),
        2
    );
    assert_eq!(
        admitted(&gate, &at("::ffff:192.0.2.1"), 1) + admitted(&gate, &at("192.0.2.1"), 5),
        2
    );
    // A user who is called like an address is not that address.
    assert_eq!(admitted(&gate, &user("192.0.2.1"), 5), 2);
}

/// A thousand threads' worth of requests during reloads: each sees one whole revision.
// Proves: R7
#[test]
fn a_request_sees_one_revision_from_start_to_end() {
    let pair = |limit: u64| {
        let rule = |name| format!("{{ name: {name}, key: [user], limit: {limit}/h }}");
        format!("rules: [{}, {}]", rule("one"), rule("two"))
    };
    let (gate, _) = gate(&pair(1_000_000));
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    for _ in 0..20_000 {
                        let ruling = gate.check(&user("a")).unwrap();
                        let limits: Vec<u64> =
                            ruling.decisions().map(|(_, it)| it.limit()).collect();
                        assert_eq!(limits[0], limits[1], "half of a revision");
                        assert_eq!(limits[0], 1_000_000 + ruling.revision() - 1);
                    }
                })
            })
            .collect();
        for revision in 2..200 {
            publish(gate.live(), &pair(1_000_000 + revision - 1), revision);
        }
        for reader in readers {
            reader.join().unwrap();
        }
    });
}
