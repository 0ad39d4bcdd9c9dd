//! The number of rules that are looked at does not grow with the number that cannot match.

use crate::{
    AttributeCondition, DescriptorEntry, Field, Key, Match, Query, Rule, conditions::Facts,
};

use super::{Index, Probes};

const RULES: usize = 5_000;
/// A few that share a drawer, for each of the ways a request can be found by.
const LOOKED_AT_MAX: usize = 16;

fn rules(matches: impl Fn(usize) -> Match) -> Vec<Rule> {
    let key = Key::new([Field::User.into()]).unwrap();
    let rule = |place: usize| {
        let name = format!("r{place}").parse().unwrap();
        let mut rule = Rule::throttle(name, key.clone(), "5/s".parse().unwrap());
        rule.matches = matches(place);
        rule
    };
    (0..RULES).map(rule).collect()
}

fn looked_at(matches: impl Fn(usize) -> Match, query: &Query<'_>) -> Vec<u32> {
    let rules = rules(matches);
    let facts = Facts { query, tier: "free" };
    let candidates = Index::new(&rules).candidates(&Probes::of(&facts));
    let holding = rules.iter().zip(0_u32..).filter(|(rule, _)| {
        let given = crate::conditions::Given::of(&rule.matches);
        rule.matches.holds(given, &facts)
    });
    for (rule, place) in holding {
        assert!(candidates.contains(&place), "{:?} is not found", rule.matches);
    }
    candidates.to_vec()
}

fn few(what: &str, matches: impl Fn(usize) -> Match, query: &Query<'_>) {
    let found = looked_at(matches, query).len();
    assert!((1..=LOOKED_AT_MAX).contains(&found), "{what}: {found} rules looked at");
}

fn with(fill: impl FnOnce(&mut Match)) -> Match {
    let mut matches = Match::everything();
    fill(&mut matches);
    matches
}

// Proves: R7
#[test]
fn paths_users_networks_and_ends_of_attributes_lead_to_few_rules() {
    let path = |pattern: String| with(|matches| matches.endpoint = Some(pattern.parse().unwrap()));
    let at = |text| Query::new().endpoint(text).unwrap();
    few("exact", |n| path(format!("/a/{n}")), &at("/a/7"));
    few("parameter", |n| path(format!("/a/{n}/{{id}}")), &at("/a/7/x"));
    few("middle", |n| path(format!("/a/*/{n}")), &at("/a/x/7"));
    few("rest", |n| path(format!("/a/{n}/**")), &at("/a/7/x/y"));
    few(
        "users",
        |n| with(|matches| matches.users = vec![format!("u{n}").into()]),
        &Query::new().user("u7").unwrap(),
    );
    few(
        "networks",
        |n| {
            let network = format!("10.{}.{}.0/24", n / 256, n % 256);
            with(|matches| matches.networks = vec![network.parse().unwrap()])
        },
        &Query::new().ip("10.0.7.1").unwrap(),
    );
    for (what, value) in [("prefix", "p7-tail"), ("suffix", "head-7s")] {
        let condition = |n: usize| match what {
            "prefix" => AttributeCondition::Prefix(format!("p{n}-").into()),
            _ => AttributeCondition::Suffix(format!("-{n}s").into()),
        };
        let matches = |n| with(|matches| drop(matches.attributes.insert("x".into(), condition(n))));
        few(what, matches, &Query::new().attribute("x", value).unwrap());
    }
    let entry =
        |n: usize| DescriptorEntry { key: "path".into(), value: Some(format!("/{n}").into()) };
    few(
        "descriptors",
        |n| with(|matches| matches.descriptor = Some(vec![entry(n)])),
        &Query::new().descriptor(&[("path", "/7")]).unwrap(),
    );
}

/// Each condition alone is shared by many rules; together they are rare.
// Proves: R7
#[test]
fn a_grid_of_common_conditions_leads_to_few_rules() {
    let side = 70;
    let matches = |n: usize| {
        with(|matches| {
            matches.orgs = vec![format!("o{}", n / side).into()];
            matches.endpoint = Some(format!("/s/{}/**", n % side).parse().unwrap());
        })
    };
    let query = Query::new().org("o3").unwrap().endpoint("/s/5/x").unwrap();
    few("grid", matches, &query);
}

/// Rules that a wildcard makes all alike are all looked at, since all match.
#[test]
fn rules_that_match_are_all_found() {
    let everywhere = |_| with(|matches| matches.endpoint = Some("/**".parse().unwrap()));
    let query = Query::new().endpoint("/x").unwrap();
    assert_eq!(looked_at(everywhere, &query).len(), RULES);
}

/// Long lists in several conditions of one rule must not multiply: a file of 40 kB would take all memory.
#[test]
fn long_lists_in_one_rule_do_not_multiply() {
    let list = |fact: &str| (0..400).map(|n| format!("{fact}{n}").into()).collect();
    let lists = |_| {
        with(|matches| {
            matches.users = list("u");
            matches.orgs = list("o");
            matches.api_keys = list("k");
            matches.regions = list("r");
        })
    };
    let rules: Vec<Rule> = rules(lists).into_iter().take(6).collect();
    let query = Query::new().user("u1").unwrap().org("o2").unwrap();
    let query = query.api_key("k3").unwrap().region("r4").unwrap();
    let facts = Facts { query: &query, tier: "free" };
    let found = Index::new(&rules).candidates(&Probes::of(&facts));
    assert_eq!(found.to_vec(), (0..6).collect::<Vec<u32>>());
}
