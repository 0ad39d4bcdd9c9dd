//! Nothing is charged twice: a call is made again only if no byte of it was written, or it has a name.

use std::time::Duration;

use tokio::time::timeout;
use tollgate_client::{Check, Source};

use super::{Behaviour, Fake, client, clients};

const AFTER_WRITING: [Behaviour; 4] = [
    Behaviour::BlackHole,
    Behaviour::ResetMidAnswer,
    Behaviour::Garbage,
    Behaviour::Slow(Duration::from_secs(1)),
];

// Proves: U4
#[tokio::test(start_paused = true)]
async fn what_was_written_is_not_asked_of_another_server() {
    for behaviour in AFTER_WRITING {
        let fakes = [Fake::new(behaviour), Fake::new(behaviour), Fake::new(behaviour)];
        let client = clients(&[&fakes[0], &fakes[1], &fakes[2]], |builder| builder);
        for user in 1..=20 {
            drop(client.check(&Check::new().user(format!("u{user}"))).await.unwrap());
            let requests: u64 = fakes.iter().map(|fake| fake.requests()).sum();
            assert!(requests <= user, "{behaviour:?}: {requests} for {user} calls");
        }
    }
}

/// Under a name the same server is asked once more, on another connection: it knows the name.
#[tokio::test(start_paused = true)]
async fn what_has_a_name_is_asked_once_more_of_the_same_server() {
    let fakes = [Fake::new(Behaviour::ResetMidAnswer), Fake::new(Behaviour::ResetMidAnswer)];
    let client = clients(&[&fakes[0], &fakes[1]], |builder| builder);
    let check = Check::new().user("ann").request_id("r1");
    drop(client.check(&check).await.unwrap());
    let requests = [fakes[0].requests(), fakes[1].requests()];
    assert!(requests == [2, 0] || requests == [0, 2], "{requests:?}");
}

#[tokio::test(start_paused = true)]
async fn a_name_saves_a_call_that_broke_off() {
    let fake = Fake::new(Behaviour::ResetMidAnswer);
    let client = client(&fake, |builder| builder.connections(1));
    let check = Check::new().user("ann").request_id("r1");
    let asked = client.check(&check);
    // It is well again by the time it is asked once more.
    let healed = async {
        while fake.requests() == 0 {
            tokio::task::yield_now().await;
        }
        fake.behave(Behaviour::Allow);
    };
    let (answer, ()) = tokio::join!(asked, healed);
    assert_eq!(answer.unwrap().source(), Source::Server);
    assert_eq!(fake.requests(), 2);
}

/// Names are for charges: a peek has none, and servers would refuse one.
#[tokio::test(start_paused = true)]
async fn a_peek_has_no_name() {
    let fake = Fake::new(Behaviour::Allow);
    let client = client(&fake, |builder| builder);
    let check = Check::new().user("ann").request_id("r1");
    assert!(client.peek(&check).await.unwrap().is_allowed());
    assert_eq!(*fake.bodies.lock().unwrap(), [r#"{"user_id":"ann"}"#]);
}

/// The server charged, and then it was gone: the next one does not know the name, so it is not asked.
#[tokio::test(start_paused = true)]
async fn a_server_that_dies_half_way_is_not_replaced_for_that_call() {
    let fakes = [Fake::new(Behaviour::ResetAndRefuse), Fake::new(Behaviour::ResetAndRefuse)];
    let client = clients(&[&fakes[0], &fakes[1]], |builder| builder);
    let check = Check::new().user("ann").request_id("r1");
    drop(client.check(&check).await.unwrap());
    assert_eq!(fakes[0].requests() + fakes[1].requests(), 1);
}

/// Whoever gives up before a call was written is not charged for it.
#[tokio::test(start_paused = true)]
async fn a_call_that_was_dropped_is_not_written() {
    let fake = Fake::new(Behaviour::SlowConnect(Duration::from_millis(100)));
    let client = client(&fake, |builder| builder.deadline(Duration::from_secs(1)).connections(1));
    let ann = Check::new().user("ann");
    for _ in 0..5 {
        assert!(timeout(Duration::from_millis(5), client.check(&ann)).await.is_err());
    }
    assert_eq!(client.check(&Check::new().user("bob")).await.unwrap().source(), Source::Server);
    assert_eq!(*fake.bodies.lock().unwrap(), [r#"{"user_id":"bob"}"#]);
}

/// A name gets the answer that belongs to it, whatever others were told meanwhile.
#[tokio::test(start_paused = true)]
async fn what_has_a_name_is_not_answered_from_memory() {
    let fake = Fake::new(Behaviour::Deny);
    let client = client(&fake, |builder| builder);
    let ann = Check::new().user("ann");
    for (check, source) in [
        (ann.clone().request_id("r1"), Source::Server),
        (ann.clone(), Source::Server),
        (ann.clone(), Source::CachedDenial),
        (ann.clone().request_id("r2"), Source::Server),
        (ann.request_id(""), Source::CachedDenial),
    ] {
        assert_eq!(client.check(&check).await.unwrap().source(), source, "{check:?}");
    }
}
