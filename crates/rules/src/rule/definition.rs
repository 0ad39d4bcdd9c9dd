//! The rule itself.

use std::{collections::BTreeMap, sync::Arc};

use ipnet::IpNet;
use tollgate_core::{Consistency, LimitSet, OnFailure, RuleId};

use super::{CostRule, EndpointPattern, Key, Missing, Name};
use crate::normalise::Method;

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

/// The answer to a denied request, as far as the rule has a say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Response {
    /// The status; without one 429 for a throttle and 403 for a block.
    pub status: Option<u16>,
    /// The message, instead of a general one.
    pub message: Option<Arc<str>>,
    /// The least wait shown, in seconds.
    pub retry_after_s: Option<u32>,
}

impl Response {
    /// The statuses a rule may answer with.
    pub const STATUS_RANGE: std::ops::RangeInclusive<u16> = 400..=599;
    /// The longest message.
    pub const MESSAGE_BYTES_MAX: usize = 1_000;
    /// The longest wait: a year.
    pub const RETRY_AFTER_S_MAX: u32 = 366 * 24 * 3_600;
}

/// The conditions of a rule. All that are given must hold; a list holds if one of its values does. No
/// condition at all is every request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Match {
    /// The tier is one of these; empty is any.
    pub tiers: Vec<Name>,
    /// The user is one of these; empty is any.
    pub users: Vec<Arc<str>>,
    /// The organisation is one of these; empty is any.
    pub orgs: Vec<Arc<str>>,
    /// The id of the API key is one of these; empty is any.
    pub api_keys: Vec<Arc<str>>,
    /// The region is one of these; empty is any.
    pub regions: Vec<Arc<str>>,
    /// The path matches.
    pub endpoint: Option<EndpointPattern>,
    /// The method is one of these; empty is any.
    pub methods: Vec<Method>,
    /// The address is in one of these networks; empty is any.
    pub networks: Vec<IpNet>,
    /// Each of these attributes is as said.
    pub attributes: BTreeMap<Arc<str>, AttributeCondition>,
    /// The Envoy descriptor has exactly these entries, in order.
    pub descriptor: Option<Vec<DescriptorEntry>>,
}

impl Match {
    /// The most values one condition may list.
    pub const VALUES_MAX: usize = 1_000;
    /// The most attribute conditions, and the most entries of a descriptor.
    pub const ATTRIBUTES_MAX: usize = 32;

    /// Every request.
    pub fn everything() -> Self {
        Self::default()
    }
}

/// What an attribute must be.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AttributeCondition {
    /// This text.
    Exact(Arc<str>),
    /// One of these texts.
    OneOf(Vec<Arc<str>>),
    /// A text that begins so.
    Prefix(Arc<str>),
    /// A text that ends so.
    Suffix(Arc<str>),
}

impl AttributeCondition {
    /// Whether the value is as said.
    pub fn holds(&self, value: &str) -> bool {
        match self {
            Self::Exact(wanted) => **wanted == *value,
            Self::OneOf(wanted) => wanted.iter().any(|wanted| **wanted == *value),
            Self::Prefix(prefix) => value.starts_with(&**prefix),
            Self::Suffix(suffix) => value.ends_with(&**suffix),
        }
    }
}

/// One entry of an Envoy descriptor: a key, with the value it must have if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescriptorEntry {
    /// The entry's key.
    pub key: Arc<str>,
    /// The entry's value; any, if none is given.
    pub value: Option<Arc<str>>,
}
