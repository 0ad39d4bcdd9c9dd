//! What the consistency of a rule means here, in words (C3).

use tollgate_core::{Limit, Sharing};
use tollgate_redis::Leases;
use tollgate_rules::{Explanation, Rule};

/// Where counters are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Counting {
    /// In this node's memory.
    #[default]
    Alone,
    /// In Redis, for all nodes, which may lease slices of them.
    Shared(Leases),
}

/// What every rule that shares its counters has in common.
const POLICIES: &str = "local rules on this node alone; while Redis is away, what a rule says under \
                        on_failure answers; CL.THROTTLE counts on this node alone";

impl Counting {
    /// What holds for all rules.
    pub(crate) fn words(self) -> String {
        match self {
            Self::Alone => {
                "counters are in this node's memory: without Redis every consistency mode (exact, leased, \
                 local) counts on this node alone"
                    .to_owned()
            }
            Self::Shared(Leases::On) => format!(
                "counters are shared through Redis: exact and leased rules count for all nodes together, leased \
                 ones from slices in this node's memory, {POLICIES}"
            ),
            Self::Shared(Leases::Off) => format!(
                "counters are shared through Redis: exact and leased rules count for all nodes together, each \
                 decision in Redis because leases are switched off, {POLICIES}"
            ),
        }
    }

    /// What holds for a limit: counted so.
    pub(crate) fn of(self, sharing: Sharing) -> String {
        match (self, sharing) {
            (Self::Alone, _) | (_, Sharing::Local) => "on this node alone".to_owned(),
            (Self::Shared(Leases::On), Sharing::Leased(_)) => {
                format!("for all nodes together, {sharing}")
            }
            (Self::Shared(Leases::On), Sharing::Unleased(why)) => {
                format!("exactly, for all nodes together ({why})")
            }
            _ => "exactly, for all nodes together".to_owned(),
        }
    }

    /// What holds, and what that means for each limit that a request meets.
    pub(crate) fn story(self, explanation: &Explanation) -> String {
        let mut story = self.words();
        if let Self::Shared(leases) = self {
            for (rule, limit, sharing) in explanation.sharing() {
                story += &format!("; {}", one(rule, limit, sharing, leases));
            }
        }
        story
    }
}

/// `login 100/min: leased (refreshed every 500 ms)`
fn one(rule: &Rule, limit: &Limit, sharing: Sharing, leases: Leases) -> String {
    let name = rule.name.as_str();
    match (leases, sharing) {
        (Leases::Off, Sharing::Leased(_) | Sharing::Unleased(_)) => {
            format!("{name} {limit}: exact: leases are switched off")
        }
        _ => format!("{name} {limit}: {sharing}"),
    }
}

#[cfg(test)]
mod tests {
    use tollgate_rules::{Directory, Query, RuleSet, Snapshot};

    use super::*;

    const RULES: &str = "
version: 1
rules:
  - { name: api, key: [], limits: [100/min, 10/100ms, { per: 5/s, algorithm: leaky_bucket }] }
  - { name: strict, key: [], limit: 7/h, consistency: exact }
  - { name: alone, key: [], limit: 8/h, consistency: local }
";

    fn story(counting: Counting) -> String {
        let rules: RuleSet = RULES.parse().unwrap();
        let snapshot = Snapshot::compile(&rules, 1);
        let query = Query::new().endpoint("/").unwrap();
        counting.story(&snapshot.explain(
            &query,
            &Directory::new(),
            tollgate_core::Timestamp::EPOCH,
        ))
    }

    // Proves: C3
    #[test]
    fn each_limit_is_told_how_it_is_counted() {
        let on = story(Counting::Shared(Leases::On));
        for words in [
            "; api 100/min: leased (refreshed every 500 ms)",
            "; api 10/100ms: exact: its window is shorter than 1 s",
            "; api 5/s: exact: its algorithm has to see each request",
            "; strict 7/h: exact",
            "; alone 8/h: local",
        ] {
            assert!(on.contains(words), "{words}: {on}");
        }
        let off = story(Counting::Shared(Leases::Off));
        assert!(off.contains("api 100/min: exact: leases are switched off; "), "{off}");
        assert_eq!(story(Counting::Alone), Counting::Alone.words());
    }
}
