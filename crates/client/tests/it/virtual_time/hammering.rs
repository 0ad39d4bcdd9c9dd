//! Whoever hammers costs nothing.

use std::time::Duration;

use tokio::time::sleep;
use tollgate_client::{Check, Source};

use super::{Behaviour, Fake, client};

// Proves: U4
#[tokio::test(start_paused = true)]
async fn a_denial_is_remembered_for_a_second() {
    let fake = Fake::new(Behaviour::Deny);
    let client = client(&fake, |builder| builder);
    let ann = Check::new().user("ann").cost(3);
    let first = client.check(&ann).await.unwrap();
    assert_eq!((first.source(), first.retry_after_s()), (Source::Server, Some(60)));
    sleep(Duration::from_millis(500)).await;
    for _ in 0..10_000 {
        let again = client.check(&ann).await.unwrap();
        assert!(!again.is_allowed());
        assert_eq!(again.source(), Source::CachedDenial);
        assert_eq!(again.retry_after(), Some(Duration::from_millis(59_500)));
    }
    assert_eq!(fake.requests(), 1);
    // What costs less may fit, and what is asked by others, or for something else, is another question.
    for other in [
        Check::new().user("ann").cost(2),
        Check::new().user("bob").cost(3),
        Check::new().user("ann").endpoint("/").cost(3),
        Check::new().user("ann").attribute("a", "b").cost(3),
        Check::new().user("ann").scope("user").cost(3),
    ] {
        let before = fake.requests();
        drop(client.check(&other).await.unwrap());
        assert_eq!(fake.requests(), before + 1, "{other:?}");
    }
    let dearer = client.check(&Check::new().user("ann").cost(4)).await.unwrap();
    assert_eq!(dearer.source(), Source::CachedDenial);
    sleep(Duration::from_millis(1_001)).await;
    assert_eq!(client.check(&ann).await.unwrap().source(), Source::Server);
}
