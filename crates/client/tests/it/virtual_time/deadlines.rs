//! Whatever a server does, a call ends in time.

use std::{sync::Arc, time::Duration};

use tokio::{
    io::BufStream,
    time::{Instant, sleep, timeout},
};
use tollgate_client::{BreakerState, Check, Client, Connecting, Fallback, Fault, Source, Stream};

use super::{Behaviour, Fake, client, clients};

pub(crate) const DEADLINE: Duration = Duration::from_millis(5);
/// The runtime's timers ring at the next whole millisecond.
pub(crate) const TICK: Duration = Duration::from_millis(1);

pub(crate) fn ann() -> Check<'static> {
    Check::new().user("ann")
}

const FAILURES: [Behaviour; 10] = [
    Behaviour::Refuse,
    Behaviour::NoName,
    Behaviour::BlackHole,
    Behaviour::ResetMidAnswer,
    Behaviour::Garbage,
    Behaviour::Status(500),
    Behaviour::Status(404),
    Behaviour::Status(200),
    Behaviour::Crumble(Duration::from_millis(1)),
    Behaviour::Slow(Duration::from_secs(3_600)),
];

// Proves: U4, C6
#[tokio::test(start_paused = true)]
async fn every_call_ends_within_its_deadline_and_the_breaker_opens() {
    for behaviour in FAILURES {
        let fake = Fake::new(behaviour);
        let client = client(&fake, |builder| builder);
        // The first call waits for the connection as well: that it is late does not count.
        let excused = match behaviour {
            Behaviour::BlackHole | Behaviour::Crumble(_) | Behaviour::Slow(_) => 1,
            _ => 0,
        };
        for call in 0..50 {
            let began = Instant::now();
            let answer = client.check(&ann()).await.unwrap();
            let took = began.elapsed();
            assert!(took <= DEADLINE + TICK, "{behaviour:?}: {took:?}");
            assert_eq!(answer.source(), Source::Fallback(Fallback::Local));
            let status = client.status();
            let is_open = status.servers[0].breaker == BreakerState::Open;
            assert_eq!(is_open, call >= 19 + excused, "{behaviour:?} after {} calls", call + 1);
            if call >= 20 + excused {
                assert_eq!(took, Duration::ZERO, "nobody is asked any more");
            }
        }
        let status = client.status();
        assert_eq!(status.servers[0].calls, 20 + excused, "{behaviour:?}");
        assert_eq!(status.by_fallback.allowed, 50, "nothing was ever told");
        assert_eq!(status.unknown, 50);
    }
}

/// One byte at a time is slow, not wrong.
#[tokio::test(start_paused = true)]
async fn an_answer_in_slices_is_an_answer() {
    let fake = Fake::new(Behaviour::Crumble(Duration::from_micros(1)));
    let client = client(&fake, |builder| builder.deadline(Duration::from_secs(5)));
    let answer = client.check(&ann()).await.unwrap();
    assert_eq!((answer.source(), answer.limit()), (Source::Server, Some(5)));
}

/// A peek has no fallback: its error says whose fault it is, and that asking again may help.
#[tokio::test(start_paused = true)]
async fn a_peek_says_why_there_is_no_answer() {
    for (behaviour, fault) in [
        (Behaviour::Refuse, Fault::Network),
        (Behaviour::BlackHole, Fault::Network),
        (Behaviour::Garbage, Fault::Server),
        (Behaviour::Status(500), Fault::Server),
        (Behaviour::Status(407), Fault::Server),
        (Behaviour::Status(413), Fault::Server),
        (Behaviour::Status(400), Fault::Question),
        (Behaviour::Status(401), Fault::Credentials),
        (Behaviour::Status(403), Fault::Trust),
    ] {
        let fake = Fake::new(behaviour);
        let client = client(&fake, |builder| builder);
        let error = client.peek(&ann()).await.unwrap_err();
        assert_eq!(error.fault(), fault, "{behaviour:?}: {error}");
        let is_ours = matches!(fault, Fault::Network | Fault::Server);
        assert_eq!(error.is_retryable(), is_ours);
    }
}

/// What is wrong with a question is not the server's fault: it is said, and the breaker stays as it is.
#[tokio::test(start_paused = true)]
async fn a_wrong_question_is_an_error_and_opens_nothing() {
    let fake = Fake::new(Behaviour::Status(401));
    let client = client(&fake, |builder| builder);
    for _ in 0..50 {
        let error = client.check(&ann()).await.unwrap_err();
        assert_eq!(error.fault(), Fault::Credentials);
    }
    let status = client.status();
    assert_eq!(status.servers[0].breaker, BreakerState::Closed);
    assert_eq!((status.refused, status.by_fallback.allowed), (50, 0));
}

#[tokio::test(start_paused = true)]
async fn each_fallback_does_as_it_is_called() {
    let fake = Fake::new(Behaviour::Refuse);
    let open = client(&fake, |builder| builder.fallback(Fallback::Open));
    assert!(open.check(&ann()).await.unwrap().is_allowed());
    let closed = client(&fake, |builder| builder.fallback(Fallback::Closed));
    let answer = closed.check(&ann()).await.unwrap();
    assert!(!answer.is_allowed());
    assert_eq!((answer.status(), answer.retry_after_s()), (503, Some(1)));
}

/// What was told before the server went is enforced: 5 a minute for two callers is 2 for this one.
#[tokio::test(start_paused = true)]
async fn the_last_limits_told_go_on_holding() {
    let fake = Fake::new(Behaviour::Allow);
    let client = client(&fake, |builder| builder);
    assert_eq!(client.check(&ann()).await.unwrap().source(), Source::Server);
    fake.behave(Behaviour::BlackHole);
    let mut allowed = 0;
    for _ in 0..30 {
        let answer = client.check(&ann()).await.unwrap();
        allowed += u32::from(answer.is_allowed());
        if !answer.is_allowed() {
            assert_eq!((answer.rule(), answer.status()), (Some("login"), 429));
            assert!(answer.retry_after_s() > Some(0));
        }
    }
    assert_eq!(allowed, 2);
    let bob = Check::new().user("bob");
    let answers = [client.check(&bob).await, client.check(&bob).await, client.check(&bob).await];
    let allowed = answers.map(|answer| answer.unwrap().is_allowed());
    assert_eq!(allowed, [true, true, false], "who is new is limited like others");
    sleep(Duration::from_secs(60)).await;
    assert!(client.check(&ann()).await.unwrap().is_allowed(), "a new window");
}

/// A server that cannot be reached does not take the time of the next.
#[tokio::test(start_paused = true)]
async fn the_next_server_is_asked_in_time() {
    for behaviour in [Behaviour::Refuse, Behaviour::NoName] {
        let (dead, well) = (Fake::new(behaviour), Fake::new(Behaviour::Allow));
        let client = clients(&[&dead, &well], |builder| builder);
        for user in 0..200 {
            let check = Check::new().user(format!("u{user}"));
            let began = Instant::now();
            let answer = client.check(&check).await.unwrap();
            assert!(began.elapsed() <= DEADLINE + TICK);
            assert_eq!(answer.source(), Source::Server, "{behaviour:?}");
        }
        assert_eq!(well.requests(), 200);
        let status = client.status();
        assert_eq!(status.servers[0].breaker, BreakerState::Open);
        assert_eq!(status.servers[0].calls, 20, "{behaviour:?}");
    }
}

/// A server that does not believe this caller is as good as none: the fallback decides, and it is counted.
#[tokio::test(start_paused = true)]
async fn a_caller_that_is_not_believed_falls_back() {
    let fake = Fake::new(Behaviour::Status(403));
    for (fallback, is_allowed) in [(Fallback::Open, true), (Fallback::Closed, false)] {
        let client = client(&fake, |builder| builder.fallback(fallback));
        let answer = client.check(&ann()).await.unwrap();
        assert_eq!((answer.is_allowed(), client.status().untrusted), (is_allowed, 1));
    }
}

/// What no server would take is not sent: it would break off the calls of others.
#[tokio::test(start_paused = true)]
async fn what_is_too_long_stays_here() {
    let fake = Fake::new(Behaviour::Allow);
    let client = client(&fake, |builder| builder);
    let long = "a".repeat(70_000);
    let many = (0..65).fold(ann(), |check, at| check.attribute(format!("a{at}"), "b"));
    let much = (0..10).fold(ann(), |check, at| check.attribute(format!("a{at}"), &long[..10_000]));
    for check in [Check::new().api_key(&*long), Check::new().token(&*long), many, much] {
        let errors = [
            client.check(&check).await.unwrap_err(),
            client.peek(&check).await.unwrap_err(),
            client.check_all(&[check]).await.remove(0).unwrap_err(),
        ];
        assert!(errors.iter().all(|error| error.fault() == Fault::Question), "{errors:?}");
    }
    assert_eq!(fake.requests(), 0);
    assert!(client.check(&ann()).await.unwrap().is_allowed());
}

/// A host that is less patient than the client: its calls are dropped, and the breaker learns of it.
#[tokio::test(start_paused = true)]
async fn whoever_gives_up_early_is_spared_too() {
    let fake = Fake::new(Behaviour::BlackHole);
    let client = client(&fake, |builder| builder.deadline(Duration::from_secs(10)));
    let mut given_up = 0;
    for _ in 0..100 {
        let asked = timeout(Duration::from_millis(100), client.check(&ann())).await;
        given_up += u32::from(asked.is_err());
    }
    assert!((10..=20).contains(&given_up), "{given_up}");
    let status = &client.status().servers[0];
    assert_eq!((status.failures, status.in_flight), (20, 0));
    assert_eq!(status.breaker, BreakerState::Open);
}

/// Without a runtime there is nobody to ask, and nothing to panic about.
#[test]
fn without_a_runtime_the_fallback_answers() {
    let nowhere = format!("http://{}", tollgate_testkit::free_address());
    let client = Client::builder(&nowhere).deadline(Duration::MAX).build().unwrap();
    let answer = tollgate_testkit::block_on(client.check(&ann())).unwrap();
    assert_eq!(answer.source(), Source::Fallback(Fallback::Local));
    // A connection that stands does not help who asks from elsewhere.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    drop(runtime.block_on(client.check(&ann())).unwrap());
    let answer = tollgate_testkit::block_on(client.check(&ann())).unwrap();
    assert_eq!(answer.source(), Source::Fallback(Fallback::Local));
}

/// A page of somebody else is the matter of one call, not of those behind it.
#[tokio::test(start_paused = true)]
async fn one_odd_answer_is_one_odd_answer() {
    let fake = Fake::new(Behaviour::OddOneIn(50));
    let client = client(&fake, |builder| builder.connections(1));
    let mut calls = tokio::task::JoinSet::new();
    for user in 0..100 {
        let client = client.clone();
        calls.spawn(async move {
            let check = Check::new().user(format!("u{user}"));
            client.check(&check).await.unwrap().source()
        });
    }
    let sources = calls.join_all().await;
    let by_server = sources.iter().filter(|source| **source == Source::Server);
    assert_eq!(by_server.count(), 98);
}

/// Whatever keeps bytes back below the client is told to let them go.
#[tokio::test(start_paused = true)]
async fn what_is_buffered_below_is_flushed() {
    let fake = Fake::new(Behaviour::Allow);
    let connect = {
        let fake = Arc::clone(&fake);
        move |_: &str| -> Connecting {
            let connecting = fake.connect();
            Box::pin(async move {
                let stream = BufStream::new(connecting.await?);
                Ok(Box::new(stream) as Box<dyn Stream>)
            })
        }
    };
    let client = Client::builder("http://s").connect(connect).build().unwrap();
    assert_eq!(client.check(&ann()).await.unwrap().source(), Source::Server);
}
