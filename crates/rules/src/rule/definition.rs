//! The rule itself.

use std::sync::Arc;

use tollgate_core::{Consistency, LimitSet, OnFailure, RuleId};

use super::{CostRule, Key, Match, Missing, Name, Response};

/// A checked statement: which requests, and what happens to them.
///
/// ```
/// use tollgate_rules::{Field, Key, Rule};
///
/// let key = Key::new([Field::User.into()])?;
/// let rule = Rule::throttle("login".parse()?, key, "5/min".parse()?);
/// assert!(rule.enabled);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rule {
    /// Who it is, for ever: a renamed rule keeps its id and so its counters.
    pub id: RuleId,
    /// What it is called; unique among the rules.
    pub name: Name,
    /// Rules of a higher priority are walked first.
    pub priority: i32,
    /// A rule that is not enabled is kept but not walked.
    pub enabled: bool,
    /// Which requests.
    pub matches: Match,
    /// What happens to them.
    pub action: Action,
    /// What a denied client is told.
    pub response: Response,
    /// Who answers for it.
    pub owner: Option<Arc<str>>,
    /// Why it exists.
    pub reason: Option<Arc<str>>,
    /// The name it was created under, if that was another: its id comes from there.
    pub renamed_from: Option<Name>,
}

impl Rule {
    /// A throttle of every request by `key`.
    pub fn throttle(name: Name, key: Key, limits: LimitSet) -> Self {
        Self::new(name, Action::Throttle(Throttle::new(key, limits)))
    }

    /// Where its counters are when nodes share them; one that counts nothing asks nobody.
    pub const fn consistency(&self) -> Consistency {
        match &self.action {
            Action::Throttle(throttle) => throttle.consistency,
            Action::Block | Action::Allow => Consistency::Local,
        }
    }

    /// A rule about every request.
    pub fn new(name: Name, action: Action) -> Self {
        Self {
            id: name.rule_id(),
            name,
            priority: 0,
            enabled: true,
            matches: Match::everything(),
            action,
            response: Response::default(),
            owner: None,
            reason: None,
            renamed_from: None,
        }
    }
}

/// What a rule does to the requests it matches.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Action {
    /// Counts them, and denies those beyond the limits.
    Throttle(Throttle),
    /// Denies them, and ends the walk.
    Block,
    /// Lets them pass, and ends the walk.
    Allow,
}

impl Action {
    /// As in a file.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Throttle(_) => "throttle",
            Self::Block => "block",
            Self::Allow => "allow",
        }
    }
}

/// What is counted, and how much of it may pass.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Throttle {
    /// What names a counter.
    pub key: Key,
    /// What becomes of a request that lacks a fact of the key.
    pub missing: Missing,
    /// How much may pass.
    pub limits: LimitSet,
    /// Of the throttles that share a group only the first that applies does.
    pub group: Option<Name>,
    /// How much a request weighs.
    pub cost: CostRule,
    /// How nodes agree.
    pub consistency: Consistency,
    /// What to answer while the counters cannot be reached.
    pub on_failure: OnFailure,
}

impl Throttle {
    /// A throttle with everything else as it is by default.
    pub fn new(key: Key, limits: LimitSet) -> Self {
        Self {
            key,
            missing: Missing::default(),
            limits,
            group: None,
            cost: CostRule::default(),
            consistency: Consistency::default(),
            on_failure: OnFailure::default(),
        }
    }
}
