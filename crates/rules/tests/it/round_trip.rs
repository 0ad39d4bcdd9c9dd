//! What is written is read back as it was.
// Proves: R11

use tollgate_rules::{
    Action, RuleSet,
    document::{
        self, content_hash, override_json, read_override, read_rule, read_tier, rule_json,
        tier_json, write_yaml,
    },
    review::{Severity, review},
};
use tollgate_testkit::Rng;

use crate::random;

const SETS: u64 = 3_000;

fn is_right(set: &RuleSet) -> bool {
    !review(set).iter().any(|flaw| flaw.severity == Severity::Error)
}

#[test]
fn rule_sets_survive_yaml() {
    let mut rng = Rng::new(11);
    let mut written = 0;
    for _ in 0..SETS {
        let set = random::rule_set(&mut rng);
        if !is_right(&set) {
            continue;
        }
        let text = write_yaml(&set);
        let reading = document::read("written", &text);
        assert!(!reading.report.has_errors(), "{}\n{text}", reading.report);
        let again = reading.document.unwrap().rules;
        assert_eq!(again, set, "{text}");
        assert_eq!(write_yaml(&again), text);
        assert_eq!(content_hash(&again), content_hash(&set), "{text}");
        written += 1;
    }
    assert!(written > SETS / 2, "only {written} sets were right");
}

#[test]
fn rules_tiers_and_overrides_survive_json() {
    let mut rng = Rng::new(12);
    for _ in 0..SETS {
        let set = random::rule_set(&mut rng);
        for rule in set.rules.values() {
            let json = rule_json(rule).to_string();
            let again = read_rule(&json).unwrap_or_else(|report| panic!("{report}\n{json}"));
            assert_eq!(again, **rule, "{json}");
        }
        for tier in set.tiers.values() {
            assert_eq!(read_tier(&tier_json(tier).to_string()).unwrap(), *tier);
        }
        for exception in &set.overrides {
            let json = override_json(exception).to_string();
            let again = read_override(&json).unwrap_or_else(|report| panic!("{report}\n{json}"));
            assert_eq!(again, *exception, "{json}");
        }
    }
}

#[test]
fn the_hash_knows_meaning_and_not_order() {
    let mut rng = Rng::new(13);
    let mut changed = 0;
    for _ in 0..SETS {
        let set = random::rule_set(&mut rng);
        let mut other = set.clone();
        rng.shuffle(&mut other.overrides);
        for rule in other.rules.values_mut() {
            let mut shuffled = (**rule).clone();
            rng.shuffle(&mut shuffled.matches.users);
            rng.shuffle(&mut shuffled.matches.networks);
            if let Action::Throttle(throttle) = &mut shuffled.action {
                let mut limits = throttle.limits.as_slice().to_vec();
                rng.shuffle(&mut limits);
                throttle.limits = tollgate_core::LimitSet::new(limits).unwrap();
            }
            *rule = shuffled.into();
        }
        assert_eq!(content_hash(&other), content_hash(&set));
        if let Some(rule) = other.rules.values_mut().next() {
            let mut edited = (**rule).clone();
            edited.priority = edited.priority.wrapping_add(1);
            *rule = edited.into();
            assert_ne!(content_hash(&other), content_hash(&set));
            changed += 1;
        }
    }
    assert!(changed > SETS / 2);
}

#[test]
fn one_spelling_of_a_period_hashes_as_the_other() {
    let hash = |limit: &str| {
        let text = format!("version: 1\nrules: [{{ name: a, key: [ip], limit: {limit} }}]");
        content_hash(&document::read("", &text).document.unwrap().rules)
    };
    assert_eq!(hash("5/min"), hash("5/60s"));
    assert_ne!(hash("5/min"), hash("6/min"));
    assert_ne!(hash("5/week"), hash("5/7day"));
}

/// An override says an algorithm or has the rule's: the difference must outlive the catalog.
#[test]
fn an_algorithm_that_an_override_names_stays_named() {
    let named = "{ key: {}, limit: { per: 5/min, algorithm: sliding_window } }";
    let named = override_json(&read_override(named).unwrap()).to_string();
    assert!(named.contains("sliding_window"), "{named}");
    let silent = override_json(&read_override("{ key: {}, limit: 5/min }").unwrap()).to_string();
    assert!(!silent.contains("sliding_window"), "{silent}");
}

#[test]
fn a_stored_rule_keeps_its_id_and_a_file_gives_none() {
    let id = "0b1f9c9e-7a52-5d5c-8a63-6f0f5a0a52f3";
    let stored = format!(r#"{{"id":"{id}","name":"login","key":["ip"],"limit":"5/min"}}"#);
    let rule = read_rule(&stored).unwrap();
    assert_eq!(rule_json(&rule)["id"], id);
    assert!(read_rule(&stored.replace(id, "7")).is_err());
    let renamed = read_rule("{ name: b, renamed_from: a, key: [ip], limit: 5/min }").unwrap();
    assert_eq!(renamed.id, "a".parse::<tollgate_rules::Name>().unwrap().rule_id());
}
