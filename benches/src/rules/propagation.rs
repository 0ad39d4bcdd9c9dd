//! How long a change of rules takes from its commit until every node enforces it.

use std::sync::Arc;

use tollgate::rules::{Live, RuleSet};
use tollgate_catalog::{Author, Base, Catalog, DatabaseUrl};

use super::{
    nodes::{Nodes, Spread, on_postgres},
    sets::rule_set,
};

const EDITS: usize = 200;
/// A typical set: what is measured includes fetching and compiling it.
const RULES: usize = 200;

pub(super) fn run() -> anyhow::Result<Spread> {
    on_postgres("propagation", measure)
}

async fn measure(url: &DatabaseUrl) -> anyhow::Result<Spread> {
    let catalog = Catalog::open(url).await?;
    let mut set = Arc::new(rule_set(RULES));
    catalog.apply(&set, Base::Any, Author::new("bench")).await?;
    let nodes = Nodes::start(url).await?;
    let mut times = Vec::with_capacity(EDITS);
    for edit in 0..EDITS {
        set = Arc::new(edited(&set, edit));
        let written = catalog.apply(&set, Base::Any, Author::new("bench")).await?;
        let wanted = written.revision.get();
        let knows = |live: &Live| {
            let found = live.snapshot().map_or(0, |snapshot| snapshot.revision());
            found >= wanted
        };
        times.push(nodes.until(knows).await?);
    }
    nodes.end(times).await
}

/// The same set with another limit on one rule.
fn edited(set: &RuleSet, edit: usize) -> RuleSet {
    let mut set = set.clone();
    let name = format!("rule-{}", edit * 20 % RULES);
    if let Some(rule) = set.rules.get_mut(name.as_str()) {
        Arc::make_mut(rule).priority = i32::try_from(edit % 1_000).unwrap_or(0) + 1;
    }
    set
}
