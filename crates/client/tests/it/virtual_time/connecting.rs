//! A connection takes a moment to be made.

use std::time::Duration;

use tokio::time::Instant;
use tollgate_client::{BreakerState, Client, Fallback, Source};

use super::{
    Behaviour, Fake, client,
    deadlines::{DEADLINE, TICK, ann},
};

/// How long the first connection may take before that counts.
const WARM_UP: Duration = Duration::from_millis(100);

/// Who answers so many checks that are made at once.
async fn together(client: &Client, times: usize) -> Vec<Source> {
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..times {
        let client = client.clone();
        calls.spawn(async move { client.check(&ann()).await.unwrap().source() });
    }
    calls.join_all().await
}

/// A connection may take a moment to be made. One that is never made opens the breaker all the same.
#[tokio::test(start_paused = true)]
async fn a_server_that_cannot_be_reached_is_given_a_tenth_of_a_second() {
    let fake = Fake::new(Behaviour::NeverConnect);
    let client = client(&fake, |builder| builder);
    let began = Instant::now();
    while client.status().servers[0].breaker == BreakerState::Closed {
        let before = Instant::now();
        let answer = client.check(&ann()).await.unwrap();
        assert!(before.elapsed() <= DEADLINE + TICK);
        assert_eq!(answer.source(), Source::Fallback(Fallback::Local));
    }
    let took = began.elapsed();
    let counted = (DEADLINE + TICK) * 20;
    assert!(took >= WARM_UP && took <= WARM_UP + counted, "{took:?}");
    let status = client.status();
    assert_eq!(status.servers[0].failures, 20);
}

/// Calls that come while the first connection is made do not speak against the server.
#[tokio::test(start_paused = true)]
async fn a_cold_start_opens_nothing() {
    let fake = Fake::new(Behaviour::SlowConnect(Duration::from_millis(20)));
    let client = client(&fake, |builder| builder);
    for _ in 0..10 {
        drop(together(&client, 10).await);
    }
    let status = client.status();
    assert_eq!(status.servers[0].breaker, BreakerState::Closed);
    assert!(status.by_fallback.allowed >= 20, "{status:?}");
    assert!(status.by_server.allowed >= 50, "{status:?}");
}

/// Another connection is for more calls, and not in their way while it is made.
#[tokio::test(start_paused = true)]
async fn nobody_waits_for_a_second_connection() {
    let fake = Fake::new(Behaviour::Allow);
    let client = client(&fake, |builder| builder);
    drop(client.check(&ann()).await.unwrap());
    fake.behave(Behaviour::SlowConnect(Duration::from_millis(900)));
    for _ in 0..10 {
        assert_eq!(together(&client, 100).await, [Source::Server; 100]);
    }
    assert_eq!(client.status().servers[0].connections, 2);
}
