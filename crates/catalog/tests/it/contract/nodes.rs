//! Who runs what.
// Proves: R8

use std::time::Duration;

use tollgate_catalog::{
    Catalog, Confirmation, Goal, NodeId, NodeReport, OverrideSeq, RevisionNumber,
};
use tollgate_core::Timestamp;

use crate::common::{Place, SOON, dana, override_of, put, rule};

const LONG: Duration = Duration::from_secs(600);

async fn report(catalog: &Catalog, id: &str, revision: u64, seq: u64, every: Duration) {
    let report = NodeReport {
        id: NodeId::new(id),
        revision: RevisionNumber::new(revision).unwrap(),
        hash: catalog.latest().await.unwrap().hash,
        override_seq: OverrideSeq::new(seq).unwrap(),
        started_at: Timestamp::from_secs(1),
        every,
    };
    catalog.report(&report).await.unwrap();
}

/// Which nodes have confirmed by now: with no time to wait there is still one look.
async fn early(catalog: &Catalog, goal: Goal) -> Confirmation {
    catalog.wait_confirmed(goal, Duration::ZERO).await.unwrap()
}

fn names(nodes: &[NodeId]) -> Vec<&str> {
    nodes.iter().map(NodeId::as_str).collect()
}

pub(crate) async fn reports_are_listed_and_age(place: Place) {
    let catalog = place.open().await;
    report(&catalog, "a", 0, 0, LONG).await;
    report(&catalog, "b", 0, 0, Duration::ZERO).await;
    report(&catalog, "a", 0, 0, LONG).await;
    let nodes = catalog.nodes().await.unwrap();
    let live: Vec<_> = nodes.iter().map(|node| (node.id.as_str(), node.is_live)).collect();
    assert_eq!(live, [("a", true), ("b", false)]);
    assert!(nodes[0].seen_at > Timestamp::from_secs(1_700_000_000), "the database's own time");
    catalog.leave(&NodeId::new("a")).await.unwrap();
    assert!(!catalog.nodes().await.unwrap()[0].is_live);
}

pub(crate) async fn a_write_waits_for_every_live_node(place: Place) {
    let catalog = place.open().await;
    report(&catalog, "dead", 0, 0, Duration::ZERO).await;
    report(&catalog, "a", 0, 0, LONG).await;
    report(&catalog, "b", 0, 0, LONG).await;
    let goal = Goal::Revision(catalog.edit(put(rule("login", 1))).await.unwrap().revision);
    report(&catalog, "a", 1, 0, LONG).await;
    let waited = early(&catalog, goal).await;
    assert_eq!((names(&waited.confirmed), names(&waited.missing)), (vec!["a"], vec!["b"]));
    assert!(!waited.is_complete());
    let (waited, ()) =
        tokio::join!(catalog.wait_confirmed(goal, SOON), report(&catalog, "b", 1, 0, LONG));
    let waited = waited.unwrap();
    assert!(waited.is_complete());
    assert_eq!(names(&waited.confirmed), ["a", "b"]);
    let seq = catalog.put_override(override_of("login", "acme", "2x"), &dana()).await.unwrap().seq;
    let waited = early(&catalog, Goal::Overrides(seq)).await;
    assert_eq!(names(&waited.missing), ["a", "b"]);
    report(&catalog, "a", 1, seq.get(), LONG).await;
    report(&catalog, "b", 1, seq.get(), LONG).await;
    assert!(catalog.wait_confirmed(Goal::Overrides(seq), SOON).await.unwrap().is_complete());
}

pub(crate) async fn numbers_are_above_what_any_node_runs(place: Place) {
    let catalog = place.open().await;
    report(&catalog, "ahead", 57, 33, Duration::ZERO).await;
    let written = catalog.edit(put(rule("login", 1))).await.unwrap();
    assert_eq!(written.revision.get(), 58);
    let put = catalog.put_override(override_of("login", "acme", "2x"), &dana()).await.unwrap();
    assert_eq!(put.seq.get(), 34);
    assert_eq!(catalog.edit(crate::common::put(rule("b", 1))).await.unwrap().revision.get(), 59);
    assert_eq!(catalog.latest().await.unwrap().set.rules.len(), 2);
}

/// Who says goodbye while a write waits is not missed.
pub(crate) async fn a_node_that_left_is_not_waited_for(place: Place) {
    let catalog = place.open().await;
    report(&catalog, "a", 1, 0, LONG).await;
    report(&catalog, "b", 0, 0, LONG).await;
    let goal = Goal::Revision(RevisionNumber::new(1).unwrap());
    let leave = async {
        // The wait has begun: it names whom it waits for.
        let early = early(&catalog, goal).await;
        assert_eq!(names(&early.missing), ["b"]);
        catalog.leave(&NodeId::new("b")).await.unwrap();
    };
    let (waited, ()) = tokio::join!(catalog.wait_confirmed(goal, SOON), leave);
    let waited = waited.unwrap();
    assert_eq!(names(&waited.confirmed), ["a"]);
    assert!(waited.is_complete(), "{waited:?}");
}
