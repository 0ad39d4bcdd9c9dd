//! Entries while PostgreSQL does not answer.
// Proves: I2, R9

use std::time::Duration;

use tollgate_catalog::{
    Catalog, CatalogError, DatabaseUrl, LastGood, UsageBatch, UsageKind, UsageRow,
};
use tollgate_core::Clock as _;
use tollgate_testkit::{postgres::Postgres, proxy::Proxy};

use crate::{
    common::{
        Place, dana,
        node::{Node, settings},
        override_of,
        people::api_key,
    },
    watch::entries::{data, forget_entries, new},
};

/// The copy of a release that knew of no entries says how far it goes; that does not hide them for ever.
#[tokio::test(flavor = "multi_thread")]
async fn a_copy_without_entries_is_not_taken_for_whole() {
    let place = Place::postgres();
    let writer = place.open_ruled().await;
    let over = override_of("login", "acme", "2x");
    writer.put_override(over, &dana()).await.unwrap();
    let key = new(&writer, api_key("alice", 1)).await;
    let at_home = || settings("a").data(data(&place));
    let node = Node::start(place.open().await, at_home()).await;
    node.stop().await;
    forget_entries(&LastGood::new(&data(&place)).overrides_path());
    // It starts while the database is away, which then comes back.
    let proxy = Proxy::to(Postgres::shared().addr());
    proxy.refuse();
    let url = place.postgres.as_ref().unwrap().url_at(proxy.addr());
    let url: DatabaseUrl = url.parse().unwrap();
    let options = place.options().call_max(Duration::from_secs(5));
    let catalog = Catalog::lazy(&url, options).unwrap();
    let mut node = Node::start(catalog, at_home()).await;
    assert_eq!(node.board.overrides().len(), 1);
    assert_eq!(node.board.entries(), []);
    proxy.accept();
    node.until("it is back", |status| status.trouble.is_none()).await;
    assert_eq!(node.board.entries(), [key.entry]);
    node.stop().await;
}

/// The answer to a telling is lost after it was written: told again, it counts once.
#[tokio::test(flavor = "multi_thread")]
async fn usage_counts_once_after_a_lost_answer() {
    let place = Place::postgres();
    let reader = place.open().await;
    let proxy = Proxy::to(Postgres::shared().addr());
    let url = place.postgres.as_ref().unwrap().url_at(proxy.addr());
    let catalog = Catalog::open_with(&url.parse().unwrap(), place.options()).await.unwrap();
    let now = place.clock.now().wall;
    let row = UsageRow {
        kind: UsageKind::ApiKey,
        id: "k1".into(),
        day: u32::try_from(now.as_micros() / 86_400_000_000).unwrap(),
        allowed: 5,
        denied: 1,
        last_at: now,
    };
    let told = UsageBatch { node: "a-1".into(), number: 1, rows: vec![row] };
    proxy.drop_reply_to(b"COMMIT");
    let error = catalog.add_usage(&told).await.unwrap_err();
    assert_eq!(proxy.replies_dropped(), 1, "the fault took place");
    assert!(matches!(error, CatalogError::Undecided(_)), "{error}");
    proxy.flow();
    catalog.add_usage(&told).await.unwrap();
    let used = reader.usage(UsageKind::ApiKey, &["k1".into()], now).await;
    let used = used.unwrap();
    assert_eq!((used[0].today, used[0].total), ((5, 1), (5, 1)));
}
