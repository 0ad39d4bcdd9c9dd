//! Nothing is charged twice, seen from the server's counters.

use tollgate_client::Check;
use tollgate_testkit::proxy::Proxy;

use super::house::{HASTY, House, PATIENT, client};
use crate::common::standstill;

const CALLS: u64 = 15;

fn named(user: &str) -> Check<'_> {
    Check::new().user(user).endpoint("/named")
}

/// What the server has counted for a user.
async fn counted(house: &House, user: &str) -> u64 {
    let (client, _) = client(&house.urls()[0], |builder| builder.deadline(PATIENT));
    let told = client.peek(&named(user).cost(0)).await.unwrap();
    1_000 - told.remaining().unwrap()
}

// Proves: U4, D15
#[tokio::test(flavor = "multi_thread")]
async fn replies_that_are_lost_are_not_asked_for_again() {
    let house = House::new();
    for (place, (proxy, url)) in house.proxied().into_iter().enumerate() {
        let (client, _) = client(&url, |builder| builder.deadline(HASTY));
        let user = format!("lost{place}");
        proxy.drop_replies();
        for _ in 0..CALLS {
            drop(client.check(&named(&user)).await.unwrap());
        }
        let spent = counted(&house, &user).await;
        assert!(spent <= CALLS, "{spent} for {CALLS} calls over {url}");
        assert!(spent > 0, "the server was never reached");
    }
}

/// With names, each is asked again, and still counted once.
#[tokio::test(start_paused = true)]
async fn what_has_a_name_is_asked_again_and_counted_once() {
    let _still = standstill();
    let house = House::new();
    for (place, (proxy, url)) in house.proxied().into_iter().enumerate() {
        let (client, _) = client(&url, |builder| builder.deadline(PATIENT).connections(1));
        let user = format!("named{place}");
        for call in 0..CALLS {
            let name = format!("{user}-{call}");
            lose_one_reply(&proxy, &name);
            let answer = client.check(&named(&user).request_id(&*name)).await.unwrap();
            assert_eq!(answer.remaining(), Some(999 - call), "{url}: the first answer, again");
        }
        assert_eq!(proxy.replies_dropped(), CALLS);
        assert_eq!(counted(&house, &user).await, CALLS);
        assert_eq!(client.status().servers[0].failures, 0);
    }
}

fn lose_one_reply(proxy: &Proxy, name: &str) {
    proxy.drop_reply_to(name.as_bytes());
}
