//! Overrides that fit the rules they are about.

use std::collections::{BTreeMap, HashMap, HashSet};

use tollgate_core::{AlgorithmName, Bands, Limit, LimitSet, Period};

use super::{Flaw, Locus, walk::throttle};
use crate::{Change, Field, Key, Name, Override, Rule, RuleSet, Tier, nearest};

/// So many rules that are not there are guessed at; looking for the nearest takes a while.
const GUESSED_MAX: usize = 200;

pub(super) fn check(set: &RuleSet, overrides: &[Override], flaws: &mut Vec<Flaw>) {
    let mut known = HashMap::with_capacity(overrides.len());
    let mut counted = Counted::new(set);
    for (index, exception) in overrides.iter().enumerate() {
        let at = |field| Locus::Override { index, field: Some(field) };
        match &exception.rule {
            Some(name) => {
                let flaw = match set.rules.get(name) {
                    Some(rule) => of_rule(exception, rule, &at),
                    None if flaws.len() < GUESSED_MAX => {
                        let known = set.rules.keys().map(Name::as_str);
                        Some(unknown(name, nearest::did_you_mean(name.as_str(), known), &at))
                    }
                    None => Some(unknown(name, None, &at)),
                };
                flaws.extend(flaw);
            }
            None => {
                let misfit = counted.misfit(exception, &at);
                flaws.extend(misfit.or_else(|| counted.flaw(exception, &at)));
            }
        }
        let said = (&exception.rule, &exception.key, exception.until);
        if let Some(first) = known.insert(said, index) {
            let message = "another override has the same rule, key and end";
            let help = "which of them counts would be left to chance: keep one";
            let field = Some("key");
            let other = Locus::Override { index: first, field };
            flaws.push(Flaw::error(at("key"), message).help(help).related(other, "first here"));
        }
    }
}

/// What tells whether two limits can hold the same: amount, period, burst, algorithm and thresholds.
type Numbers = (u64, Period, Option<u64>, AlgorithmName, Bands);

/// Which facts the rules and the defaults of the tiers count by, in which windows, and by which limits: of equal ones
/// the first, with the name of whose it is.
struct Counted<'o> {
    windows: HashMap<Key, HashSet<Period>>,
    limits: HashMap<Key, HashMap<Numbers, (String, Limit)>>,
    asked: HashMap<(Vec<&'o Field>, Option<Period>), Option<&'static str>>,
    /// By facts and change: many overrides say the same.
    held: HashMap<(Vec<&'o Field>, String), Option<String>>,
}

impl<'o> Counted<'o> {
    fn new(set: &RuleSet) -> Self {
        let mut counted = Self {
            windows: HashMap::new(),
            limits: HashMap::new(),
            asked: HashMap::new(),
            held: HashMap::new(),
        };
        for rule in set.rules.values() {
            if let Some(throttle) = throttle(rule) {
                let owner = format!("rule {:?}", rule.name);
                counted.add(&throttle.key, &throttle.limits, &owner);
            }
        }
        if let Some(key) = Tier::default_key() {
            for tier in set.tiers.values() {
                let owner = format!("tier {:?}", tier.name);
                if let Some(limits) = &tier.default {
                    counted.add(&key, limits, &owner);
                }
            }
        }
        counted
    }

    fn add(&mut self, key: &Key, limits: &LimitSet, owner: &str) {
        let periods = self.windows.entry(key.clone()).or_default();
        periods.extend(limits.iter().map(Limit::period));
        let known = self.limits.entry(key.clone()).or_default();
        for limit in limits {
            let numbers =
                (limit.amount(), limit.period(), limit.burst(), limit.algorithm(), limit.bands());
            let named = || (owner.to_owned(), limit.clone());
            known.entry(numbers).or_insert_with(named);
        }
    }

    /// Why a rule that the override is about cannot hold what it says, if one cannot.
    fn misfit(
        &mut self,
        exception: &'o Override,
        at: &impl Fn(&'static str) -> Locus,
    ) -> Option<Flaw> {
        let limits = &self.limits;
        let look = || {
            let fitting = limits.iter().filter(|(key, _)| fits(key, exception).is_ok());
            let all = fitting.flat_map(|(_, limits)| limits.values());
            let told = all.filter_map(|(owner, limit)| misfit(exception, owner, limit));
            told.min()
        };
        let facts = exception.key.keys().collect();
        let said = format!("{:?}", exception.change);
        let message = self.held.entry((facts, said)).or_insert_with(look);
        let message = message.clone()?;
        Some(Flaw::error(at(exception.change.field()), message).help(MISFIT_HELP))
    }

    /// Why an override of all rules changes nothing, if it does not.
    fn flaw(
        &mut self,
        exception: &'o Override,
        at: &impl Fn(&'static str) -> Locus,
    ) -> Option<Flaw> {
        let period = match &exception.change {
            Change::Limit(limit) => Some(limit.period()),
            _ => None,
        };
        let windows = &self.windows;
        let look = || {
            let fitting = windows.iter().filter(|(key, _)| fits(key, exception).is_ok());
            let mut fitting = fitting.map(|(_, periods)| periods).peekable();
            if fitting.peek().is_none() {
                return Some("key");
            }
            let has = |periods: &HashSet<Period>| period.is_none_or(|own| periods.contains(&own));
            (!fitting.any(has)).then_some("limit")
        };
        let facts = exception.key.keys().collect();
        let field = (*self.asked.entry((facts, period)).or_insert_with(look))?;
        let (message, help) = if field == "key" {
            (
                "no rule counts by exactly these facts, so the override changes nothing",
                "name the facts of a rule's key, or the rule",
            )
        } else {
            (
                "no rule that counts by these facts has a limit of this period, so the override \
                 changes nothing",
                "give a period that the rules have, limits: [...] or a factor",
            )
        };
        Some(Flaw::warning(at(field), message).help(help))
    }
}

const MISFIT_HELP: &str = "give less, or another algorithm to the rule or the override";

/// Why a limit of a rule or tier cannot become what the override says, if it cannot.
fn misfit(exception: &Override, owner: &str, limit: &Limit) -> Option<String> {
    let (wanted, error) = exception.change.misfit(limit)?;
    let algorithm = limit.algorithm();
    Some(format!("{owner} counts by {algorithm} and cannot hold {wanted}: {error}"))
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
            let help = format!("it has {}; limits: [...] replaces them all", periods.join(", "));
            return Some(Flaw::error(at("limit"), message).help(help));
        }
    }
    let owner = format!("rule {name:?}");
    let mut limits = throttle.limits.iter();
    if let Some(message) = limits.find_map(|limit| misfit(exception, &owner, limit)) {
        let field = exception.change.field();
        return Some(Flaw::error(at(field), message).help(MISFIT_HELP));
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
        let named = field.alternatives().iter().filter(|fact| given.contains_key(*fact));
        match named.count() {
            1 => {}
            0 => return Err(format!("the override names no {field}")),
            _ => {
                return Err(format!("the override names several of {field}: only one can count"));
            }
        }
    }
    let unknown = given.keys().find(|field| !key.contains(field));
    unknown.map_or(Ok(()), |field| Err(format!("the rule does not count by {field}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warned(change: &str) -> Vec<String> {
        let text = format!(
            "version: 1\ntiers: {{ free: {{ rank: 1, default: 100/day }} }}\nrules:\n  \
             - {{ name: a, key: [user], limit: 5/min }}\noverrides:\n  - {{ {change} }}\n"
        );
        let reading = crate::document::read("", &text);
        let set = reading.document.unwrap().rules;
        let mut flaws = Vec::new();
        check(&set, &set.overrides, &mut flaws);
        flaws.into_iter().map(|flaw| flaw.message).collect()
    }

    #[test]
    fn an_override_of_all_rules_that_changes_nothing_is_told() {
        assert!(warned("key: { user: acme }, limit: 9/min")[..].is_empty());
        // The default of a tier is overridden like any rule.
        assert!(warned("key: { user: acme }, limit: 9/day")[..].is_empty());
        assert!(warned("key: { api_key: k1 }, factor: 2x")[..].is_empty());
        assert!(warned("key: { user: acme }, limit: 9/h")[0].contains("of this period"));
        assert!(warned("key: { org: acme }, factor: 2x")[0].contains("exactly these facts"));
    }

    fn flaws_of(rule: &str, change: &str) -> Vec<Flaw> {
        let text = format!(
            "version: 1\ntiers: {{ free: {{ rank: 1, default: 100/day }} }}\nrules:\n  \
             - {{ name: a, key: [user], {rule} }}\n"
        );
        let set: RuleSet = text.parse().unwrap();
        let exception = crate::document::read_override(&format!("{{ {change} }}")).unwrap();
        let mut flaws = Vec::new();
        check(&set, &[exception], &mut flaws);
        flaws
    }

    /// Premise: such an override was accepted, and the rule's own limit went on to count.
    #[test]
    fn an_override_that_the_algorithm_cannot_hold_is_refused() {
        let log = "limit: { per: 600/h, algorithm: sliding_log }";
        let lenient = "limit: { per: 600/h, algorithm: sliding_log, hard_at: 150% }";
        let queue = "limit: { per: 5/s, algorithm: leaky_bucket, burst: 0 }";
        let cases = [
            (log, "limit: 1001/h", "limit"),
            (log, "limits: [50/s, 5000/h]", "limits"),
            (log, "factor: 2x", "factor"),
            (lenient, "limit: 700/h", "limit"),
            (lenient, "factor: 1.2x", "factor"),
            // A queue of nobody is no burst of a bucket.
            (queue, "limit: { per: 9/s, algorithm: token_bucket }", "limit"),
            ("limit: 18446744073709551615/day", "factor: 1000000x", ""),
            (log, "limit: 1000/h", ""),
            (log, "factor: 1.666x", ""),
            (log, "limit: { per: 5000/h, algorithm: sliding_window }", ""),
            (log, "unlimited: true", ""),
            (lenient, "limit: 660/h", ""),
        ];
        for (rule, change, field) in cases {
            for whose in ["rule: a, ", ""] {
                let flaws = flaws_of(rule, &format!("{whose}key: {{ user: acme }}, {change}"));
                let errors =
                    flaws.iter().filter(|flaw| flaw.severity == super::super::Severity::Error);
                let fields: Vec<_> = errors
                    .map(|flaw| match flaw.at {
                        Locus::Override { field, .. } => field.unwrap_or_default(),
                        _ => "",
                    })
                    .collect();
                let expected: &[&str] = if field.is_empty() { &[] } else { &[field] };
                assert_eq!(fields, expected, "{rule}: {whose}{change}: {flaws:?}");
            }
        }
    }
}
