//! Differences between rule sets: the texts, the counters, and that no field is forgotten.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test support"
)]

// Proves: R11, D14

use std::{collections::BTreeSet, sync::Arc};

use tollgate_core::{AlgorithmName, Bands, LimitSet, RuleId, Timestamp};
use tollgate_rules::{
    Action, AttributeCondition, Change, Consistency, Counters, DifferenceKind, EndpointPattern,
    Field, Key, KeyField, Missing, Name, OnFailure, Override, Rule, RuleSet, Throttle, Tier, diff,
};
use tollgate_testkit::Rng;

fn name(text: &str) -> Name {
    text.parse().unwrap()
}

fn limits(text: &str) -> LimitSet {
    text.parse().unwrap()
}

fn login() -> Rule {
    let key = Key::new([Field::User.into()]).unwrap();
    let mut rule = Rule::throttle(name("login"), key, limits("5/min"));
    rule.matches.tiers = vec![name("free")];
    rule
}

fn throttle(rule: &mut Rule) -> &mut Throttle {
    match &mut rule.action {
        Action::Throttle(throttle) => throttle,
        other => panic!("{other:?}"),
    }
}

fn set(rules: impl IntoIterator<Item = Rule>) -> RuleSet {
    let mut set = RuleSet::default();
    set.rules.extend(
        rules
            .into_iter()
            .map(|rule| (rule.name.clone(), Arc::new(rule))),
    );
    set
}

/// The difference one edit of the rule `login` makes.
fn edited(edit: impl FnOnce(&mut Rule)) -> String {
    let mut rule = login();
    edit(&mut rule);
    diff(&set([login()]), &set([rule])).to_string()
}

/// Every field of a rule, and an edit of it alone.
type Edit = (&'static str, fn(&mut Rule));

const EDITS: &[Edit] = &[
    ("id", |rule| rule.id = RuleId::new(7)),
    ("name", |rule| rule.name = name("sign-in")),
    ("renamed_from", |rule| {
        rule.renamed_from = Some(name("log-in"))
    }),
    ("match.tier", |rule| {
        rule.matches.tiers.push(name("premium"))
    }),
    ("match.user", |rule| {
        rule.matches.users.push("al ice".into())
    }),
    ("match.org", |rule| rule.matches.orgs.push("acme".into())),
    ("match.api_key", |rule| {
        rule.matches.api_keys.push("k1".into())
    }),
    ("match.region", |rule| {
        rule.matches.regions.push("eu".into())
    }),
    ("match.endpoint", |rule| {
        rule.matches.endpoint = Some(pattern("/login"))
    }),
    ("match.method", |rule| {
        rule.matches.methods.push("POST".parse().unwrap())
    }),
    ("match.ip", |rule| {
        rule.matches.networks.push("10.0.0.0/8".parse().unwrap())
    }),
    ("match.attributes.plan", |rule| {
        let condition = AttributeCondition::Exact("trial".into());
        drop(rule.matches.attributes.insert("plan".into(), condition));
    }),
    ("match.descriptor", |rule| {
        rule.matches.descriptor = Some(vec![])
    }),
    ("key", |rule| throttle(rule).key = Key::global()),
    ("missing", |rule| throttle(rule).missing = Missing::Deny),
    ("limit", |rule| throttle(rule).limits = limits("6/min")),
    ("group", |rule| {
        throttle(rule).group = Some(name("per-user"))
    }),
    ("cost", |rule| {
        throttle(rule).cost = "attributes.bytes / 1024".parse().unwrap()
    }),
    ("consistency", |rule| {
        throttle(rule).consistency = Consistency::Exact
    }),
    ("on_failure", |rule| {
        throttle(rule).on_failure = OnFailure::Closed
    }),
    ("warn_at", |rule| bands(rule, 90, 100)),
    ("hard_at", |rule| bands(rule, 80, 120)),
    ("priority", |rule| rule.priority = -3),
    ("action", |rule| rule.action = Action::Block),
    ("response.status", |rule| rule.response.status = Some(503)),
    ("response.message", |rule| {
        rule.response.message = Some("slow down".into())
    }),
    ("response.retry_after", |rule| {
        rule.response.retry_after_s = Some(30)
    }),
    ("enabled", |rule| rule.enabled = false),
    ("owner", |rule| rule.owner = Some("team-auth".into())),
    ("reason", |rule| {
        rule.reason = Some("credential stuffing".into())
    }),
];

fn pattern(text: &str) -> EndpointPattern {
    text.parse().unwrap()
}

fn bands(rule: &mut Rule, warn_at: u16, hard_at: u16) {
    let bands = Bands::new(warn_at, hard_at).unwrap();
    let limit = throttle(rule).limits.as_slice()[0].clone();
    throttle(rule).limits = limit.with_bands(bands).unwrap().into();
}

#[test]
fn no_field_of_a_rule_is_forgotten() {
    for (field, edit) in EDITS {
        let mut rule = login();
        edit(&mut rule);
        let changes = diff(&set([login()]), &set([rule.clone()]));
        let fields: Vec<&str> = changes
            .iter()
            .flat_map(|d| &d.fields)
            .map(|f| &*f.field)
            .collect();
        if *field == "action" {
            assert!(fields.contains(field), "{fields:?}");
        } else {
            assert_eq!(fields, [*field]);
        }
        assert_eq!(changes.len(), 1, "{changes}");
        assert_eq!(changes.iter().next().unwrap().kind, DifferenceKind::Changed);
        // And back again, with before and after changing places.
        let back = diff(&set([rule.clone()]), &set([login()]));
        let swapped = back
            .iter()
            .flat_map(|d| &d.fields)
            .map(|f| (&f.after, &f.before));
        let there = changes
            .iter()
            .flat_map(|d| &d.fields)
            .map(|f| (&f.before, &f.after));
        assert!(swapped.eq(there), "{field}");
        assert!(
            diff(&set([rule.clone()]), &set([rule])).is_empty(),
            "{field}"
        );
    }
}

#[test]
fn several_edits_show_all_their_fields_and_no_other() {
    // These write over one another, or hide one another.
    let alone = ["action", "name", "warn_at", "hard_at"];
    let mut rng = Rng::new(11);
    for _ in 0..2_000 {
        let mut rule = login();
        let is_chosen = |edit: &&Edit| !alone.contains(&edit.0) && rng.one_in(5);
        let chosen: Vec<&Edit> = EDITS.iter().filter(is_chosen).collect();
        for (_, edit) in &chosen {
            edit(&mut rule);
        }
        let changes = diff(&set([login()]), &set([rule.clone()]));
        let fields = changes.iter().flat_map(|difference| &difference.fields);
        let fields: BTreeSet<&str> = fields.map(|change| &*change.field).collect();
        let expected: BTreeSet<&str> = chosen.iter().map(|(field, _)| *field).collect();
        assert_eq!(fields, expected);
        assert!(diff(&set([rule.clone()]), &set([rule])).is_empty());
    }
}

#[test]
fn each_edit_has_its_line() {
    let texts = [
        (
            "id",
            "replaced by a new rule for tier free; counters start fresh: another rule has taken the name",
        ),
        ("name", "renamed to sign-in for tier free; counters kept"),
        (
            "match.tier",
            "match.tier free → [free, premium]; counters kept",
        ),
        (
            "match.user",
            "match.user (any) → \"al ice\" for tier free; counters kept",
        ),
        (
            "match.endpoint",
            "match.endpoint (any) → /login for tier free; counters kept",
        ),
        (
            "match.ip",
            "match.ip (any) → 10.0.0.0/8 for tier free; counters kept",
        ),
        (
            "match.attributes.plan",
            "match.attributes.plan (any) → trial for tier free; counters kept",
        ),
        (
            "key",
            "key [user] → [] for tier free; counters start fresh: the key changed",
        ),
        ("limit", "5/min → 6/min for tier free; counters kept"),
        (
            "group",
            "group (none) → per-user for tier free; counters kept",
        ),
        (
            "cost",
            "cost 1 → attributes.bytes / 1024 for tier free; counters kept",
        ),
        ("warn_at", "warn_at 80% → 90% for tier free; counters kept"),
        (
            "response.message",
            "response.message (none) → \"slow down\" for tier free; counters kept",
        ),
        (
            "enabled",
            "enabled true → false for tier free; counters kept",
        ),
    ];
    for (field, text) in texts {
        let (_, edit) = EDITS.iter().find(|(known, _)| *known == field).unwrap();
        assert_eq!(edited(edit), format!("login: {text}\n"));
    }
}

#[test]
fn counters_follow_the_limits() {
    let to = |text: &'static str| edited(move |rule| throttle(rule).limits = limits(text));
    assert_eq!(
        to("10/min"),
        "login: 5/min → 10/min for tier free; counters kept\n"
    );
    assert_eq!(
        to("300/h"),
        "login: 5/min → 300/h for tier free; counters carried over\n"
    );
    assert_eq!(
        to("300/h, 5/min"),
        "login: 5/min → 5/min, 300/h for tier free; counters kept\n"
    );
    assert_eq!(
        to("300/h, 9/s"),
        "login: 5/min → 9/s, 300/h for tier free; counters carried over\n"
    );
    let burst = edited(|rule| {
        let limit = throttle(rule).limits.as_slice()[0].clone();
        throttle(rule).limits = limit.with_burst(20).unwrap().into();
    });
    assert_eq!(
        burst,
        "login: 5/min → 5/min burst 20 for tier free; counters carried over\n"
    );
    let fixed = edited(|rule| {
        let limit = throttle(rule).limits.as_slice()[0].clone();
        throttle(rule).limits = limit
            .with_algorithm(AlgorithmName::FixedWindow)
            .unwrap()
            .into();
    });
    assert_eq!(
        fixed,
        "login: 5/min → 5/min by fixed_window for tier free; counters carried over\n"
    );
    // The order of limits means nothing.
    let two = |text: &str| set([Rule::throttle(name("a"), Key::global(), limits(text))]);
    assert!(diff(&two("5/min, 9/h"), &two("9/h, 5/min")).is_empty());
    // A bucket that only grows keeps its counters.
    let bucket = |burst| {
        let limit = limits("5/min").as_slice()[0]
            .clone()
            .with_burst(burst)
            .unwrap();
        set([Rule::throttle(name("a"), Key::global(), limit.into())])
    };
    assert_eq!(
        diff(&bucket(5), &bucket(9)).to_string(),
        "a: 5/min burst 5 → 5/min burst 9; counters kept\n"
    );
}

#[test]
fn counters_follow_the_key() {
    let by = |fields: Vec<KeyField>, endpoint: &str| {
        let mut rule = Rule::throttle(name("a"), Key::new(fields).unwrap(), limits("1/s"));
        rule.matches.endpoint = Some(pattern(endpoint));
        set([rule])
    };
    let (ip, endpoint) = (KeyField::from(Field::Ip), KeyField::from(Field::Endpoint));
    let wide = ip.clone().with_ipv6_prefix(56).unwrap();
    assert_eq!(
        diff(&by(vec![ip], "/x"), &by(vec![wide], "/x")).to_string(),
        "a: key [ip] → [ip/56]; counters start fresh: the key changed\n"
    );
    assert_eq!(
        diff(&by(vec![endpoint.clone()], "/x"), &by(vec![endpoint], "/y")).to_string(),
        "a: match.endpoint /x → /y; counters start fresh: the key holds the endpoint, whose pattern changed\n"
    );
    let block = set([Rule::new(name("a"), Action::Block)]);
    let counting = set([Rule::throttle(name("a"), Key::global(), limits("1/s"))]);
    let changes = diff(&block, &counting);
    let why = "nothing was counted before";
    assert_eq!(
        changes.iter().next().unwrap().counters,
        Counters::StartFresh { why }
    );
    let back = diff(&counting, &block);
    assert_eq!(
        back.iter().next().unwrap().counters,
        Counters::NotApplicable
    );
}

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
    after
        .tiers
        .get_mut(&name("internal-service"))
        .unwrap()
        .default = Some(limits("9/s"));
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
    let before = with(vec![
        acme.clone(),
        exception(None, "big corp", Change::Unlimited),
    ]);
    let mut longer = acme.clone();
    longer.change = limit("600/min");
    longer.until = None;
    let after = with(vec![
        exception(
            Some("login"),
            "beta",
            Change::Factor("1.5x".parse().unwrap()),
        ),
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
    let (one, two) = (
        exception(None, "a", limit("1/s")),
        exception(None, "b", limit("1/s")),
    );
    assert!(diff(&with(vec![one.clone(), two.clone()]), &with(vec![two, one])).is_empty());
    let changes = diff(
        &with(vec![acme.clone(), longer.clone()]),
        &with(vec![longer.clone(), acme.clone()]),
    );
    assert_eq!(changes.len(), 2, "{changes}");
    // One more in front of another is one more, not a change of both.
    let changes = diff(&with(vec![acme.clone()]), &with(vec![longer, acme.clone()]));
    assert_eq!(
        changes.to_string(),
        "override login [user=acme]: added, 600/min\n"
    );
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
    assert_eq!(
        empty,
        serde_json::json!({ "is_empty": true, "differences": [] })
    );
}
