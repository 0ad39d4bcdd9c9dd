//! What was used.
// Proves: I2

use std::sync::Arc;

use tollgate_catalog::{Catalog, Usage, UsageBatch, UsageKind, UsageRow};
use tollgate_core::{Clock as _, Micros, Timestamp};

use crate::common::Place;

const DAY: Micros = Micros::from_secs(24 * 3_600);

/// Noon of a day in 2028, a leap year: days since its first.
fn noon(day: u32) -> Timestamp {
    let first = Timestamp::from_micros(u64::from(FIRST) * DAY.get());
    let noon = u64::from(day) * DAY.get() + DAY.get() / 2;
    first.saturating_add(Micros::new(noon))
}

/// 2028-01-01.
const FIRST: u32 = 21_184;

fn row(id: &str, day: u32, allowed: u64, denied: u64) -> UsageRow {
    UsageRow {
        kind: UsageKind::ApiKey,
        id: id.into(),
        day: FIRST + day,
        allowed,
        denied,
        last_at: noon(day),
    }
}

fn batch(node: &str, number: u64, rows: Vec<UsageRow>) -> UsageBatch {
    let node = node.into();
    UsageBatch { node, number, rows }
}

async fn used(catalog: &Catalog, id: &str, day: u32) -> Usage {
    let ids = [Arc::from(id), Arc::from("nobody")];
    let kind = UsageKind::ApiKey;
    let found = catalog.usage(kind, &ids, noon(day)).await.unwrap();
    assert_eq!(found[1], Usage::default());
    found[0]
}

pub(crate) async fn what_is_told_twice_counts_once(place: Place) {
    let catalog = place.open().await;
    let first = batch("a-1", 1, vec![row("k1", 0, 5, 1), row("k1", 0, 1, 0)]);
    for _ in 0..3 {
        catalog.add_usage(&first).await.unwrap();
    }
    assert_eq!(used(&catalog, "k1", 0).await.total, (6, 1));
    let second = batch("a-1", 2, vec![row("k1", 0, 10, 0)]);
    catalog.add_usage(&second).await.unwrap();
    // Late again: a lower number than the last.
    catalog.add_usage(&first).await.unwrap();
    // Another node, and the next run of the same.
    catalog.add_usage(&batch("b-1", 1, vec![row("k1", 0, 0, 7)])).await.unwrap();
    catalog.add_usage(&batch("a-2", 1, vec![row("k1", 0, 100, 0)])).await.unwrap();
    let now = used(&catalog, "k1", 0).await;
    assert_eq!((now.total, now.last_at), ((116, 8), Some(noon(0))));
    // Tellings of many at once, all of them twice.
    let mut tasks = tokio::task::JoinSet::new();
    for at in 0..16 {
        let catalog = catalog.clone();
        let ids = ["x", "y", "z"].into_iter();
        let ids: Vec<&str> = if at % 2 == 0 { ids.rev().collect() } else { ids.collect() };
        let rows = ids.into_iter().map(|id| row(id, 0, 1, 0)).collect();
        let told = batch(&format!("n-{}", at / 2), 1, rows);
        tasks.spawn(async move { catalog.add_usage(&told).await.unwrap() });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    for id in ["x", "y", "z"] {
        assert_eq!(used(&catalog, id, 0).await.total, (8, 0), "{id}");
    }
    let user = UsageRow { kind: UsageKind::User, ..row("k1", 0, 1, 1) };
    catalog.add_usage(&batch("c-1", 1, vec![user])).await.unwrap();
    assert_eq!(used(&catalog, "k1", 0).await.total, (116, 8), "a user is no key");
    let many = batch("d-1", 1, vec![row("k1", 0, 1, 0); 10_001]);
    assert!(catalog.add_usage(&many).await.is_err());
}

pub(crate) async fn usage_follows_the_calendar(place: Place) {
    let catalog = place.open().await;
    // The last of January, the leap day, the first of March.
    let rows = vec![row("k1", 30, 1, 0), row("k1", 59, 10, 2), row("k1", 60, 100, 0)];
    catalog.add_usage(&batch("a", 1, rows)).await.unwrap();
    let january = used(&catalog, "k1", 30).await;
    assert_eq!((january.today, january.month), ((1, 0), (1, 0)));
    let february = used(&catalog, "k1", 58).await;
    assert_eq!((february.today, february.month), ((0, 0), (0, 0)), "what comes later is not seen");
    let leap = used(&catalog, "k1", 59).await;
    assert_eq!((leap.today, leap.month), ((10, 2), (10, 2)));
    let march = used(&catalog, "k1", 60).await;
    assert_eq!((march.today, march.month, march.total), ((100, 0), (100, 0), (111, 2)));
    assert_eq!(march.last_at, Some(noon(60)));
}

pub(crate) async fn old_days_are_cleared_away(place: Place) {
    let catalog = place.open().await;
    let today = u32::try_from(place.clock.now().wall.as_micros() / DAY.get()).unwrap();
    let days = [0, 61, 62, 63, 100]
        .map(|ago| UsageRow { day: today.saturating_sub(ago), ..row("k1", 0, 1, 0) });
    catalog.add_usage(&batch("a", 1, days.to_vec())).await.unwrap();
    assert_eq!(place.count("usage_days").await, 3);
    assert_eq!(used(&catalog, "k1", 0).await.total, (5, 0), "the total stays");
    for _ in 0..63 {
        place.clock.advance(DAY);
    }
    catalog.add_usage(&batch("b", 1, Vec::new())).await.unwrap();
    assert_eq!(place.count("usage_days").await, 0);
    assert_eq!(place.count("usage_nodes").await, 1, "runs that are long over are forgotten");
}

/// Whoever is told of an error tells again: what was added must not be told for ever.
pub(crate) async fn what_cannot_be_cleared_away_holds_up_no_telling(place: Place) {
    let catalog = place.open().await;
    let keep = if place.postgres.is_some() {
        "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS \
         $$ BEGIN RAISE EXCEPTION 'kept'; END $$; \
         CREATE TRIGGER keep BEFORE DELETE ON usage_days FOR EACH ROW EXECUTE FUNCTION keep()"
    } else {
        "CREATE TRIGGER keep BEFORE DELETE ON usage_days \
         BEGIN SELECT RAISE(ABORT, 'kept'); END"
    };
    place.execute(keep).await;
    let old = UsageRow { day: 1, ..row("k1", 0, 1, 0) };
    for number in 1..3 {
        let told = batch("a", number, vec![old.clone()]);
        catalog.add_usage(&told).await.unwrap();
    }
    assert_eq!(used(&catalog, "k1", 0).await.total, (2, 0));
    assert_eq!(place.count("usage_days").await, 1, "it was not cleared away");
}
