//! What every protocol relies on.

use std::{sync::Arc, time::Duration};

use tollgate::Action;
use tollgate_rules::{Live, Query};

use super::{Ask, CounterOp, Engine, Refusal};

const LOGIN: &str = "version: 1\nrules: [{ name: login, key: [user], limit: 2/h }]";

fn of(user: &str) -> Ask<'_> {
    Ask::new(Query::new().user(user).unwrap())
}

fn named<'a>(user: &'a str, request_id: &'a str) -> Ask<'a> {
    Ask { request_id: Some(request_id), ..of(user) }
}

fn remaining(engine: &Engine, ask: &Ask<'_>) -> Option<u64> {
    engine.check_now(ask).unwrap().ruling.remaining()
}

// Proves: D15
#[test]
fn a_request_that_is_asked_again_is_charged_once() {
    let (engine, _) = Engine::of_rules(LOGIN);
    let first = engine.check_now(&named("alice", "r-1")).unwrap();
    let again = engine.check_now(&named("alice", "r-1")).unwrap();
    assert_eq!(first.id, again.id);
    assert_eq!(again.ruling.remaining(), Some(1));
    assert_eq!(remaining(&engine, &named("alice", "r-2")), Some(0));
}

// Proves: D15
#[test]
fn a_denial_is_repeated_too() {
    let (engine, _) = Engine::of_rules(LOGIN);
    for id in ["1", "2"] {
        assert!(engine.check_now(&named("alice", id)).unwrap().ruling.is_allowed());
    }
    let denied = engine.check_now(&named("alice", "3")).unwrap();
    engine.inspect_now(CounterOp { action: Action::Reset, rule: None }, &of("alice")).unwrap();
    let again = engine.check_now(&named("alice", "3")).unwrap();
    assert_eq!(denied.id, again.id);
    assert!(!again.ruling.is_allowed());
}

// Proves: D15
#[test]
fn a_name_is_forgotten_after_a_minute() {
    let (engine, clock) = Engine::of_rules(LOGIN);
    assert_eq!(remaining(&engine, &named("alice", "r")), Some(1));
    clock.advance(Duration::from_micros(59_999_999));
    assert_eq!(remaining(&engine, &named("alice", "r")), Some(1));
    clock.advance(Duration::from_micros(1));
    assert_eq!(remaining(&engine, &named("alice", "r")), Some(0));
}

#[test]
fn a_name_with_other_facts_is_refused() {
    let (engine, _) = Engine::of_rules(LOGIN);
    engine.check_now(&named("alice", "r")).unwrap();
    let refused = engine.check_now(&named("bob", "r")).unwrap_err();
    assert_eq!(refused, Refusal::RequestIdTaken);
    assert_eq!(remaining(&engine, &of("bob")), Some(1), "nothing was charged");
}

/// A client that keeps its attributes in a table sends them in any order.
#[test]
fn the_order_of_attributes_does_not_matter() {
    let (engine, _) = Engine::of_rules(LOGIN);
    let with = |pairs: [(&'static str, &'static str); 2]| {
        let mut query = Query::new().user("alice").unwrap();
        for (name, value) in pairs {
            query.add_attribute(name, value).unwrap();
        }
        let request_id = Some("r");
        Ask { request_id, ..Ask::new(query) }
    };
    let first = engine.check_now(&with([("a", "1"), ("b", "2")])).unwrap();
    let again = engine.check_now(&with([("b", "2"), ("a", "1")])).unwrap();
    assert_eq!(first.id, again.id);
}

// Proves: D15
#[test]
fn at_once_from_many_threads_it_is_charged_once() {
    let (engine, _) = Engine::of_rules(LOGIN);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| engine.check_now(&named("alice", "r")).unwrap());
        }
    });
    assert_eq!(remaining(&engine, &of("alice")), Some(0));
}

/// However many names come, so many are kept.
#[test]
fn names_are_bounded() {
    let (engine, _) = Engine::of_rules("version: 1\nrules: []");
    let names: Vec<String> = (0..200_000).map(|number| number.to_string()).collect();
    let first = engine.check_now(&named("alice", "0")).unwrap().id;
    for name in &names {
        engine.check_now(&named("alice", name)).unwrap();
    }
    assert!(engine.repeats.len() <= 65_536);
    assert_ne!(engine.check_now(&named("alice", "0")).unwrap().id, first);
}

#[test]
fn a_batch_is_answered_in_order_whatever_has_a_name() {
    let (engine, _) = Engine::of_rules(LOGIN);
    let asks = [
        of("alice"),
        named("alice", "r"),
        named("alice", "r"),
        of("alice"),
        of("bob"),
        named("carol", "r"),
    ];
    let mut seen = Vec::new();
    engine.check_all_now(&asks, |answer| {
        seen.push(answer.map(|answer| (answer.ruling.is_allowed(), answer.ruling.remaining())));
    });
    let expected = [
        Ok((true, Some(1))),
        Ok((true, Some(0))),
        Ok((true, Some(0))),
        Ok((false, Some(0))),
        Ok((true, Some(1))),
        Err(Refusal::RequestIdTaken),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn without_rules_nothing_is_decided() {
    let (engine, _) = Engine::of_live(Arc::new(Live::new()));
    let refused = Refusal::NoSnapshot;
    assert_eq!(engine.check_now(&of("alice")).unwrap_err(), refused);
    assert_eq!(engine.check_now(&named("alice", "r")).unwrap_err(), refused);
    let mut count = 0;
    engine.check_all_now(&[of("alice"), of("bob")], |answer| {
        assert_eq!(answer.unwrap_err(), refused);
        count += 1;
    });
    assert_eq!(count, 2);
}

#[test]
fn a_deed_for_a_rule_that_is_not_there_is_refused() {
    let (engine, _) = Engine::of_rules(LOGIN);
    let deed = |rule| CounterOp { action: Action::Peek, rule: Some(rule) };
    assert!(engine.inspect_now(deed("login"), &of("alice")).is_ok());
    let refused = engine.inspect_now(deed("logout"), &of("alice")).unwrap_err();
    assert_eq!(refused, Refusal::UnknownRule("logout".to_owned()));
}
