//! The text of a scrape, read back.

use std::collections::BTreeMap;

use tollgate_core::Micros;
use tollgate_rules::{Live, Query};

use super::super::{Protocol, Recorder, Turned};
use crate::config::{Sources, load};

/// A scrape, read line by line as OpenMetrics prescribes.
#[derive(Debug, Default)]
pub(super) struct Scrape {
    /// The type of each family.
    pub(super) families: BTreeMap<String, String>,
    /// The value of each series, labels included.
    pub(super) series: BTreeMap<String, f64>,
}

impl Scrape {
    #[track_caller]
    pub(super) fn read(text: &str) -> Self {
        let mut scrape = Self::default();
        let body = text.strip_suffix("# EOF\n").expect("ends with EOF");
        let mut family = String::new();
        for line in body.lines() {
            if let Some(rest) = line.strip_prefix("# TYPE ") {
                let (name, kind) = rest.split_once(' ').unwrap();
                let twice = scrape.families.insert(name.to_owned(), kind.to_owned());
                assert_eq!(twice, None, "{name} is there twice");
                family = name.to_owned();
            } else if let Some(rest) = line.strip_prefix("# HELP ") {
                assert!(rest.split_once(' ').is_some_and(|(_, help)| help.len() > 5), "{line}");
            } else {
                let (series, value) = line.rsplit_once(' ').expect("a value");
                let name = series.split('{').next().unwrap();
                let kind = scrape.families.get(&family).map(String::as_str);
                let endings: &[&str] = match kind {
                    Some("counter") => &["_total"],
                    Some("histogram") => &["_bucket", "_sum", "_count"],
                    _ => &[""],
                };
                let is_one = endings.iter().any(|ending| name == format!("{family}{ending}"));
                assert!(is_one, "{name} in the family {family}");
                let value: f64 = value.parse().unwrap();
                assert!(value >= 0.0, "{line}");
                let twice = scrape.series.insert(series.to_owned(), value);
                assert_eq!(twice, None, "{series} is there twice");
            }
        }
        scrape
    }

    #[track_caller]
    pub(super) fn of(&self, series: &str) -> f64 {
        let value = self.series.get(series);
        *value.unwrap_or_else(|| panic!("no {series} in {self:#?}"))
    }
}

pub(super) fn recorder() -> Recorder {
    let mut sources = Sources::default();
    sources.flags.insert("node".to_owned(), "n\"1\"".to_owned());
    Recorder::new(&load(&sources).unwrap().settings)
}

const RULES: &str = "
version: 1
tiers:
  free: { rank: 1 }
rules:
  - { name: login, match: { endpoint: /login }, key: [user], limits: [2/min, 50/h] }
  - { name: soft, match: { endpoint: /soft }, key: [user], limit: 1/min, hard_at: 200% }
  - { name: banned, match: { endpoint: /banned }, action: block }
  - { name: health, match: { endpoint: /health }, action: allow }
";

#[test]
fn decisions_count_once_by_rule_and_outcome() {
    let recorder = recorder();
    let live = std::sync::Arc::new(Live::new());
    live.publish(&RULES.parse().unwrap(), 7);
    recorder.rules_changed(&live.snapshot().unwrap());
    let clock = tollgate_core::ManualClock::start();
    let store = tollgate_memory::MemoryStore::with_capacity(1_000, clock.clone());
    let gate = tollgate::Gate::new(live, store, clock);
    for (endpoint, times) in
        [("/login", 5), ("/soft", 3), ("/banned", 2), ("/health", 4), ("/x", 6)]
    {
        let query = Query::new().user("alice").unwrap().endpoint(endpoint).unwrap();
        for _ in 0..times {
            gate.check_all(&[&query], |plan, ruling| recorder.decided(plan, &ruling)).unwrap();
        }
    }
    let odd = Query::new().tier("platinum").unwrap();
    gate.check_all(&[&odd], |plan, ruling| recorder.decided(plan, &ruling)).unwrap();
    let scrape = Scrape::read(&recorder.scrape());
    let count = |rule: &str, outcome: &str| {
        scrape.of(&format!("tollgate_decisions_total{{rule=\"{rule}\",outcome=\"{outcome}\"}}"))
    };
    assert_eq!((count("login", "allowed"), count("login", "warned")), (1.0, 1.0));
    assert_eq!(count("login", "denied"), 3.0);
    assert_eq!((count("soft", "exceeded"), count("soft", "denied")), (1.0, 1.0));
    assert_eq!(count("banned", "blocked"), 2.0);
    assert_eq!((count("(none)", "exempt"), count("(none)", "unmatched")), (4.0, 7.0));
    let all = scrape.series.iter().filter(|(name, _)| name.starts_with("tollgate_decisions_total"));
    assert_eq!(all.map(|(_, value)| value).sum::<f64>(), 21.0, "each decision once");
    assert_eq!(scrape.of("tollgate_unknown_tier_total"), 1.0);
    assert_eq!(scrape.of("tollgate_rules_revision"), 7.0);
    assert_eq!(scrape.of("tollgate_rules"), 4.0);
    assert_eq!(scrape.of("tollgate_rule_limit{rule=\"login\",period=\"h\"}"), 50.0);
    assert_eq!(gate.store().stats().keys, 3);
}

/// The reproduction of a report: a search met a rule of its own and one for all, and only the tighter one counted.
#[test]
fn each_rule_that_was_charged_counts() {
    let recorder = recorder();
    let rules = "
version: 1
rules:
  - { name: search, match: { endpoint: /search }, key: [user], limits: [100/s, 1000/h] }
  - { name: total, key: [], limits: [12/min, 500/h] }
  - { name: login, match: { endpoint: /login }, key: [user], limit: 5/min }
";
    let live = std::sync::Arc::new(Live::new());
    live.publish(&rules.parse().unwrap(), 1);
    recorder.rules_changed(&live.snapshot().unwrap());
    let clock = tollgate_core::ManualClock::start();
    let store = tollgate_memory::MemoryStore::with_capacity(1_000, clock.clone());
    let gate = tollgate::Gate::new(live, store, clock);
    let alice = Query::new().user("alice").unwrap();
    let search = alice.endpoint("/search").unwrap();
    for _ in 0..15 {
        gate.check_all(&[&search], |plan, ruling| recorder.decided(plan, &ruling)).unwrap();
    }
    let scrape = Scrape::read(&recorder.scrape());
    let count = |rule: &str, outcome: &str| {
        scrape.of(&format!("tollgate_decisions_total{{rule=\"{rule}\",outcome=\"{outcome}\"}}"))
    };
    let passed = |rule: &str| count(rule, "allowed") + count(rule, "warned");
    assert_eq!((passed("search"), passed("total")), (12.0, 12.0));
    assert_eq!(
        (count("total", "denied"), count("search", "denied")),
        (3.0, 0.0),
        "a denial counts for the rule that denied, and charges no other"
    );
    assert_eq!(passed("login"), 0.0);
}

#[test]
fn connections_durations_and_failures_are_counted() {
    let recorder = recorder();
    recorder.answered(Protocol::Resp, 1_000, Micros::new(400));
    recorder.answered(Protocol::Resp, 1, Micros::new(2_000_000));
    recorder.opened(Protocol::Http);
    recorder.opened(Protocol::Http);
    recorder.closed(Protocol::Http);
    recorder.turned_away(Protocol::Admin, Turned::Slow);
    recorder.rules_reloaded(Err(()));
    recorder.counters_saved(Ok::<(), ()>(()));
    recorder.reads_store(|| Some(tollgate_memory::Stats::default()));
    let scrape = Scrape::read(&recorder.scrape());
    let duration = |rest: &str| scrape.of(&format!("tollgate_decision_duration_seconds_{rest}"));
    assert_eq!(duration("bucket{le=\"0.0005\",protocol=\"resp\"}"), 1_000.0);
    assert_eq!(duration("bucket{le=\"1.0\",protocol=\"resp\"}"), 1_000.0);
    assert_eq!(duration("bucket{le=\"+Inf\",protocol=\"resp\"}"), 1_001.0);
    assert_eq!(duration("count{protocol=\"resp\"}"), 1_001.0);
    assert!((duration("sum{protocol=\"resp\"}") - 2.4).abs() < 1e-9);
    assert_eq!(scrape.of("tollgate_connections{protocol=\"http\"}"), 1.0);
    assert_eq!(scrape.of("tollgate_connections_opened_total{protocol=\"http\"}"), 2.0);
    let slow = "tollgate_turned_away_total{protocol=\"admin\",reason=\"slow\"}";
    assert_eq!(scrape.of(slow), 1.0);
    assert_eq!(scrape.of("tollgate_rules_reload_success"), 0.0);
    assert_eq!(scrape.of("tollgate_rules_reload_failures_total"), 1.0);
    assert!(scrape.of("tollgate_counters_saved_timestamp_seconds") > 1.7e9);
    assert!(scrape.of("tollgate_memory_bytes") > 1e5);
    assert!(scrape.of("process_start_time_seconds") > 1.7e9);
    assert_eq!(scrape.of("tollgate_node_info{node=\"n\\\"1\\\"\",region=\"local\"}"), 1.0);
    recorder.rules_reloaded(Ok::<(), ()>(()));
    let scrape = Scrape::read(&recorder.scrape());
    assert_eq!(scrape.of("tollgate_rules_reload_success"), 1.0);
}
