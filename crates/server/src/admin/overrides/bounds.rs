//! How far those may go who make exceptions only for a while: held against the limits of the rule.

use std::time::Duration;

use axum::http::StatusCode;
use serde_json::{Value, json};
use tollgate_core::{Bands, Limit, LimitSet, Timestamp};
use tollgate_rules::{Action, Change, Factor, Override, RuleSet};

use super::super::{call::Call, problem::Problem};
use crate::{authority::Permission, config::OverrideBounds};

/// Refuses what goes further than whoever asks may go; who may make any exception may make these.
pub(super) fn hold(call: &Call, set: &RuleSet, all: &[Override]) -> Result<(), Problem> {
    if call.may(Permission::Overrides).is_ok() {
        return Ok(());
    }
    let (bounds, now) = (call.state.bounds, call.now());
    let errors: Vec<Value> = all
        .iter()
        .zip(1_u32..)
        .flat_map(|(it, place)| {
            let found = beyond(bounds, set, it, now).into_iter();
            found.map(move |(field, message)| {
                json!({
                    "severity": "error",
                    "path": field,
                    "at": format!("override {place}"),
                    "message": message,
                })
            })
        })
        .collect();
    let Some(first) = errors.first() else {
        return Ok(());
    };
    let message = first.get("message").and_then(Value::as_str).unwrap_or_default();
    let detail = format!("{message}; whoever has the permission overrides may do it");
    let problem = Problem::new(StatusCode::FORBIDDEN, "beyond-bounds", detail);
    Err(problem.with("errors", errors).with("wanted", Permission::Overrides.word()))
}

/// Every field in which an override goes too far, and why.
fn beyond(
    bounds: OverrideBounds,
    set: &RuleSet,
    exception: &Override,
    now: Timestamp,
) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let span_max = bounds.span_max;
    match exception.until {
        None => found.push((
            "until",
            format!(
                "an override without end is not for a while: give until, at most {} from now",
                words(span_max)
            ),
        )),
        Some(until) if Duration::from(until.since(now)) > span_max => {
            found.push(("until", format!("it ends later than {} from now", words(span_max))));
        }
        Some(_) => {}
    }
    let max = bounds.factor_max;
    match &exception.change {
        Change::Unlimited => {
            found.push(("unlimited", format!("no limit at all is more than {max}")))
        }
        Change::Factor(factor) if is_more(*factor, max) => {
            found.push(("factor", format!("{factor} is more than {max}")));
        }
        Change::Factor(_) => {}
        Change::Limit(limit) => {
            let wrong = limits_of(set, exception).and_then(|limits| held(limit, limits, max));
            found.extend(wrong.err().map(|why| ("limit", why)));
        }
        Change::Limits(limits) => {
            let wrong = limits_of(set, exception).and_then(|rule| all_held(limits, rule, max));
            found.extend(wrong.err().map(|why| ("limits", why)));
        }
        _ => found.push(("change", "it cannot be told how much this is".to_owned())),
    }
    found
}

/// The limits that count without it.
fn limits_of<'s>(set: &'s RuleSet, exception: &Override) -> Result<&'s LimitSet, String> {
    let Some(name) = &exception.rule else {
        return Err("a limit that is the same for all rules cannot be held against theirs: name the rule, or give a factor".to_owned());
    };
    match set.rules.get(name).map(|rule| &rule.action) {
        Some(Action::Throttle(throttle)) => Ok(&throttle.limits),
        _ => Err(format!("rule {name} has no limits that it could be held against")),
    }
}

/// Whether a limit is at most so many times the rule's of the same period.
fn held(limit: &Limit, rule: &LimitSet, max: Factor) -> Result<(), String> {
    let period = limit.period();
    let Some(before) = rule.iter().find(|known| known.period() == period) else {
        return Err(format!(
            "the rule has no limit per {period} that {limit} could be held against"
        ));
    };
    if limit.bands() != Bands::default() {
        return Err("thresholds of its own are not for a while: leave them out".to_owned());
    }
    let is_held =
        limit.amount() <= max.of(before.amount()) && limit.capacity() <= max.of(before.capacity());
    match is_held {
        true => Ok(()),
        false => Err(format!("{limit} is more than {max} of the rule's {before}")),
    }
}

/// As [`held`], for limits that stand in the place of all: none of the rule's may be missing.
fn all_held(limits: &LimitSet, rule: &LimitSet, max: Factor) -> Result<(), String> {
    for before in rule {
        let period = before.period();
        if !limits.iter().any(|limit| limit.period() == period) {
            return Err(format!("the rule's {before} would be gone: keep a limit per {period}"));
        }
    }
    // A limit of a period that the rule does not have only takes away.
    let both = limits.iter().filter(|limit| rule.iter().any(|it| it.period() == limit.period()));
    both.into_iter().try_for_each(|limit| held(limit, rule, max))
}

/// In thousandths, which is as fine as factors are.
fn is_more(factor: Factor, max: Factor) -> bool {
    factor.of(1_000) > max.of(1_000)
}

fn words(span: Duration) -> String {
    let seconds = span.as_secs();
    match (seconds % 86_400, seconds % 3_600) {
        (0, _) => format!("{} days", seconds / 86_400),
        (_, 0) => format!("{} hours", seconds / 3_600),
        _ => format!("{seconds} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_secs(86_400);

    fn bounds() -> OverrideBounds {
        OverrideBounds { factor_max: "10x".parse().unwrap(), span_max: DAY * 7 }
    }

    const RULES: &str = "
version: 1
rules:
  - { name: login, match: { endpoint: /login }, key: [user], limit: 5/min }
  - { name: pair, match: { endpoint: /pair }, key: [user], limits: [5/min, 100/day] }
  - { name: closed, match: { endpoint: /closed }, action: block }
";

    // Proves: I5, R12
    #[test]
    fn an_exception_for_a_while_has_bounds() {
        let set: RuleSet = RULES.parse().unwrap();
        let now = Timestamp::from_secs(1_800_000_000);
        let until = |span: Duration| Some(now.saturating_add(span.into()));
        let limit = |text: &str| Change::Limit(text.parse().unwrap());
        let limits = |text: &str| Change::Limits(text.parse().unwrap());
        let factor = |text: &str| Change::Factor(text.parse().unwrap());
        for (rule, change, end, wrong) in [
            (Some("login"), factor("10x"), until(DAY * 7), None),
            (Some("login"), factor("0.5x"), until(DAY), None),
            (None, factor("2x"), until(DAY), None),
            (Some("login"), factor("10.001x"), until(DAY), Some("factor")),
            (Some("login"), factor("2x"), None, Some("until")),
            (Some("login"), factor("2x"), until(DAY * 7 + DAY / 2), Some("until")),
            (Some("login"), Change::Unlimited, until(DAY), Some("unlimited")),
            (Some("login"), limit("50/min"), until(DAY), None),
            (Some("login"), limit("51/min"), until(DAY), Some("limit")),
            (Some("login"), limit("1/h"), until(DAY), Some("limit")),
            (None, limit("6/min"), until(DAY), Some("limit")),
            (Some("closed"), limit("6/min"), until(DAY), Some("limit")),
            (Some("pair"), limits("50/min, 1000/day"), until(DAY), None),
            (Some("pair"), limits("50/min, 1000/day, 1/s"), until(DAY), None),
            (Some("pair"), limits("50/min, 1001/day"), until(DAY), Some("limits")),
            (Some("pair"), limits("50/min"), until(DAY), Some("limits")),
        ] {
            let mut exception = Override::new(rule.map(|rule| rule.parse().unwrap()));
            exception.change = change;
            exception.until = end;
            let found = beyond(bounds(), &set, &exception, now);
            let fields: Vec<&str> = found.iter().map(|(field, _)| *field).collect();
            assert_eq!(fields, Vec::from_iter(wrong), "{exception:?}: {found:?}");
        }
    }

    // Proves: I5, R12
    #[test]
    fn a_burst_counts_too() {
        let set: RuleSet = RULES.parse().unwrap();
        let now = Timestamp::from_secs(1_800_000_000);
        let mut bursty = Override::new(Some("login".parse().unwrap()));
        let burst = "5/min".parse::<Limit>().unwrap().with_burst(51).unwrap();
        bursty.change = Change::Limit(burst);
        bursty.until = Some(now.saturating_add(DAY.into()));
        assert_eq!(beyond(bounds(), &set, &bursty, now).len(), 1, "a burst counts, too");
    }
}
