//! Rules with more keys than the counters have room for.

use std::collections::BTreeSet;

use super::{
    histogram::seconds,
    reading::{Kind, Reading, Value},
};

/// A rule, or all of `CL.THROTTLE`, some of whose keys find no room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Overflow {
    pub(crate) rule: String,
    /// Keys that a sketch counts.
    pub(crate) keys: u64,
    /// The odds that a new key is taken for another, in millionths.
    pub(crate) odds_millionths: u64,
    /// Whether those are so high that the rule's `on_failure` answers.
    pub(crate) is_unreliable: bool,
}

impl Overflow {
    /// The name of what no rule is about.
    pub(crate) const THROTTLES: &str = "CL.THROTTLE";

    /// What is the matter, and the remedy.
    pub(crate) fn in_words(&self) -> String {
        let (rule, keys, percent) = (&self.rule, self.keys, self.percent());
        let what = format!(
            "the counters have no room for {keys} keys of {rule:?}: {percent} % of its new keys are taken for others"
        );
        match self.is_unreliable {
            true => format!(
                "{what}, and on_failure answers for those; raise keys_max or overflow_bytes"
            ),
            false => format!("{what}; raise keys_max"),
        }
    }

    pub(crate) fn percent(&self) -> String {
        let odds = self.odds_millionths;
        format!("{}.{:04}", odds / 10_000, odds % 10_000)
    }
}

/// All rules are always there, so that traffic makes no series.
pub(super) fn read(
    rules: impl Iterator<Item = String>,
    overflows: &[Overflow],
    reading: &mut Reading,
) {
    let overflowing = overflows.iter().map(|overflow| overflow.rule.clone());
    let throttles = [Overflow::THROTTLES.to_owned()];
    let names: BTreeSet<String> = rules.chain(throttles).chain(overflowing).collect();
    let of = |name: &String| overflows.iter().find(|overflow| overflow.rule == *name);
    let help = "Keys of a rule that a sketch counts, since there is no room for them";
    let family = reading.add(Kind::Gauge, "tollgate_overflow_keys", help);
    for name in &names {
        let keys = of(name).map_or(0, |overflow| overflow.keys);
        family.with([("rule", name.clone())], Value::Whole(keys));
    }
    let help =
        "The odds that a new key of a rule is taken for another since a sketch counts, from 0 to 1";
    let family = reading.add(Kind::Gauge, "tollgate_overflow_odds", help);
    for name in &names {
        let odds = of(name).map_or(0, |overflow| overflow.odds_millionths);
        family.with([("rule", name.clone())], Value::Fraction(seconds(odds)));
    }
}
