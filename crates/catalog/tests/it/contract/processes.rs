//! Who shares counters.
// Proves: C7

use std::time::Duration;

use tollgate_catalog::{Catalog, NodeId, Process, ProcessReport};

use crate::common::Place;

const LONG: Duration = Duration::from_secs(86_400);

async fn enter(catalog: &Catalog, fleet: &str, process: &str, life: Duration) -> Vec<Process> {
    let report = ProcessReport {
        fleet: fleet.to_owned(),
        process: process.to_owned(),
        node: NodeId::new("gate-1"),
        life,
    };
    catalog.enter_process(&report).await.unwrap()
}

fn names(processes: &[Process]) -> Vec<&str> {
    let mut names: Vec<&str> = processes.iter().map(|one| one.process.as_str()).collect();
    names.sort_unstable();
    names
}

pub(crate) async fn processes_of_a_fleet_know_of_each_other(place: Place) {
    let catalog = place.open().await;
    assert_eq!(names(&enter(&catalog, "one", "n1", Duration::ZERO).await), [""; 0]);
    assert_eq!(names(&enter(&catalog, "two", "n2", LONG).await), [""; 0]);
    let before = enter(&catalog, "one", "n3", LONG).await;
    assert_eq!(names(&before), ["n1"]);
    assert_eq!(before[0].node.as_str(), "gate-1");
    assert!(before[0].first_seen <= before[0].last_seen);
    // It is the same run of the same node, which has met a longer limit.
    enter(&catalog, "one", "n1", LONG).await;
    let known = catalog.processes("one").await.unwrap();
    assert_eq!(names(&known), ["n1", "n3"]);
    assert!(known.iter().all(|one| one.life == LONG));
    let first = known.iter().find(|one| one.process == "n1").unwrap();
    assert_eq!(first.first_seen, before[0].first_seen);
    assert_eq!(catalog.processes("three").await.unwrap(), []);
}

pub(crate) async fn a_process_is_forgotten_once_nothing_of_it_counts(place: Place) {
    let catalog = place.open().await;
    for (process, life) in [("day", LONG), ("hour", LONG / 24), ("most", Duration::MAX)] {
        enter(&catalog, "one", process, life).await;
    }
    let two_hours = 2 * 3_600 * 1_000_000_u64;
    let sql = format!("UPDATE processes SET last_seen = last_seen - {two_hours}");
    place.execute(&sql).await;
    let known = catalog.processes("one").await.unwrap();
    assert_eq!(names(&known), ["day", "most"]);
    assert!(known.iter().all(|one| one.silent_for >= 2 * LONG / 24));
    enter(&catalog, "one", "new", LONG).await;
    assert_eq!(place.count("processes").await, 3, "the others are cleared away");
}
