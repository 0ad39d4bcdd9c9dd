//! The breaker opens and closes as promised, seen from outside.

use std::{sync::Arc, time::Duration};

use tokio::time::sleep;
use tollgate_client::{BreakerState, Check, Client};

use super::{Behaviour, Fake, client};

fn state(client: &Client) -> BreakerState {
    client.status().servers[0].breaker
}

/// Checks with names of their own, so that no denial is remembered.
async fn ask(client: &Client, times: u32) {
    for time in 0..times {
        let check = Check::new().user(format!("u{time}"));
        drop(client.check(&check).await.unwrap());
    }
}

async fn asked(client: &Client, fake: &Arc<Fake>, times: u32) -> u64 {
    let before = fake.requests();
    ask(client, times).await;
    fake.requests() - before
}

// Proves: U4
#[tokio::test(start_paused = true)]
async fn it_opens_above_a_tenth_and_not_at_a_tenth() {
    for (one_in, opens) in [(100, false), (20, false), (10, false), (9, true), (5, true), (1, true)]
    {
        let fake = Fake::new(Behaviour::FailOneIn(one_in));
        let client = client(&fake, |builder| builder);
        ask(&client, 2_000).await;
        let has_opened = client.status().servers[0].opened > 0;
        assert_eq!(has_opened, opens, "one in {one_in}");
        let state = state(&client);
        assert_eq!(state == BreakerState::Open, opens, "one in {one_in}: {state:?}");
    }
}

/// 30 s nobody, then a tenth, then half, then all.
#[tokio::test(start_paused = true)]
async fn traffic_comes_back_by_and_by() {
    let fake = Fake::new(Behaviour::Status(500));
    let client = client(&fake, |builder| builder);
    assert_eq!(asked(&client, &fake, 100).await, 20);
    assert_eq!(state(&client), BreakerState::Open);
    fake.behave(Behaviour::Allow);
    sleep(Duration::from_millis(29_900)).await;
    assert_eq!(asked(&client, &fake, 100).await, 0);
    sleep(Duration::from_millis(200)).await;
    assert_eq!(asked(&client, &fake, 100).await, 10);
    assert_eq!(state(&client), BreakerState::Returning(10));
    assert_eq!(asked(&client, &fake, 91).await, 10);
    assert_eq!(state(&client), BreakerState::Returning(50));
    assert_eq!(asked(&client, &fake, 39).await, 20);
    assert_eq!(state(&client), BreakerState::Closed);
    assert_eq!(asked(&client, &fake, 100).await, 100);
    assert_eq!(client.status().servers[0].opened, 1);
}

/// Who fails on the way back is left alone for another 30 s.
#[tokio::test(start_paused = true)]
async fn who_is_not_well_yet_gets_more_time() {
    let fake = Fake::new(Behaviour::BlackHole);
    let client = client(&fake, |builder| builder);
    ask(&client, 30).await;
    sleep(Duration::from_secs(31)).await;
    assert_eq!(asked(&client, &fake, 1_000).await, 3, "more than two of twenty will have failed");
    assert_eq!(state(&client), BreakerState::Open);
    sleep(Duration::from_secs(31)).await;
    fake.behave(Behaviour::Allow);
    ask(&client, 400).await;
    assert_eq!(state(&client), BreakerState::Closed);
}

#[tokio::test(start_paused = true)]
async fn limits_are_bypassed_by_hand_and_come_back_by_and_by() {
    let fake = Fake::new(Behaviour::Allow);
    let client = client(&fake, |builder| builder);
    client.bypass();
    assert_eq!(asked(&client, &fake, 100).await, 0);
    client.resume();
    assert_eq!(asked(&client, &fake, 100).await, 10);
    sleep(Duration::from_secs(10)).await;
    assert_eq!(asked(&client, &fake, 100).await, 50);
    sleep(Duration::from_secs(10)).await;
    assert_eq!(asked(&client, &fake, 100).await, 100);
    assert_eq!(client.status().bypassed, 240);
}

/// The same for hosts that ask in two steps, as the tower layer does.
#[tokio::test(start_paused = true)]
async fn two_steps_are_one_call_on_the_way_back() {
    let fake = Fake::new(Behaviour::Allow);
    let client = client(&fake, |builder| builder);
    client.bypass();
    client.resume();
    for user in 0..100 {
        let check = Check::new().user(format!("u{user}"));
        if client.check_now(&check).is_none() {
            drop(client.ask(&check).await.unwrap());
        }
    }
    assert_eq!(fake.requests(), 10);
}
