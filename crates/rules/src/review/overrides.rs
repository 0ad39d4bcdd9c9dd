//! Overrides that fit the rules they are about.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{Flaw, Locus, walk::throttle};
use crate::{Change, Field, Key, Name, Override, Rule, RuleSet, nearest};

/// So many rules that are not there are guessed at; looking for the nearest takes a while.
const GUESSED_MAX: usize = 200;

pub(super) fn check(set: &RuleSet, overrides: &[Override], flaws: &mut Vec<Flaw>) {
    let mut known = HashMap::with_capacity(overrides.len());
    let mut counted = Counted::new(set);
    for (index, exception) in overrides.iter().enumerate() {
        let at = |field| Locus::Override {
            index,
            field: Some(field),
        };
        match &exception.rule {
            Some(name) => {
                let flaw = match set.rules.get(name) {
                    Some(rule) => of_rule(exception, rule, &at),
                    None if flaws.len() < GUESSED_MAX => {
                        let known = set.rules.keys().map(Name::as_str);
                        Some(unknown(
                            name,
                            nearest::did_you_mean(name.as_str(), known),
                            &at,
                        ))
                    }
                    None => Some(unknown(name, None, &at)),
                };
                flaws.extend(flaw);
            }
            None if !counted.by_exactly(exception) => {
                let message =
                    "no rule counts by exactly these facts, so the override changes nothing";
                let help = "name the facts of a rule's key, or the rule";
                flaws.push(Flaw::warning(at("key"), message).help(help));
            }
            None => {}
        }
        let said = (&exception.rule, &exception.key, exception.until);
        if let Some(first) = known.insert(said, index) {
            let message = "another override has the same rule, key and end";
            let help = "which of them counts would be left to chance: keep one";
            let field = Some("key");
            let other = Locus::Override {
                index: first,
                field,
            };
            flaws.push(
                Flaw::error(at("key"), message)
                    .help(help)
                    .related(other, "first here"),
            );
        }
    }
}

/// Which facts the rules count by.
struct Counted<'s, 'o> {
    keys: HashSet<&'s Key>,
    asked: HashMap<Vec<&'o Field>, bool>,
}

impl<'s, 'o> Counted<'s, 'o> {
    fn new(set: &'s RuleSet) -> Self {
        let throttles = set.rules.values().filter_map(|rule| throttle(rule));
        Self {
            keys: throttles.map(|throttle| &throttle.key).collect(),
            asked: HashMap::new(),
        }
    }

    /// Whether a rule counts by exactly the facts of the override.
    fn by_exactly(&mut self, exception: &'o Override) -> bool {
        let facts = exception.key.keys().collect();
        let keys = &self.keys;
        let is_any = || keys.iter().any(|key| fits(key, exception).is_ok());
        *self.asked.entry(facts).or_insert_with(is_any)
    }
}

fn unknown(name: &Name, guess: Option<String>, at: &impl Fn(&'static str) -> Locus) -> Flaw {
    let flaw = Flaw::error(at("rule"), format!("there is no rule {name:?}"));
    flaw.help(guess.unwrap_or_else(|| "name a rule, or leave rule out".to_owned()))
}

fn of_rule(exception: &Override, rule: &Rule, at: &impl Fn(&'static str) -> Locus) -> Option<Flaw> {
    let name = &rule.name;
    let Some(throttle) = throttle(rule) else {
        let message = format!(
            "rule {name:?} has action: {}, so it has no limit to override",
            rule.action.word()
        );
        return Some(Flaw::error(at("rule"), message).help("name a throttle"));
    };
    if let Err(message) = fits(&throttle.key, exception) {
        let help = format!("rule {name:?} has key: {}", throttle.key);
        return Some(Flaw::error(at("key"), message).help(help));
    }
    if let Change::Limit(limit) = &exception.change {
        let mut limits = throttle.limits.iter();
        if !limits.any(|known| known.period() == limit.period()) {
            let periods: Vec<String> = throttle.limits.iter().map(ToString::to_string).collect();
            let message = format!("rule {name:?} has no limit per {}", limit.period());
            let help = format!(
                "it has {}; limits: [...] replaces them all",
                periods.join(", ")
            );
            return Some(Flaw::error(at("limit"), message).help(help));
        }
    }
    if !rule.enabled {
        let message = format!("rule {name:?} is not enabled, so the override changes nothing");
        return Some(Flaw::warning(at("rule"), message));
    }
    None
}

/// Whether the override names exactly one fact for every field of the key.
fn fits(key: &Key, exception: &Override) -> Result<(), String> {
    let given: &BTreeMap<Field, _> = &exception.key;
    for field in key.fields() {
        let named = field
            .alternatives()
            .iter()
            .filter(|fact| given.contains_key(*fact));
        match named.count() {
            1 => {}
            0 => return Err(format!("the override names no {field}")),
            _ => {
                return Err(format!(
                    "the override names several of {field}: only one can count"
                ));
            }
        }
    }
    let unknown = given.keys().find(|field| !key.contains(field));
    unknown.map_or(Ok(()), |field| {
        Err(format!("the rule does not count by {field}"))
    })
}
