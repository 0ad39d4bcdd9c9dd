//! The number of series has a bound, whatever comes.

use std::sync::Arc;

use tollgate_core::ManualClock;
use tollgate_memory::MemoryStore;
use tollgate_rules::{Live, Query, RuleSet, Snapshot};
use tollgate_testkit::Rng;

use super::{
    super::by_rule::ByRule,
    exposition::{Scrape, recorder},
};

/// No key is ever in a label: whoever asks for whatever, the series stay the same.
#[test]
fn traffic_makes_no_series() {
    let recorder = recorder();
    let rules = "version: 1\nrules:\n\
        - { name: a, match: { endpoint: \"/a/**\" }, key: [user, method, endpoint], limit: 2/min }\n\
        - { name: b, match: { tier: free }, key: [ip], limit: 5/min }\n";
    let live = Arc::new(Live::new());
    live.publish(&rules.parse().unwrap(), 1);
    recorder.rules_changed(&live.snapshot().unwrap());
    let clock = ManualClock::start();
    let gate = tollgate::Gate::new(live, MemoryStore::with_capacity(1_000, clock.clone()), clock);
    let names = |text: &str| -> Vec<String> { Scrape::read(text).series.into_keys().collect() };
    let before = names(&recorder.scrape());
    let mut rng = Rng::new(4);
    for number in 0..100_000_u32 {
        let user = format!("user-{}", rng.index(1 << 30));
        let path = format!("/{}/{}", rng.pick(&["a", "b"]), rng.index(1 << 30));
        let method = format!("M{}", rng.index(1 << 20));
        let ip = std::net::Ipv4Addr::from(number).to_string();
        let tier = rng.pick(&["free".to_owned(), format!("t{number}")]);
        let query = Query::new().user(&user).unwrap().endpoint(&path).unwrap();
        let query = query.method(&method).unwrap().tier(&tier).unwrap().ip(&ip).unwrap();
        gate.check_all(&[&query], |plan, ruling| recorder.decided(plan, &ruling)).unwrap();
    }
    assert_eq!(names(&recorder.scrape()), before);
    let most = recorder.top().list(10_000).keys.len();
    assert!(most <= 2 * super::super::sketch::Sketch::ROOM, "{most}");
}

fn set(names: impl Iterator<Item = String>) -> RuleSet {
    let rules = names.map(|name| format!("  - {{ name: {name}, key: [user], limit: 1/s }}\n"));
    format!("version: 1\nrules:\n{}", rules.collect::<String>()).parse().unwrap()
}

#[test]
fn many_rules_share_what_is_beyond_the_bound() {
    let recorder = recorder();
    let many = set((0..3_000).map(|number| format!("r{number:04}")));
    recorder.rules_changed(&Snapshot::compile(&many, 1));
    let series = |text: &str, start: &str| {
        let series = Scrape::read(text).series;
        series.keys().filter(|name| name.starts_with(start)).count()
    };
    let text = recorder.scrape();
    assert_eq!(series(&text, "tollgate_decisions_total"), (ByRule::RULES_MAX + 3) * 5 + 3);
    assert_eq!(series(&text, "tollgate_rule_limit"), ByRule::RULES_MAX);
    assert_eq!(Scrape::read(&text).of("tollgate_rules"), 3_000.0);
}

/// A rule keeps its counts as long as it is there, and its series go with it.
#[test]
fn counts_outlive_a_change_of_the_rules_and_vanish_with_their_rule() {
    let recorder = recorder();
    let live = Arc::new(Live::new());
    let clock = ManualClock::start();
    let store = MemoryStore::with_capacity(1_000, clock.clone());
    let gate = tollgate::Gate::new(Arc::clone(&live), store, clock);
    let names = |names: &[&str]| set(names.iter().map(|name| (*name).to_owned()));
    let put = |names: RuleSet, revision: u64| {
        live.publish(&names, revision);
        recorder.rules_changed(&live.snapshot().unwrap());
    };
    let alice = Query::new().user("alice").unwrap();
    let ask = || gate.check_all(&[&alice], |plan, ruling| recorder.decided(plan, &ruling)).unwrap();
    let denied = "tollgate_decisions_total{rule=\"kept\",outcome=\"denied\"}";
    put(names(&["kept"]), 1);
    (0..4).for_each(|_| ask());
    assert_eq!(Scrape::read(&recorder.scrape()).of(denied), 3.0);
    put(names(&["another", "kept"]), 2);
    assert_eq!(Scrape::read(&recorder.scrape()).of(denied), 3.0);
    put(names(&["another"]), 3);
    assert!(!Scrape::read(&recorder.scrape()).series.contains_key(denied));
}
