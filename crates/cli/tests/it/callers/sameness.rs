//! Both protocols say the same.

use std::time::Duration;

use tollgate_client::{Answer, Check, Client, Fault, Source};
use tollgate_core::{Clock as _, Micros, SystemClock};

use super::house::{House, PATIENT, client, search};
use crate::common::standstill;

/// What does not depend on when it was asked.
fn facts(answer: &Answer) -> (bool, Option<u64>, Option<u64>, Option<String>, u16) {
    (
        answer.is_allowed(),
        answer.limit(),
        answer.remaining(),
        answer.rule().map(str::to_owned),
        answer.status(),
    )
}

fn patient(url: &str) -> Client {
    client(url, |builder| builder.deadline(PATIENT)).0
}

// Proves: U4
#[tokio::test(start_paused = true)]
async fn the_same_is_answered_over_http_and_resp() {
    let _still = standstill();
    let house = House::new();
    let clients = house.urls().map(|url| patient(&url));
    let mut told = [Vec::new(), Vec::new()];
    for (client, told) in clients.iter().zip(&mut told) {
        // Counters of its own, so that nobody spends another's.
        let org = client.status().servers[0].address.clone();
        let user = format!("ann of {org}");
        let search = |user| search(user).org(&*org);
        for cost in [1, 0, 5, 3, 11, 2] {
            let answer = client.check(&search(&*user).cost(cost)).await.unwrap();
            assert_eq!(answer.source(), Source::Server);
            told.push(facts(&answer));
            let is_whole =
                answer.limits().iter().all(|limit| limit.window == Duration::from_secs(86_400));
            assert!(is_whole && answer.limits().len() == 2, "{answer:?}");
        }
        told.push(facts(&client.check(&search("mallory")).await.unwrap()));
        told.push(facts(
            &client.check(&Check::new().user("nobody").endpoint("/else")).await.unwrap(),
        ));
        told.push(facts(&client.peek(&search("fresh")).await.unwrap()));
        let denied = client.check(&search(&user).cost(2)).await.unwrap();
        assert!(denied.retry_after() > Some(Duration::from_secs(3_600)), "{denied:?}");
        assert!(
            denied.retry_after_s() > Some(3_600) && denied.reset_after() > denied.retry_after()
        );
    }
    assert_eq!(told[0], told[1]);
    assert_eq!(told[0][2], (true, Some(10), Some(4), Some("search".into()), 200));
    assert_eq!(told[0][4], (false, Some(10), Some(0), Some("search".into()), 429));
    assert_eq!(told[0][6], (false, Some(0), Some(0), Some("stop".into()), 403));
    assert_eq!(told[0][7], (true, None, None, None, 200));
    for client in &clients {
        drop(client.check(&search("last")).await.unwrap());
        assert_eq!(client.status().callers, 2, "each of them, once");
    }
}

#[tokio::test(start_paused = true)]
async fn a_batch_is_answered_in_order_and_each_on_its_own() {
    let _still = standstill();
    let house = House::new();
    for (place, url) in house.urls().iter().enumerate() {
        let client = patient(url);
        let user = format!("batch{place}");
        let checks = [
            search(&user).cost(10),
            Check::new(),
            search(&user),
            search("bob"),
            Check::new().user("x").scope("nothing"),
        ];
        let answers = client.check_all(&checks).await;
        let allowed: Vec<Result<bool, Fault>> = answers
            .iter()
            .map(|answer| match answer {
                Ok(answer) => Ok(answer.is_allowed()),
                Err(error) => Err(error.fault()),
            })
            .collect();
        let wrong = Err(Fault::Question);
        assert_eq!(allowed, [Ok(true), wrong, Ok(false), Ok(true), wrong], "{url}");
    }
}

/// Facts with every kind of character arrive as they are.
#[tokio::test(start_paused = true)]
async fn odd_texts_arrive_as_they_are() {
    let _still = standstill();
    let house = House::new();
    let odd = "a\"b\\c é漢\u{1f600} {}[]:,";
    let [over_http, over_resp] = house.urls().map(|url| patient(&url));
    let check = Check::new().org(odd).user("odd").endpoint("/search").attribute("a b", odd);
    assert_eq!(over_http.check(&check).await.unwrap().remaining(), Some(9));
    assert_eq!(over_resp.check(&check).await.unwrap().remaining(), Some(8));
}

/// Credentials that are refused are the business of whoever sent them, and open no breaker.
#[tokio::test(start_paused = true)]
async fn refused_credentials_are_an_error() {
    let _still = standstill();
    let house = House::new();
    for url in house.urls() {
        let client = patient(&url);
        let check =
            Check::new().api_key("tgk_00000000000000000000000000000000_000000").endpoint("/search");
        let asked = client.check(&check.clone().token("a.b.c")).await;
        let error = asked.unwrap_err();
        assert!(matches!(error.fault(), Fault::Credentials | Fault::Question), "{error}");
        assert!(!error.is_retryable());
        assert_eq!(client.status().refused, 1);
    }
}

/// Many callers at once: every one of them gets its own answer, and the count is right to the last.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn answers_find_whoever_asked() {
    let house = House::new();
    for (place, url) in house.urls().iter().enumerate() {
        let client = patient(url);
        let begun = SystemClock.now().steady;
        let mut tasks = tokio::task::JoinSet::new();
        for task in 0..200 {
            let client = client.clone();
            tasks.spawn(five_times(client, format!("p{place}t{task}")));
        }
        while let Some(left) = tasks.join_next().await {
            let left = left.unwrap();
            assert_eq!(left, LEFT[..left.len()], "{url}");
        }
        let status = client.status();
        let passed = SystemClock.now().steady.since(begun);
        // A client gives up a server that is silent for a second, as it is while the machine stalls.
        if passed >= Micros::from_secs(1) && status.servers[0].failures > 0 {
            continue;
        }
        assert_eq!(status.by_server.allowed, 1_000);
        assert_eq!(status.servers[0].connections, 2);
    }
}

/// What is left of a thousand after each of five.
const LEFT: [u64; 5] = [999, 998, 997, 996, 995];

/// What is left after each of five checks, as far as the server answers them.
async fn five_times(client: Client, user: String) -> Vec<u64> {
    let mut left = Vec::new();
    for _ in 0..5 {
        let check = Check::new().user(&*user).endpoint("/named");
        let answer = client.check(&check).await.unwrap();
        if answer.source() != Source::Server {
            break;
        }
        left.push(answer.remaining().unwrap());
    }
    left
}
