//! How long a revocation takes from its commit until every node enforces it.

use std::sync::Arc;

use tollgate::{
    Timestamp,
    rules::{KeyStanding, Live},
};
use tollgate_catalog::{Author, Base, Catalog, DatabaseUrl, EntryAt, EntryBody, KeyBody};

use super::keys::digest;
use crate::rules::{Nodes, Spread, on_postgres, rule_set};

const REVOCATIONS: usize = 200;

pub(super) fn run() -> anyhow::Result<Spread> {
    on_postgres("revocation", measure)
}

async fn measure(url: &DatabaseUrl) -> anyhow::Result<Spread> {
    let author = Author::new("bench");
    let catalog = Catalog::open(url).await?;
    let set = Arc::new(rule_set(10));
    catalog.apply(&set, Base::Any, author.clone()).await?;
    let keys = (0..REVOCATIONS).map(|number| EntryBody::ApiKey(key(number)));
    let keys = catalog.put_entries(keys.collect(), &author).await?;
    let nodes = Nodes::start(url).await?;
    let mut times = Vec::with_capacity(REVOCATIONS);
    for (number, written) in keys.iter().enumerate() {
        let revoked = KeyBody { revoked_at: Some(Timestamp::EPOCH), ..key(number) };
        let at = EntryAt::Id { id: Arc::clone(&written.entry.id), seen: None };
        let revoked = EntryBody::ApiKey(revoked);
        catalog.put_entry(at, revoked, &author).await?;
        let digest = digest(number);
        let knows = |live: &Live| {
            let card = live.directory().key(&digest);
            let standing = card.map(|card| card.standing(&digest, Timestamp::EPOCH));
            standing == Some(KeyStanding::Revoked)
        };
        times.push(nodes.until(knows).await?);
    }
    nodes.end(times).await
}

fn key(number: usize) -> KeyBody {
    KeyBody {
        name: format!("key {number}").into(),
        hint: "tgk_abcd".into(),
        digest: digest(number),
        former: None,
        user: Some(format!("user-{number}").into()),
        org: None,
        tier: None,
        limits: None,
        expires_at: None,
        revoked_at: None,
    }
}
