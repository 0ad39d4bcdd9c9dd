//! An engine whose counters are shared, through a Redis that is not there: policies answer, and what must
//! hold while something is waited for does.

use std::sync::Arc;

use futures_util::future::join_all;
use tollgate::{Action, OnFailure, Reason};
use tollgate_rules::Query;

use super::{Ask, CounterOp, Engine, Refusal};

const RULES: &str = "version: 1\nrules: [{ name: login, key: [user], limit: 2/h }]";

fn engine() -> Arc<Engine> {
    Engine::without_redis(RULES)
}

fn named<'a>(user: &'a str, request_id: &'a str) -> Ask<'a> {
    Ask { request_id: Some(request_id), ..Ask::new(Query::new().user(user).unwrap()) }
}

// Proves: D15
#[tokio::test]
async fn a_name_that_many_ask_under_at_once_is_charged_once() {
    let engine = engine();
    let asks: Vec<Ask<'_>> = (0..20).map(|_| named("alice", "r")).collect();
    let answers = join_all(asks.iter().map(|ask| engine.check(ask))).await;
    let first = answers[0].as_ref().unwrap().id;
    for answer in answers {
        let answer = answer.unwrap();
        assert_eq!((answer.id, answer.ruling.remaining()), (first, Some(1)));
        assert_eq!(answer.ruling.fallback(), Some(OnFailure::Local));
        assert_eq!(answer.ruling.reason(), Reason::Fallback);
    }
    let other = engine.check(&named("bob", "r")).await;
    assert_eq!(other.unwrap_err(), Refusal::RequestIdTaken);
    let again = engine.check(&named("alice", "s")).await.unwrap();
    assert_eq!(again.ruling.remaining(), Some(0));
}

/// Whoever gives up while the answer is made leaves it to the next.
// Proves: D15
#[tokio::test]
async fn a_name_that_was_given_up_is_answered_to_the_next() {
    let engine = engine();
    drop(engine.check(&named("alice", "r")));
    let answer = engine.check(&named("alice", "r")).await.unwrap();
    assert_eq!(answer.ruling.remaining(), Some(1));
}

#[tokio::test]
async fn answers_have_the_order_of_the_questions() {
    let engine = engine();
    let asks: Vec<Ask<'_>> = ["alice", "bob", "alice", "alice", "bob", "carol"]
        .map(|user| Ask::new(Query::new().user(user).unwrap()))
        .into();
    let mut left = Vec::new();
    let checked = engine.check_all(&asks, |answer| {
        let ruling = answer.unwrap().ruling;
        left.push((ruling.is_allowed(), ruling.remaining()));
    });
    checked.await;
    let wanted = [
        (true, Some(1)),
        (true, Some(1)),
        (true, Some(0)),
        (false, Some(0)),
        (true, Some(0)),
        (true, Some(1)),
    ];
    assert_eq!(left, wanted);
}

#[tokio::test]
async fn what_could_not_be_done_is_refused() {
    let engine = engine();
    let ask = Ask::new(Query::new().user("alice").unwrap());
    for (action, words) in [
        (Action::Reset, "the counters were not reset"),
        (Action::Refund, "the counters were not refunded"),
    ] {
        let rule = Some("login");
        let refused = engine.inspect(CounterOp { action, rule }, &ask).await.unwrap_err();
        let Refusal::Counters(why) = refused else { panic!("{refused:?}") };
        assert!(why.starts_with(words), "{why}");
    }
    let deed = CounterOp { action: Action::Peek, rule: Some("logout") };
    let refused = engine.inspect(deed, &ask).await.unwrap_err();
    assert_eq!(refused, Refusal::UnknownRule("logout".to_owned()));
}
