//! A real server behind a network that fails: every call is answered, within the bound, and it ends by itself.

use std::time::{Duration, Instant};

use tollgate_client::{BreakerState, Check, Client, Fallback, Source};
use tollgate_core::ManualClock;
use tollgate_testkit::{free_address, proxy::Proxy, wait_for};

use super::house::{HASTY, House, PATIENT, RULES, allowed, client, search};
use crate::common::{Desk, server::LONG, standstill};

const HERE: Source = Source::Fallback(Fallback::Local);

/// Longer than a breaker is open.
const OPEN_TIME: Duration = Duration::from_secs(31);

/// To clients of the Redis protocol it is garbage of another kind.
const BROKEN: &[u8] = b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 2\r\n\r\n{}";

/// A fault, by the name under which it is reported.
type Fault = (&'static str, fn(&Proxy));

const FAULTS: [Fault; 10] = [
    ("refused", |proxy| {
        proxy.refuse();
        proxy.cut();
    }),
    ("cut and cut again", |proxy| {
        proxy.drop_replies();
        proxy.cut();
    }),
    ("black hole", |proxy| proxy.stall()),
    ("one way only", |proxy| proxy.mute()),
    ("replies lost", |proxy| proxy.drop_replies()),
    ("reset mid-answer", |proxy| proxy.halve_replies()),
    ("garbage", |proxy| {
        proxy.replace_replies(b"\x00\x01 what is this?\r\n\r\n");
    }),
    ("500s", |proxy| proxy.replace_replies(BROKEN)),
    ("late", |proxy| proxy.slow(Duration::from_secs(60))),
    ("new ones into the void", |proxy| {
        proxy.stall();
        proxy.cut();
    }),
];

fn state(client: &Client) -> BreakerState {
    client.status().servers[0].breaker
}

// Proves: U4, C6
#[tokio::test(flavor = "multi_thread")]
async fn with_the_server_gone_the_limits_still_hold_and_it_comes_back() {
    for (name, break_it) in FAULTS {
        for place in 0..2 {
            // A house for each: how many callers there are counts.
            let house = House::new();
            let (proxy, url) = house.proxied().into_iter().nth(place).unwrap();
            let (client, clock) = client(&url, |builder| builder.deadline(HASTY));
            // The first call may meet a machine that is busy, so it costs nothing.
            let user = format!("u{}", url.len());
            let check = search(&user);
            wait_for_answer(&client, &clock, &search(&user).cost(0)).await;
            break_it(&proxy);
            let before = client.status();
            let spent = allowed(&client, &check, 40, HERE).await;
            assert!(spent <= 10, "{name} {url}: {spent} of 10 a day");
            assert!(spent >= 9, "{name} {url}: {spent}, and there is one caller");
            assert_eq!(state(&client), BreakerState::Open, "{name} {url}");
            let failures = client.status().servers[0].failures - before.servers[0].failures;
            assert!(failures <= 20, "{name} {url}: {failures} until it opened");
            let stranger = allowed(&client, &search("stranger"), 40, HERE).await;
            assert_eq!(stranger, 10, "{name} {url}: who is new is limited like others");

            proxy.accept();
            proxy.flow();
            proxy.cut();
            clock.advance(OPEN_TIME);
            come_back(&client, &clock).await;
        }
    }
}

/// Asks until the server answers: a machine that is busy may need several calls for it.
async fn wait_for_answer(client: &Client, clock: &ManualClock, check: &Check<'_>) {
    while client.check(check).await.unwrap().source() != Source::Server {
        close_again(client, clock);
    }
}

/// Asks until all traffic is back.
async fn come_back(client: &Client, clock: &ManualClock) {
    for call in 0..10_000 {
        let user = format!("back{call}");
        drop(client.check(&Check::new().user(&*user)).await.unwrap());
        if state(client) == BreakerState::Closed {
            return;
        }
        close_again(client, clock);
    }
    panic!("{:?}", client.status());
}

/// Lets the time pass for which a breaker is open, if a machine that is busy has opened it.
fn close_again(client: &Client, clock: &ManualClock) {
    if state(client) == BreakerState::Open {
        clock.advance(OPEN_TIME);
    }
}

/// From one call in a hundred to all of them: above a tenth the server is left alone, and each call is answered.
#[tokio::test(flavor = "multi_thread")]
async fn a_network_that_fails_now_and_then_is_borne_up_to_a_tenth() {
    for (one_in, opens) in [(100, false), (50, false), (5, true), (2, true), (1, true)] {
        let house = House::new();
        for (proxy, url) in house.proxied() {
            let (client, _) = client(&url, |builder| builder.deadline(PATIENT));
            proxy.lose_one_in(one_in);
            for call in 0..300 {
                let user = format!("u{call}");
                let check = Check::new().user(&*user).endpoint("/named");
                assert!(client.check(&check).await.unwrap().is_allowed());
            }
            let is_open = state(&client) == BreakerState::Open;
            assert_eq!(is_open, opens, "one in {one_in}, {url}");
            assert!(proxy.replies_dropped() > 0, "one in {one_in}, {url}");
        }
    }
}

/// Answers in slices of a byte are answers.
#[tokio::test(start_paused = true)]
async fn crumbs_are_put_together() {
    let _still = standstill();
    let house = House::new();
    for (proxy, url) in house.proxied() {
        let (client, _) = client(&url, |builder| builder.deadline(PATIENT));
        proxy.crumble();
        let named = Check::new().user(&*url).endpoint("/named");
        assert_eq!(allowed(&client, &named, 20, Source::Server).await, 20);
    }
}

/// Two callers, and together they admit what one may.
#[tokio::test(start_paused = true)]
async fn callers_share_what_they_enforce_alone() {
    let _still = standstill();
    let house = House::new();
    let (proxy, url) = {
        let [over_http, _] = house.proxied();
        over_http
    };
    let clients = [0; 2].map(|_| client(&url, |builder| builder.deadline(PATIENT)).0);
    // Each says hello; the first learns of the second with its next answer.
    for client in clients.iter().chain(&clients) {
        assert_eq!(client.check(&search("ann")).await.unwrap().source(), Source::Server);
    }
    assert_eq!(clients.each_ref().map(|client| client.status().callers), [2, 2]);
    proxy.refuse();
    proxy.cut();
    let mut spent = 0;
    for client in &clients {
        spent += allowed(client, &search("ann"), 40, HERE).await;
    }
    assert_eq!(spent, 10);
}

/// The process is killed; another comes up in its place; nobody has to do anything.
#[tokio::test(start_paused = true)]
async fn a_server_that_dies_is_found_again() {
    let _still = standstill();
    let (desk, addr) = (Desk::new(), free_address().to_string());
    desk.write("rules.yaml", RULES);
    let flags = ["--rules", "rules.yaml", "--http", &addr];
    let server = desk.serve(&flags);
    let (client, clock) = client(&format!("http://{addr}"), |builder| builder.deadline(PATIENT));
    assert_eq!(allowed(&client, &search("ann"), 3, Source::Server).await, 3);
    drop(server);
    allowed(&client, &search("ann"), 40, HERE).await;
    assert_eq!(state(&client), BreakerState::Open);
    let _server = desk.serve(&flags);
    clock.advance(OPEN_TIME);
    come_back(&client, &clock).await;
    assert_eq!(client.check(&search("bob")).await.unwrap().source(), Source::Server);
}

/// A server that hangs costs its callers the deadline of twenty calls, once.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_hangs_is_left_alone() {
    let house = House::new();
    let (client, clock) = client(&house.urls()[0], |builder| builder.deadline(HASTY));
    wait_for_answer(&client, &clock, &search("ann").cost(0)).await;
    house.server.pause();
    let before = client.status().servers[0].failures;
    allowed(&client, &search("ann"), 1_000, HERE).await;
    let status = &client.status().servers[0];
    assert!(status.failures - before <= 20, "{status:?}");
    assert_eq!((status.breaker, status.in_flight), (BreakerState::Open, 0));
}

/// A name that leads nowhere, and an address where nobody is.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_there() {
    let nobody = format!("http://{}", free_address());
    for url in ["http://tollgate.invalid:7070", &nobody, "redis://tollgate.invalid"] {
        let (client, _) = client(url, |builder| builder.deadline(HASTY));
        assert_eq!(allowed(&client, &search("ann"), 100, HERE).await, 100, "{url}");
        assert_eq!(state(&client), BreakerState::Open, "{url}");
        let error = client.peek(&search("ann")).await.unwrap_err();
        assert!(error.is_retryable(), "{error}");
        wait_for("no connection is left", LONG, || {
            (client.status().servers[0].connections == 0).then_some(())
        });
    }
}

/// Of several servers one is lost: its keys go to the next, the others' stay where they are.
#[tokio::test(start_paused = true)]
async fn the_keys_of_a_lost_server_go_to_the_next() {
    let _still = standstill();
    let houses = [House::new(), House::new(), House::new()];
    let urls = houses.each_ref().map(|house| house.urls()[0].clone());
    let (client, _) = client(&urls.join(","), |builder| builder.deadline(PATIENT));
    let users: Vec<String> = (0..300).map(|user| format!("u{user}")).collect();
    let named = |user: &'_ str| Check::new().user(user.to_owned()).endpoint("/named");
    for user in &users {
        assert_eq!(client.check(&named(user)).await.unwrap().remaining(), Some(999));
    }
    let calls: Vec<u64> = client.status().servers.iter().map(|server| server.calls).collect();
    assert!(calls.iter().all(|calls| (50..150).contains(calls)), "{calls:?}");
    let [first, _second, _third] = houses;
    drop(first);
    until_cut(&client).await;
    let mut moved = 0;
    for user in &users {
        let answer = client.check(&named(user)).await.unwrap();
        assert_eq!(answer.source(), Source::Server, "another one is there");
        // Counters are each server's own here: a key that moved begins anew.
        moved += u64::from(answer.remaining() == Some(999));
    }
    assert_eq!(moved, calls[0]);
}

/// Waits until the client has seen that its connections to the first server are gone: what it sends over one that it
/// has not seen end is lost.
#[expect(clippy::disallowed_methods, reason = "a real server is waited for in real time")]
async fn until_cut(client: &Client) {
    let begun = Instant::now();
    while client.status().servers[0].connections > 0 {
        assert!(begun.elapsed() < LONG, "{:?}", client.status());
        tokio::task::yield_now().await;
    }
}
