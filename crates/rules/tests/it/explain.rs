//! Explanations say what the walk did, in words.

use tollgate_core::Timestamp;
use tollgate_rules::{Block, Directory, Field, Query, RuleSet, Snapshot, document};

const RULES: &str = r#"
version: 1
tiers:
  free: { rank: 1, default: 1000/h }
rules:
  - { name: office, match: { ip: 192.0.2.0/24, endpoint: /internal/** }, action: allow, priority: 9 }
  - { name: banned, match: { attributes: { agent: { prefix: bad } } }, action: block, priority: 8 }
  - { name: login, match: { endpoint: /login, method: POST }, key: [user], limit: 5/min, group: auth }
  - { name: all-posts, match: { method: POST }, key: [ip], limits: [{ per: 10/s, burst: 20 }, 1000/day], group: auth }
  - { name: org-wide, key: [org], limit: 100/s }
  - { name: strict, match: { tier: free, endpoint: /strict }, key: [api_key], missing: deny, limit: 1/s }
overrides:
  - { rule: login, key: { user: acme }, limit: 50/min }
  - { rule: login, key: { user: root }, unlimited: true }
"#;

fn rules() -> RuleSet {
    let reading = document::read("rules.yaml", RULES);
    reading.document.expect("a sound file").rules
}

fn told(query: &Query<'_>) -> String {
    told_beside(query, &Directory::new())
}

fn told_beside(query: &Query<'_>, directory: &Directory) -> String {
    let snapshot = Snapshot::compile(&rules(), 7);
    let explanation = snapshot.explain(query, directory, Timestamp::EPOCH);
    assert_eq!(explanation.to_json()["revision"], 7);
    explanation.to_string()
}

fn post(path: &str) -> Query<'_> {
    Query::new().endpoint(path).unwrap().method("POST").unwrap()
}

// Proves: R2
#[test]
fn what_applies_what_is_skipped_and_what_was_near() {
    let query = post("/login").user("alice").unwrap().ip("203.0.113.9").unwrap();
    assert_eq!(
        told(&query),
        "revision 7, tier free\n\
         - banned: does not match: no attributes.agent, bad… is asked for\n\
         - strict: does not match: endpoint is /login, not /strict\n\
         + login: applies by [user]: 5/min (5 a minute, sliding), cost 1\n\
         - all-posts: matches, but another throttle of group auth came first\n\
         - org-wide: skipped: no org\n\
         1 more rule does not match\n"
    );
}

#[test]
fn an_end_of_the_walk_hides_the_rest() {
    let query = post("/internal/x").ip("192.0.2.7").unwrap();
    let text = told(&query);
    assert!(text.contains("! office: allows, and ends the walk\n"), "{text}");
    assert!(text.contains("- all-posts: would match, but the walk had ended\n"), "{text}");

    let query = post("/x").attribute("agent", "badbot").unwrap();
    let text = told(&query);
    assert!(text.contains("! banned: blocks, and ends the walk\n"), "{text}");
}

#[test]
fn a_missing_fact_that_denies_is_named() {
    let text = told(&Query::new().endpoint("/strict").unwrap());
    assert!(text.contains("! strict: denies: no api_key\n"), "{text}");
}

#[test]
fn overrides_and_their_absence_of_limits_are_told() {
    let text = told(&post("/login").user("acme").unwrap());
    assert!(text.contains("+ login: applies by [user]: 50/min"), "{text}");
    assert!(text.contains("cost 1, by override\n"), "{text}");
    let text = told(&post("/login").user("root").unwrap());
    assert!(text.contains("+ login: applies without limit, by override\n"), "{text}");
}

// Proves: R4
#[test]
fn the_defaults_of_a_tier_come_last_and_an_unknown_tier_has_those_of_the_default() {
    let text = told(&Query::new().user("bob").unwrap());
    assert!(text.contains("+ tier:free: applies by [user|api_key|ip]: 1000/h"), "{text}");
    let text = told(&Query::new().user("bob").unwrap().tier("gold").unwrap());
    assert!(
        text.starts_with("revision 7, tier free (the request states gold, which nothing names"),
        "{text}"
    );
    assert!(text.contains("+ tier:free: applies"), "{text}");
}

#[test]
fn a_blocked_caller_meets_no_rule() {
    let directory = Directory::new();
    directory.block(&Block::new(Field::User, "mallory".into()));
    let query = post("/internal/x").ip("192.0.2.7").unwrap().user("mallory").unwrap();
    assert_eq!(
        told_beside(&query, &directory),
        "revision 7, tier free\ndenied before any rule: user \"mallory\" is blocked\n"
    );
}
