//! Differences between rule sets: the texts, the counters, and that no field is forgotten.

// Proves: R11, D14

mod counters;
mod edits;
mod sets;

use std::sync::Arc;

use tollgate_core::LimitSet;
use tollgate_rules::{Action, EndpointPattern, Field, Key, Name, Rule, RuleSet, Throttle, diff};

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
    set.rules.extend(rules.into_iter().map(|rule| (rule.name.clone(), Arc::new(rule))));
    set
}

/// The difference one edit of the rule `login` makes.
fn edited(edit: impl FnOnce(&mut Rule)) -> String {
    let mut rule = login();
    edit(&mut rule);
    diff(&set([login()]), &set([rule])).to_string()
}

fn pattern(text: &str) -> EndpointPattern {
    text.parse().unwrap()
}
