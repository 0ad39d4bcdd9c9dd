//! Every field of a rule, edited.

use std::collections::BTreeSet;

use tollgate_core::{Bands, Consistency, OnFailure, RuleId};
use tollgate_rules::{Action, AttributeCondition, DifferenceKind, Key, Missing, Rule, diff};
use tollgate_testkit::Rng;

use super::{edited, limits, login, name, pattern, set, throttle};

/// Every field of a rule, and an edit of it alone.
type Edit = (&'static str, fn(&mut Rule));

const EDITS: &[Edit] = &[
    ("id", |rule| rule.id = RuleId::new(7)),
    ("name", |rule| rule.name = name("sign-in")),
    ("renamed_from", |rule| rule.renamed_from = Some(name("log-in"))),
    ("match.tier", |rule| rule.matches.tiers.push(name("premium"))),
    ("match.user", |rule| rule.matches.users.push("al ice".into())),
    ("match.org", |rule| rule.matches.orgs.push("acme".into())),
    ("match.api_key", |rule| rule.matches.api_keys.push("k1".into())),
    ("match.region", |rule| rule.matches.regions.push("eu".into())),
    ("match.endpoint", |rule| rule.matches.endpoint = Some(pattern("/login"))),
    ("match.method", |rule| rule.matches.methods.push("POST".parse().unwrap())),
    ("match.ip", |rule| rule.matches.networks.push("10.0.0.0/8".parse().unwrap())),
    ("match.attributes.plan", |rule| {
        let condition = AttributeCondition::Exact("trial".into());
        drop(rule.matches.attributes.insert("plan".into(), condition));
    }),
    ("match.descriptor", |rule| rule.matches.descriptor = Some(vec![])),
    ("key", |rule| throttle(rule).key = Key::global()),
    ("missing", |rule| throttle(rule).missing = Missing::Deny),
    ("limit", |rule| throttle(rule).limits = limits("6/min")),
    ("group", |rule| throttle(rule).group = Some(name("per-user"))),
    ("cost", |rule| throttle(rule).cost = "attributes.bytes / 1024".parse().unwrap()),
    ("consistency", |rule| throttle(rule).consistency = Consistency::Exact),
    ("on_failure", |rule| throttle(rule).on_failure = OnFailure::Closed),
    ("warn_at", |rule| bands(rule, 90, 100)),
    ("hard_at", |rule| bands(rule, 80, 120)),
    ("priority", |rule| rule.priority = -3),
    ("action", |rule| rule.action = Action::Block),
    ("response.status", |rule| rule.response.status = Some(503)),
    ("response.message", |rule| rule.response.message = Some("slow down".into())),
    ("response.retry_after", |rule| rule.response.retry_after_s = Some(30)),
    ("enabled", |rule| rule.enabled = false),
    ("owner", |rule| rule.owner = Some("team-auth".into())),
    ("reason", |rule| rule.reason = Some("credential stuffing".into())),
];

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
        let fields: Vec<&str> = changes.iter().flat_map(|d| &d.fields).map(|f| &*f.field).collect();
        if *field == "action" {
            assert!(fields.contains(field), "{fields:?}");
        } else {
            assert_eq!(fields, [*field]);
        }
        assert_eq!(changes.len(), 1, "{changes}");
        assert_eq!(changes.iter().next().unwrap().kind, DifferenceKind::Changed);
        // And back again, with before and after changing places.
        let back = diff(&set([rule.clone()]), &set([login()]));
        let swapped = back.iter().flat_map(|d| &d.fields).map(|f| (&f.after, &f.before));
        let there = changes.iter().flat_map(|d| &d.fields).map(|f| (&f.before, &f.after));
        assert!(swapped.eq(there), "{field}");
        assert!(diff(&set([rule.clone()]), &set([rule])).is_empty(), "{field}");
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
        ("match.tier", "match.tier free → [free, premium]; counters kept"),
        ("match.user", "match.user (any) → \"al ice\" for tier free; counters kept"),
        ("match.endpoint", "match.endpoint (any) → /login for tier free; counters kept"),
        ("match.ip", "match.ip (any) → 10.0.0.0/8 for tier free; counters kept"),
        (
            "match.attributes.plan",
            "match.attributes.plan (any) → trial for tier free; counters kept",
        ),
        ("key", "key [user] → [] for tier free; counters start fresh: the key changed"),
        ("limit", "5/min → 6/min for tier free; counters kept"),
        ("group", "group (none) → per-user for tier free; counters kept"),
        ("cost", "cost 1 → attributes.bytes / 1024 for tier free; counters kept"),
        ("warn_at", "warn_at 80% → 90% for tier free; counters kept"),
        (
            "response.message",
            "response.message (none) → \"slow down\" for tier free; counters kept",
        ),
        ("enabled", "enabled true → false for tier free; counters kept"),
    ];
    for (field, text) in texts {
        let (_, edit) = EDITS.iter().find(|(known, _)| *known == field).unwrap();
        assert_eq!(edited(edit), format!("login: {text}\n"));
    }
}
