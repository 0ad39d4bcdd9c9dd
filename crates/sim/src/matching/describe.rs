//! A world as text, one line for each of its parts.

use std::fmt::Write as _;

use tollgate_rules::{Action, Change, Match, Override, Rule};

use super::{limit_text, random::World};

/// A world, to be read by whoever has to find out why an answer is wrong.
///
/// ```
/// use tollgate_sim::{Rng, matching::{describe, random::World}};
///
/// let text = describe(&World::new(&mut Rng::new(1), 2)?);
/// assert!(text.contains("\nrule rule-1 priority "), "{text}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn describe(world: &World) -> String {
    let rules = &world.rules;
    let mut lines = vec![format!("default tier {}", rules.default_tier)];
    for tier in rules.tiers.values() {
        let default = tier.default.iter().flatten().map(limit_text);
        let default: Vec<String> = default.collect();
        lines.push(format!("tier {}: default {default:?}", tier.name));
    }
    lines.extend(rules.rules.values().map(|rule| rule_line(rule)));
    lines.extend(rules.overrides.iter().map(override_line));
    let api = world.api.iter();
    lines.extend(api.map(|(id, exception)| format!("api {id} {}", override_line(exception))));
    lines.extend(world.blocks.iter().map(|block| format!("{block:?}")));
    lines.join("\n")
}

fn rule_line(rule: &Rule) -> String {
    let mut line = format!("rule {} priority {}", rule.name, rule.priority);
    if !rule.enabled {
        line.push_str(" disabled");
    }
    line.push_str(&conditions(&rule.matches));
    let throttle = match &rule.action {
        Action::Throttle(throttle) => throttle,
        other => return format!("{line} {}", other.word()),
    };
    let limits: Vec<String> = throttle.limits.iter().map(limit_text).collect();
    let group = throttle.group.as_ref().map(|name| name.as_str());
    let (key, missing, cost) = (&throttle.key, throttle.missing, &throttle.cost);
    format!("{line} key {key} missing {missing:?} group {group:?} cost {cost} limits {limits:?}")
}

fn conditions(of: &Match) -> String {
    let mut text = String::new();
    let mut add = |name: &str, values: String| {
        if values != "[]" && values != "{}" && values != "None" {
            // Writing to a string does not fail.
            let _written = write!(text, " {name} {values}");
        }
    };
    add("tiers", format!("{:?}", of.tiers));
    add("users", format!("{:?}", of.users));
    add("orgs", format!("{:?}", of.orgs));
    add("api_keys", format!("{:?}", of.api_keys));
    add("regions", format!("{:?}", of.regions));
    add("endpoint", format!("{:?}", of.endpoint));
    add("methods", format!("{:?}", of.methods));
    add("networks", format!("{:?}", of.networks));
    add("attributes", format!("{:?}", of.attributes));
    add("descriptor", format!("{:?}", of.descriptor));
    text
}

fn override_line(exception: &Override) -> String {
    let (rule, key, until) = (&exception.rule, &exception.key, exception.until);
    let change = match &exception.change {
        Change::Limit(limit) => limit_text(limit),
        Change::Limits(limits) => {
            let limits: Vec<String> = limits.iter().map(limit_text).collect();
            format!("all {limits:?}")
        }
        Change::Factor(factor) => factor.to_string(),
        _ => "unlimited".to_owned(),
    };
    format!("override rule {rule:?} key {key:?} until {until:?}: {change}")
}
