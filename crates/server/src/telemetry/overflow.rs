//! Rules with more keys than the counters have room for.

use super::reading::{Kind, Reading, Value};

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

pub(super) fn read(overflows: &[Overflow], reading: &mut Reading) {
    let help = "Keys of a rule that a sketch counts since there is no room for them; absent while there is";
    let family = reading.add(Kind::Gauge, "tollgate_overflow_keys", help);
    for overflow in overflows {
        let labels = [("rule", overflow.rule.clone())];
        family.with(labels, Value::Whole(overflow.keys));
    }
    let help = "The odds that a new key of such a rule is taken for another, from 0 to 1";
    let family = reading.add(Kind::Gauge, "tollgate_overflow_odds", help);
    for overflow in overflows {
        let odds = std::time::Duration::from_micros(overflow.odds_millionths).as_secs_f64();
        family.with([("rule", overflow.rule.clone())], Value::Fraction(odds));
    }
}
