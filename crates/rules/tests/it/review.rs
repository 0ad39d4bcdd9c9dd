//! What a review says of rule sets, held against what requests meet.
// Proves: R11

use std::{collections::BTreeMap, sync::Arc};

use tollgate_core::Timestamp;
use tollgate_rules::{
    Action, Directory, Fate, Field, Key, KeyField, Match, Missing, Name, Query, Rule, RuleSet,
    Snapshot,
    review::{Flaw, Locus, Severity, review},
};
use tollgate_testkit::Rng;

const USERS: [&str; 3] = ["alice", "bob", ""];
const TIERS: [&str; 3] = ["free", "premium", "other"];
const PATHS: [&str; 6] = ["/", "/a", "/a/b", "/a/b/c", "/b/b", ""];
const METHODS: [&str; 3] = ["GET", "POST", ""];
const ADDRESSES: [&str; 4] = ["10.0.0.1", "10.1.0.1", "2001:db8::1", ""];
const PLANS: [&str; 4] = ["trial", "trial-2", "basic", ""];

fn several<T: PartialEq>(rng: &mut Rng, from: &[&str], make: impl Fn(&str) -> T) -> Vec<T> {
    let mut values = Vec::new();
    if rng.one_in(3) {
        for _ in 0..=rng.below(2) {
            let value = make(rng.pick(from));
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    values
}

fn matches(rng: &mut Rng) -> Match {
    use tollgate_rules::AttributeCondition::{Exact, OneOf, Prefix, Suffix};
    let mut matches = Match::everything();
    matches.users = several(rng, &["alice", "bob"], |user| user.into());
    matches.tiers = several(rng, &["free", "premium"], |tier| tier.parse().unwrap());
    matches.methods = several(rng, &["GET", "POST"], |method| method.parse().unwrap());
    let networks =
        ["10.0.0.0/8", "10.0.0.0/16", "10.0.0.1/32", "0.0.0.0/0", "::/0", "2001:db8::/32"];
    matches.networks = several(rng, &networks, |network| network.parse().unwrap());
    if rng.one_in(2) {
        let patterns = ["/", "/a", "/a/*", "/a/**", "/**", "/{x}/b", "/*/b/*", "/a/b/**"];
        matches.endpoint = Some(rng.pick(&patterns).parse().unwrap());
    }
    if rng.one_in(3) {
        let condition = match rng.below(4) {
            0 => Exact("trial".into()),
            1 => OneOf(vec!["trial".into(), rng.pick(&["basic", "trial-2"]).into()]),
            2 => Prefix(rng.pick(&["t", "trial-"]).into()),
            _ => Suffix(rng.pick(&["2", "l", "-2"]).into()),
        };
        matches.attributes = BTreeMap::from([("plan".into(), condition)]);
    }
    matches
}

fn rule(rng: &mut Rng, number: u64) -> Rule {
    let name: Name = format!("r{number}").parse().unwrap();
    let keys = [vec![], vec![Field::User], vec![Field::Ip], vec![Field::User, Field::Ip]];
    let key = Key::new(rng.pick(&keys).into_iter().map(KeyField::from)).unwrap();
    let mut rule = Rule::throttle(name, key, "5/min".parse().unwrap());
    if let Action::Throttle(throttle) = &mut rule.action {
        throttle.missing = rng.pick(&[Missing::Skip, Missing::Shared, Missing::Deny]);
        throttle.group = rng.one_in(2).then(|| "one".parse().unwrap());
    }
    match rng.below(4) {
        0 => rule.action = Action::Block,
        1 => rule.action = Action::Allow,
        _ => {}
    }
    rule.matches = matches(rng);
    rule.priority = rng.pick(&[0, 0, 1]);
    rule.enabled = !rng.one_in(8);
    rule
}

fn rule_set(rng: &mut Rng) -> RuleSet {
    let mut set = RuleSet::default();
    for number in 0..rng.below(7) {
        let rule = rule(rng, number);
        set.rules.insert(rule.name.clone(), Arc::new(rule));
    }
    set
}

/// Every combination of the facts above.
fn each_query(mut visit: impl FnMut(&Query<'_>)) {
    let who = USERS.iter().flat_map(|user| TIERS.iter().map(move |tier| (user, tier)));
    let how = METHODS.iter().flat_map(|method| PLANS.iter().map(move |plan| (method, plan)));
    let (who, how): (Vec<_>, Vec<_>) = (who.collect(), how.collect());
    for (path, address) in PATHS.iter().flat_map(|path| ADDRESSES.iter().map(move |ip| (path, ip)))
    {
        for ((user, tier), (method, plan)) in
            who.iter().flat_map(|who| how.iter().map(move |how| (who, how)))
        {
            let query = Query::new().user(user).unwrap().tier(tier).unwrap();
            let query = query.endpoint(path).unwrap().method(method).unwrap();
            let query = query.ip(address).unwrap();
            visit(&query.attribute("plan", plan).unwrap());
        }
    }
}

fn named<'f>(flaws: &'f [Flaw], what: &str) -> Vec<&'f Name> {
    let about = flaws.iter().filter(|flaw| flaw.message.contains(what));
    let names = about.map(|flaw| match &flaw.at {
        Locus::Rule { name, .. } => name,
        other => panic!("{other}"),
    });
    names.collect()
}

/// A warning must be right: a rule that is called unreachable ends no walk and counts no request, and
/// one that never has its turn in a group counts none.
#[test]
fn what_is_called_unreachable_is() {
    let mut rng = Rng::new(31);
    let (mut unreachable, mut behind) = (0, 0);
    for _ in 0..5_000 {
        let set = rule_set(&mut rng);
        let flaws = review(&set);
        let never = [named(&flaws, "is never reached"), named(&flaws, "never applies")];
        unreachable += never[0].len();
        behind += never[1].len();
        let never = never.concat();
        if never.is_empty() {
            continue;
        }
        let (snapshot, directory) = (Snapshot::compile(&set, 1), Directory::default());
        each_query(|query| {
            let told = snapshot.explain(query, &directory, Timestamp::EPOCH);
            for considered in told.rules {
                let acts = matches!(
                    considered.fate,
                    Fate::Applied { .. } | Fate::Ended | Fate::Denied { .. }
                );
                let name = &considered.rule.name;
                assert!(!(acts && never.contains(&name)), "{name} acts on {query:?} in {set:#?}");
            }
        });
    }
    assert!(unreachable > 300 && behind > 4, "{unreachable} unreachable, {behind} behind");
}

fn set_of(text: &str) -> RuleSet {
    let reading = tollgate_rules::document::read("", text);
    reading.document.unwrap_or_else(|| panic!("{}", reading.report)).rules
}

fn warnings(rules: &str) -> Vec<String> {
    let set = set_of(&format!("version: 1\nrules:\n{rules}"));
    review(&set).into_iter().map(|flaw| flaw.message).collect()
}

#[test]
fn requests_that_something_else_limits_get_no_warning() {
    let by_user = "  - { name: a, match: { endpoint: /a }, key: [user], limit: 5/min }\n";
    let alone = warnings(by_user);
    assert_eq!(alone, ["nothing limits requests without user: this rule skips them"]);
    for other in [
        "{ name: b, match: { endpoint: /** }, key: [ip], limit: 5/min }",
        "{ name: b, key: [], limit: 5/min }",
        "{ name: b, key: [user], missing: shared, limit: 5/min }",
        "{ name: b, key: [\"user|api_key\"], missing: deny, limit: 5/min }",
    ] {
        let found = warnings(&format!("{by_user}  - {other}\n"));
        assert_eq!(found, Vec::<String>::new(), "{other}");
    }
    for other in [
        "{ name: b, match: { endpoint: /b }, key: [ip], limit: 5/min }",
        "{ name: b, match: { tier: free }, key: [ip], limit: 5/min }",
        "{ name: b, key: [ip], limit: 5/min, enabled: false }",
    ] {
        assert_eq!(warnings(&format!("{by_user}  - {other}\n")).len(), 1, "{other}");
    }
}

#[test]
fn a_set_put_together_by_a_program_is_checked_as_a_file_is() {
    let mut set =
        set_of("version: 1\nrules: [{ name: a, match: { tier: free }, key: [ip], limit: 5/min }]");
    set.tiers.remove("free");
    let renamed = Arc::make_mut(set.rules.values_mut().next().unwrap());
    renamed.renamed_from = Some("b".parse().unwrap());
    renamed.id = "b".parse::<Name>().unwrap().rule_id();
    let other = Rule::new("b".parse().unwrap(), Action::Block);
    set.rules.insert("c".parse().unwrap(), other.into());
    let errors = review(&set).into_iter().filter(|flaw| flaw.severity == Severity::Error);
    let errors: Vec<String> = errors.map(|flaw| format!("{}: {}", flaw.at, flaw.message)).collect();
    assert_eq!(
        errors,
        [
            "rule \"b\", field name: rule \"b\" is kept under the name \"c\"",
            "rule \"a\", field renamed_from: rule \"a\" was renamed from \"b\", but \"b\" is still there",
            "default_tier: default_tier \"free\" is not declared",
            "rule \"a\", field match.tier: tier \"free\" is not declared",
        ]
    );
}

/// 20,000 rules are compared by what they have in common, not each with each: this would otherwise take
/// minutes.
#[test]
fn many_rules_are_reviewed() {
    let mut rng = Rng::new(32);
    let mut set = RuleSet::default();
    for number in 0..20_000 {
        let mut rule = rule(&mut rng, number);
        match rng.below(4) {
            0 => rule.matches.users = vec![format!("user{number}").into()],
            1 => rule.matches.endpoint = Some(format!("/x/{number}/**").parse().unwrap()),
            2 => {
                let [_, _, high, low] = u32::try_from(number).unwrap().to_be_bytes();
                rule.matches.networks = vec![format!("10.{high}.{low}.0/24").parse().unwrap()];
            }
            _ => {}
        }
        set.rules.insert(rule.name.clone(), Arc::new(rule));
    }
    assert!(!named(&review(&set), "is never reached").is_empty());
}

/// Looking for the name that was meant takes a while: not for every group, nor for every lost override.
#[test]
fn many_groups_and_lost_overrides_are_reviewed() {
    let mut set = RuleSet::default();
    for number in 0..20_000 {
        let text = format!(
            "{{name: rule{number}, key: [ip], limit: 5/s, match: {{user: u{number}}}, group: g{}}}",
            if number < 10_000 { number / 2 } else { number }
        );
        let rule = tollgate_rules::document::read_rule(&text).unwrap();
        set.rules.insert(rule.name.clone(), Arc::new(rule));
        let lost = format!("rulex{number}").parse().unwrap();
        set.overrides.push(tollgate_rules::Override::new(Some(lost)));
    }
    let flaws = review(&set);
    assert_eq!(flaws.len(), 20_000, "every lost override is told");
    assert_eq!(flaws[0].help.as_deref(), Some("did you mean \"rule0\"?"));
}
