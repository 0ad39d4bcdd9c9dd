//! What the consistency of a rule means here, in words (C3).

use tollgate_core::Consistency;
use tollgate_rules::{Action, Rule};

/// Where counters are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Counting {
    /// In this node's memory.
    #[default]
    Alone,
    /// In Redis, for all nodes.
    Shared,
}

impl Counting {
    /// What holds for all rules.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Alone => {
                "counters are in this node's memory: without Redis every consistency mode (exact, leased, \
                 local) counts on this node alone"
            }
            Self::Shared => {
                "counters are shared through Redis: exact and leased rules are counted exactly, for all nodes \
                 together (this release has no leases yet), local rules on this node alone; while Redis is \
                 away, what a rule says under on_failure answers; CL.THROTTLE counts on this node alone"
            }
        }
    }

    /// What holds for a rule.
    pub(crate) fn of(self, rule: &Rule) -> &'static str {
        match (self, consistency(rule)) {
            (Self::Alone, _) | (Self::Shared, Consistency::Local) => "on this node alone",
            (Self::Shared, Consistency::Leased) => {
                "exactly, for all nodes together (leased is served as exact in this release)"
            }
            (Self::Shared, _) => "exactly, for all nodes together",
        }
    }

    /// What holds, and what that means for these rules.
    pub(crate) fn story<'r>(self, rules: impl Iterator<Item = &'r Rule>) -> String {
        let mut story = self.words().to_owned();
        if self == Self::Alone {
            return story;
        }
        for rule in rules {
            story += &format!("; {} counts {}", rule.name.as_str(), self.of(rule));
        }
        story
    }
}

fn consistency(rule: &Rule) -> Consistency {
    match &rule.action {
        Action::Throttle(throttle) => throttle.consistency,
        _ => Consistency::Local,
    }
}
