//! Finding what is on record, and how much of it there can be.
// Proves: O2

use tollgate_catalog::{AuditListing, Author, Base, Ended, EntryAt, Noted};
use tollgate_core::{Clock as _, Micros};

use super::audit::{last, rows};
use crate::common::{Place, dana, people::block, rule, set};

pub(crate) async fn what_is_no_write_is_noted(place: Place) {
    let catalog = place.open().await;
    let refused = Noted {
        author: Author::new("eve").calling_from("192.0.2.1"),
        action: "api_key.revoke".into(),
        object: ("api_key".into(), "k\0".repeat(600).into()),
        before: None,
        after: Some(format!("\"{}\"", "x".repeat(70_000))),
        ended: Ended::Refused,
        times: 17,
    };
    catalog.note(vec![refused.clone()]).await.unwrap();
    let row = last(&catalog).await;
    assert_eq!((row.ended, row.times), (Ended::Refused, 17));
    assert_eq!(row.object.1.len(), 500, "cut");
    let hash = blake3::hash(refused.after.as_deref().unwrap().as_bytes());
    let kept = format!("{{\"too_long\":70002,\"blake3\":\"{hash}\"}}");
    assert_eq!(row.after, Some(kept), "enough to know it again");
    let many = vec![refused; 1_001];
    assert!(catalog.note(many).await.is_err());
    catalog.note(Vec::new()).await.unwrap();
}

pub(crate) async fn rows_are_found_by_time_actor_and_object(place: Place) {
    let catalog = place.open_ruled().await;
    let start = place.clock.now().wall;
    for at in 0..5 {
        place.clock.advance(Micros::from_secs(60));
        let author = Author::new(if at % 2 == 0 { "even" } else { "odd" });
        let entry = block(&format!("u{at}"));
        catalog.put_entry(EntryAt::New, entry, &author).await.unwrap();
    }
    let minute = |count: u64| start.saturating_add(Micros::from_secs(60 * count));
    let found = async |listing: AuditListing| -> Vec<u64> {
        rows(&catalog, listing).await.iter().map(|row| row.id).collect()
    };
    let all = AuditListing::default;
    assert_eq!(found(all()).await, [7, 6, 5, 4, 3, 2, 1]);
    let since = AuditListing { since: Some(minute(2)), ..all() };
    assert_eq!(found(since).await, [7, 6, 5, 4]);
    let until = AuditListing { until: Some(minute(2)), ..all() };
    assert_eq!(found(until).await, [3, 2, 1]);
    let actor = AuditListing { actor: Some("odd".into()), ..all() };
    assert_eq!(found(actor).await, [6, 4]);
    let kind = AuditListing { object_kind: Some("rule".into()), ..all() };
    assert_eq!(found(kind.clone()).await, [2, 1]);
    let one = AuditListing { object: Some("search".into()), ..kind };
    assert_eq!(found(one).await, [2]);
    let page = AuditListing { count: 3, ..all() };
    assert_eq!(found(page.clone()).await, [7, 6, 5]);
    let next = AuditListing { before: Some(5), ..page };
    assert_eq!(found(next.clone()).await, [4, 3, 2]);
    let end = AuditListing { before: Some(2), ..next };
    assert_eq!(found(end).await, [1]);
}

pub(crate) async fn a_large_write_is_a_bounded_number_of_rows(place: Place) {
    let catalog = place.open().await;
    let many = (0..10_300).map(|at| rule(&format!("r{at}"), 1));
    catalog.apply(&set(many), Base::Any, dana()).await.unwrap();
    assert_eq!(place.count("audit").await, 10_001);
    let rest = &last(&catalog).await;
    assert_eq!((&*rest.object.0, &*rest.object.1), ("rule", "*"));
    assert_eq!((&*rest.action, rest.times), ("rule.create", 300));
    assert_eq!(rest.after.as_deref(), Some("{\"more\":300}"));
}
