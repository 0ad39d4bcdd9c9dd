//! Many checks at once.

use tollgate_client::{Check, Source};

use super::{Behaviour, Fake, client, clients};

fn checks(count: usize) -> Vec<Check<'static>> {
    let check = |place| Check::new().user(format!("u{place}"));
    (0..count).map(check).collect()
}

// Proves: U4
#[tokio::test(start_paused = true)]
async fn one_message_for_all_that_one_server_is_asked() {
    let fake = Fake::new(Behaviour::Allow);
    let client = client(&fake, |builder| builder);
    let answers = client.check_all(&checks(100)).await;
    assert_eq!(answers.len(), 100);
    assert!(answers.iter().all(|answer| answer.as_ref().unwrap().is_allowed()));
    assert_eq!(fake.requests(), 1);
    assert_eq!(client.check_all(&checks(2_500)).await.len(), 2_500);
    assert_eq!(fake.requests(), 4);
    assert!(client.check_all(&[]).await.is_empty());
    assert_eq!(client.status().by_server.allowed, 2_600);
}

/// However many servers there are, each gets one message.
#[tokio::test(start_paused = true)]
async fn as_many_messages_as_servers() {
    let fakes = [(); 5].map(|()| Fake::new(Behaviour::Allow));
    let client = clients(&fakes.each_ref(), |builder| builder);
    let answers = client.check_all(&checks(500)).await;
    let by_server = |answer: &Result<tollgate_client::Answer, _>| {
        answer.as_ref().unwrap().source() == Source::Server
    };
    assert!(answers.iter().all(by_server));
    assert_eq!(fakes.each_ref().map(|fake| fake.requests()), [1; 5]);
}

/// Those of a server that is gone are answered here, the others are not hurt.
#[tokio::test(start_paused = true)]
async fn half_of_a_batch_can_fall_back() {
    let fakes = [Fake::new(Behaviour::Allow), Fake::new(Behaviour::BlackHole)];
    let client = clients(&[&fakes[0], &fakes[1]], |builder| builder);
    let answers = client.check_all(&checks(200)).await;
    let by_server = |answer: &&Result<tollgate_client::Answer, _>| {
        answer.as_ref().unwrap().source() == Source::Server
    };
    let by_server = answers.iter().filter(by_server).count();
    assert!((60..140).contains(&by_server), "{by_server}");
}

/// What was denied a moment ago is not asked again; the rest of the batch is.
#[tokio::test(start_paused = true)]
async fn remembered_denials_stay_at_home() {
    let fake = Fake::new(Behaviour::Deny);
    let client = client(&fake, |builder| builder);
    drop(client.check_all(&checks(3)).await);
    let answers = client.check_all(&checks(4)).await;
    let sources: Vec<Source> = answers.into_iter().map(|answer| answer.unwrap().source()).collect();
    let (cached, asked) = (Source::CachedDenial, Source::Server);
    assert_eq!(sources, [cached, cached, cached, asked]);
}
