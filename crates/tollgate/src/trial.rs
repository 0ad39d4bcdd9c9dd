//! Runs the tests that are written beside the rules, on virtual time.

use std::{fmt, sync::Arc};

use tollgate_core::{ManualClock, Micros};
use tollgate_memory::MemoryStore;
use tollgate_rules::{Expect, ExpectRule, Live, RuleSet, Step, Trial};

use crate::{Gate, Ruling};

/// Runs a test on fresh counters.
///
/// # Errors
///
/// The first step that did not go as expected.
///
/// ```
/// use tollgate::rules::document;
///
/// let file = "
/// version: 1
/// rules:
///   - { name: login, key: [user], limit: 5/min }
/// tests:
///   - name: the sixth login within a minute waits
///     steps:
///       - { at: 0s, request: { user: alice }, times: 5, expect: allow }
///       - { at: 1s, request: { user: alice }, expect: deny, rule: login }
/// ";
/// let document = document::read("rules.yaml", file).document.ok_or("broken")?;
/// assert_eq!(tollgate::run_trial(&document.rules, &document.trials[0]), Ok(()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run_trial(rules: &RuleSet, trial: &Trial) -> Result<(), TrialFailure> {
    let clock = ManualClock::at(trial.start);
    let live = Arc::new(Live::new());
    live.publish(rules, 1);
    let gate = Gate::new(live, MemoryStore::new(clock.clone()), clock.clone());
    let mut past = Micros::ZERO;
    for step in &trial.steps {
        clock.advance(step.at.saturating_sub(past));
        past = past.max(step.at);
        for time in 1..=step.times {
            let failed = |wanted: String, got: String| TrialFailure {
                line: step.line,
                time,
                times: step.times,
                wanted,
                got,
            };
            let query = step.request.query();
            let query = query.map_err(|error| failed("a request".to_owned(), error.to_string()))?;
            let ruling = gate.check(&query);
            let ruling = ruling.map_err(|error| failed("rules".to_owned(), error.to_string()))?;
            if let Some((wanted, got)) = difference(step, &ruling, time) {
                return Err(failed(wanted, got));
            }
        }
    }
    Ok(())
}

/// A test that did not go as expected.
///
/// ```
/// use tollgate::{rules::document, run_trial};
///
/// let file = "version: 1\ntests: [{ name: t, steps: [{ at: 0s, request: { user: a }, expect: deny }] }]";
/// let document = document::read("rules.yaml", file).document.ok_or("broken")?;
/// let failure = run_trial(&document.rules, &document.trials[0]).unwrap_err();
/// assert_eq!(failure.to_string(), "line 2: expected deny, got allow, no rule");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrialFailure {
    /// The line of the step.
    pub line: usize,
    /// Which of the step's requests, from one.
    pub time: u32,
    /// How many requests the step makes.
    pub times: u32,
    /// What the step expects.
    pub wanted: String,
    /// What came.
    pub got: String,
}

impl fmt::Display for TrialFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, wanted, got, .. } = self;
        match self.times {
            1 => write!(f, "line {line}: expected {wanted}, got {got}"),
            times => write!(
                f,
                "line {line}, request {} of {times}: expected {wanted}, got {got}",
                self.time
            ),
        }
    }
}

impl std::error::Error for TrialFailure {}

/// What is expected and what came, where they differ.
fn difference(step: &Step, ruling: &Ruling, time: u32) -> Option<(String, String)> {
    let wanted = match step.expect {
        Expect::Allow => "allow",
        Expect::Deny => "deny",
    };
    let got = if ruling.is_allowed() { "allow" } else { "deny" };
    if wanted != got {
        return Some((wanted.to_owned(), described(ruling)));
    }
    let rule = ruling.rule().map(|rule| rule.name.to_string());
    if let Some(expected) = &step.rule {
        let expected = match expected {
            ExpectRule::Nothing => None,
            ExpectRule::Rule(name) => Some(name.to_string()),
            ExpectRule::Tier(name) => Some(format!("tier:{name}")),
        };
        if expected != rule {
            let named = |rule: Option<String>| rule.unwrap_or_else(|| "none".to_owned());
            return Some((format!("rule {}", named(expected)), format!("rule {}", named(rule))));
        }
    }
    let remaining = step.remaining.filter(|_| time == step.times);
    let numbers = [
        ("remaining", remaining, ruling.remaining()),
        ("status", step.status.map(u64::from), Some(ruling.status().into())),
    ];
    for (what, expected, found) in numbers {
        if expected.is_some() && expected != found {
            let shown =
                |number: Option<u64>| number.map_or("none".to_owned(), |number| number.to_string());
            return Some((
                format!("{what} {}", shown(expected)),
                format!("{what} {}", shown(found)),
            ));
        }
    }
    waited(step, ruling)
}

fn waited(step: &Step, ruling: &Ruling) -> Option<(String, String)> {
    let expected = step.retry_after?;
    let found = ruling.retry_after();
    let expected = (expected != Micros::MAX).then(|| std::time::Duration::from(expected));
    let shown = |wait: Option<std::time::Duration>| match wait {
        Some(wait) => format!("retry_after {wait:?}"),
        None => "retry_after never".to_owned(),
    };
    (expected != found).then(|| (shown(expected), shown(found)))
}

fn described(ruling: &Ruling) -> String {
    let answer = if ruling.is_allowed() { "allow" } else { "deny" };
    match ruling.rule() {
        Some(rule) => format!("{answer} by rule {}", rule.name),
        None => format!("{answer}, no rule"),
    }
}
