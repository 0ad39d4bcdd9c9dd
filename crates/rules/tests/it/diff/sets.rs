//! Rules, tiers and overrides that come, go and change.

use tollgate_core::{RuleId, Timestamp};
use tollgate_rules::{Action, Change, Field, Key, Override, Rule, RuleSet, Tier, diff};

use super::{edited, limits, login, name, pattern, set, throttle};

#[test]
fn several_fields_have_a_line_each() {
    let text = edited(|rule| {
        rule.priority = 5;
        throttle(rule).limits = limits("10/min");
    });
    let expected = "login: 2 changes for tier free; counters kept\n  limit: 5/min → 10/min\n  priority: 0 → 5\n";
    assert_eq!(text, expected);
    // The strongest word about the counters wins.
    let text = edited(|rule| {
        throttle(rule).key = Key::new([Field::Ip.into()]).unwrap();
        throttle(rule).limits = limits("10/h");
    });
    let first = text.lines().next();
    assert_eq!(
        first,
        Some("login: 2 changes for tier free; counters start fresh: the key changed")
    );
}

#[test]
fn rules_are_who_they_are_by_id() {
    // The old name is free again, and somebody else takes it.
    let mut renamed = login();
    renamed.name = name("sign-in");
    renamed.renamed_from = Some(name("login"));
    let mut other = Rule::new(name("login"), Action::Block);
    other.id = RuleId::new(9);
    other.matches.endpoint = Some(pattern("/login"));
    let changes = diff(&set([login()]), &set([renamed, other]));
    assert_eq!(
        changes.to_string(),
        "login: renamed to sign-in for tier free; counters kept\nlogin: added, block of /login\n"
    );
    let mut search = Rule::throttle(name("search"), Key::global(), limits("9/s, 100/h"));
    search.matches.tiers = vec![name("free"), name("premium")];
    assert_eq!(
        diff(&set([login()]), &set([search])).to_string(),
        "login: removed, 5/min by [user] for tier free\n\
         search: added, 9/s, 100/h by [] for tiers free, premium\n"
    );
}

#[test]
fn tiers_and_the_default_tier() {
    let mut before = RuleSet::default();
    let mut free = Tier::new(name("free"), 1);
    free.default = Some(limits("1000/h"));
    before.tiers.insert(name("free"), free.clone());
    let mut after = before.clone();
    after.default_tier = name("premium");
    free.default = Some(limits("2000/h"));
    after.tiers.insert(name("free"), free);
    after.tiers.get_mut(&name("premium")).unwrap().rank = 9;
    after.tiers.get_mut(&name("internal-service")).unwrap().default = Some(limits("9/s"));
    after.tiers.remove(&name("admin"));
    after.tiers.insert(name("gold"), Tier::new(name("gold"), 5));
    assert_eq!(
        diff(&before, &after).to_string(),
        "default_tier: free → premium\n\
         tier admin: removed, rank 4\n\
         tier free: default 1000/h → 2000/h; counters kept\n\
         tier gold: added, rank 5\n\
         tier internal-service: default (none) → 9/s; counters start fresh: nothing was counted before\n\
         tier premium: rank 2 → 9\n"
    );
}

fn exception(rule: Option<&str>, user: &str, change: Change) -> Override {
    let mut exception = Override::new(rule.map(name));
    exception.key.insert(Field::User, user.into());
    exception.change = change;
    exception
}

#[test]
fn overrides_are_known_by_rule_and_key() {
    let limit = |text: &str| Change::Limit(text.parse().unwrap());
    let with = |overrides: Vec<Override>| {
        let mut set = set([login()]);
        set.overrides = overrides;
        set
    };
    let mut acme = exception(Some("login"), "acme", limit("500/min"));
    acme.until = Some(Timestamp::from_secs(1_798_761_600));
    let before = with(vec![acme.clone(), exception(None, "big corp", Change::Unlimited)]);
    let mut longer = acme.clone();
    longer.change = limit("600/min");
    longer.until = None;
    let after = with(vec![
        exception(Some("login"), "beta", Change::Factor("1.5x".parse().unwrap())),
        longer.clone(),
    ]);
    assert_eq!(
        diff(&before, &after).to_string(),
        "override every rule [user=\"big corp\"]: removed, unlimited\n\
         override login [user=acme]: 2 changes; counters kept\n  \
           limit: 500/min → 600/min\n  \
           until: 2027-01-01T00:00:00Z → (none)\n\
         override login [user=beta]: added, 1.5x\n"
    );
    // About different keys the order means nothing, about the same key it does.
    let (one, two) = (exception(None, "a", limit("1/s")), exception(None, "b", limit("1/s")));
    assert!(diff(&with(vec![one.clone(), two.clone()]), &with(vec![two, one])).is_empty());
    let changes =
        diff(&with(vec![acme.clone(), longer.clone()]), &with(vec![longer.clone(), acme.clone()]));
    assert_eq!(changes.len(), 2, "{changes}");
    // One more in front of another is one more, not a change of both.
    let changes = diff(&with(vec![acme.clone()]), &with(vec![longer, acme.clone()]));
    assert_eq!(changes.to_string(), "override login [user=acme]: added, 600/min\n");
    let mut reasoned = acme.clone();
    reasoned.reason = Some("contract 412".into());
    let changes = diff(&with(vec![acme]), &with(vec![reasoned]));
    assert_eq!(
        changes.to_string(),
        "override login [user=acme]: reason (none) → \"contract 412\"; counters kept\n"
    );
}

#[test]
fn programs_read_the_same() {
    let mut rule = login();
    throttle(&mut rule).limits = limits("10/min");
    let json = diff(&set([login()]), &set([rule])).to_json();
    let expected = serde_json::json!({
        "is_empty": false,
        "differences": [{
            "kind": "changed",
            "object": "rule",
            "name": "login",
            "fields": [{ "field": "limit", "before": "5/min", "after": "10/min" }],
            "counters": "kept",
            "counters_reason": null,
            "text": "login: 5/min → 10/min for tier free; counters kept",
        }],
    });
    assert_eq!(json, expected);
    let empty = diff(&set([]), &set([])).to_json();
    assert_eq!(empty, serde_json::json!({ "is_empty": true, "differences": [] }));
}
