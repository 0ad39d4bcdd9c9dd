//! What is to be done with one request.

use std::{ops::Range, sync::Arc};

use smallvec::SmallVec;
use tollgate_core::{Charge, Cost, CounterKey, LimitLine, Policy, Reason, Timestamp};

use crate::{
    Block, Field, KeyCard, KeyField, QuotaCard, Response, Rule, Throttle, UnknownTier,
    counter::{self, KeyBytes},
    directory::{Counted, OwnLimits, OwnLine},
};

/// What the rules say of one request: the charges to put to a store, or that it is denied.
///
/// ```
/// use tollgate_rules::{Directory, Query, Rule, RuleSet, Snapshot};
/// use tollgate_core::Timestamp;
/// # use tollgate_rules::{Field, Key};
///
/// let login = Rule::throttle("login".parse()?, Key::new([Field::User.into()])?, "5/min".parse()?);
/// let mut rules = RuleSet::default();
/// rules.rules.insert(login.name.clone(), login.into());
/// let snapshot = Snapshot::compile(&rules, 1);
///
/// let alice = Query::new().user("alice")?;
/// let plan = snapshot.plan(&alice, &Directory::new(), Timestamp::EPOCH);
/// assert_eq!(plan.charges().len(), 1);
/// assert_eq!(plan.lines()[0].rule().name.as_str(), "login");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Plan<'s> {
    pub(super) revision: u64,
    pub(super) keys: KeyBytes,
    pub(super) lines: SmallVec<[Line<'s>; 4]>,
    pub(super) stop: Option<Stop<'s>>,
    pub(super) has_matched: bool,
    pub(super) is_told_in_full: bool,
    pub(super) tier: TierFound,
    pub(super) key: Option<Arc<KeyCard>>,
    pub(super) quota: Option<Arc<QuotaCard>>,
}

/// Whether anything names the tier of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TierFound {
    /// It is declared, or a rule names it.
    Known,
    /// Nothing names it.
    Unknown {
        /// What the request states.
        stated: Box<str>,
        /// What becomes of it.
        policy: UnknownTier,
    },
}

impl TierFound {
    pub(super) const fn is_refused(&self) -> bool {
        matches!(self, Self::Unknown { policy: UnknownTier::Refuse, .. })
    }
}

impl Plan<'_> {
    /// The revision of the rules that were asked.
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether counters decide: nothing stops the request, and something limits it.
    #[inline]
    pub fn needs_counters(&self) -> bool {
        self.stop.is_none() && !self.lines.is_empty()
    }

    /// The charges to put to a store, one for each of [`Plan::lines`]. None if the request is denied, or
    /// nothing limits it.
    pub fn charges(&self) -> SmallVec<[Charge<'_>; 4]> {
        self.lines.iter().map(|line| line.charge(&self.keys)).collect()
    }

    /// Drops the limits of every other rule.
    pub fn keep_rule(&mut self, name: &str) {
        self.lines.retain(|line| line.rule().name.as_str() == name);
    }

    /// Whether any rule applied, even if it charges nothing: an allow, a block, an override without
    /// limit, or a throttle outside the scope that was asked for.
    pub const fn has_matched(&self) -> bool {
        self.has_matched
    }

    /// Whether the request asks to be told in full, see [`Query::tell_in_full`].
    ///
    /// [`Query::tell_in_full`]: crate::Query::tell_in_full
    pub const fn is_told_in_full(&self) -> bool {
        self.is_told_in_full
    }

    /// Whether anything names the tier of the request.
    pub const fn tier(&self) -> &TierFound {
        &self.tier
    }

    /// Counts the request as allowed for its API key and for its user, if those are known.
    pub fn count_allowed(&self, at: Timestamp) {
        self.counted().for_each(|counted| counted.allowed(at));
    }

    /// Counts the request as denied, as [`Plan::count_allowed`] does.
    pub fn count_denied(&self, at: Timestamp) {
        self.counted().for_each(|counted| counted.denied(at));
    }

    /// The limits of its API key and of its user.
    pub(super) fn own(&self) -> impl Iterator<Item = &OwnLimits> {
        let key = self.key.as_deref().and_then(KeyCard::own);
        let quota = self.quota.as_deref().and_then(QuotaCard::own);
        key.into_iter().chain(quota)
    }

    fn counted(&self) -> impl Iterator<Item = &Arc<Counted>> {
        let key = self.key.as_deref().map(KeyCard::counted);
        let quota = self.quota.as_deref().map(QuotaCard::counted);
        key.into_iter().chain(quota)
    }
}

impl<'s> Plan<'s> {
    /// Every limit the request meets, in the order of the walk.
    pub fn lines(&self) -> &[Line<'s>] {
        &self.lines
    }

    /// What one of the lines counts by, for people: `user=alice`.
    pub fn key_in_words(&self, line: &Line<'_>) -> String {
        counter::in_words(self.keys.get(line.key.clone()).unwrap_or_default())
    }

    /// The facts that one of the lines counts by, of alternatives the one that the request has: `user`, `ip/64`. Without
    /// the endpoint where the rule's pattern stands for it, since that is the same for all.
    ///
    /// ```
    /// use tollgate_rules::{Directory, Query, RuleSet, Snapshot};
    /// use tollgate_core::Timestamp;
    ///
    /// let rules: RuleSet = "version: 1\nrules: [{ name: a, key: [user|ip, method], limit: 5/min }]".parse()?;
    /// let snapshot = Snapshot::compile(&rules, 1);
    /// let query = Query::new().ip("2001:db8::1")?.method("GET")?;
    /// let plan = snapshot.plan(&query, &Directory::new(), Timestamp::EPOCH);
    /// assert_eq!(plan.key_fields(&plan.lines()[0]), ["ip/64", "method"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn key_fields(&self, line: &Line<'_>) -> Vec<String> {
        let rule = line.rule();
        let key = line.throttle().map(|throttle| &throttle.key);
        let has_pattern = rule.matches.endpoint.is_some();
        let values = self.keys.get(line.key.clone()).unwrap_or_default();
        let fields = counter::fields(values, key);
        let fields = fields.filter(|field| !has_pattern || field != Field::Endpoint.word());
        fields.collect()
    }

    /// The counter of one of the lines.
    pub fn counter_key(&self, line: &Line<'_>) -> CounterKey<'_> {
        let values = self.keys.get(line.key.clone()).unwrap_or_default();
        CounterKey::new(line.rule().id, values)
    }

    /// Why the request is denied whatever the counters say.
    pub const fn stop(&self) -> Option<&Stop<'s>> {
        self.stop.as_ref()
    }
}

/// One limit that a request meets.
#[derive(Clone, Debug)]
pub struct Line<'s> {
    pub(super) limit: LineLimit<'s>,
    pub(super) key: Range<usize>,
    pub(super) cost: Cost,
}

/// Whose limit it is.
#[derive(Clone, Debug)]
pub(super) enum LineLimit<'s> {
    Rule(&'s Arc<Rule>, &'s LimitLine),
    /// That of an API key or a user.
    Own(Arc<OwnLine>),
    /// The rule's, where an override has ended.
    Carried(RuleOf<'s>, Box<LimitLine>),
    Override(RuleOf<'s>, Box<LimitLine>),
}

/// A rule of the snapshot, or the one that stands for the limits of an API key or a user.
#[derive(Clone, Debug)]
pub(super) enum RuleOf<'s> {
    Snapshot(&'s Arc<Rule>),
    Own(Arc<Rule>),
}

impl RuleOf<'_> {
    const fn rule(&self) -> &Arc<Rule> {
        match self {
            Self::Snapshot(rule) => rule,
            Self::Own(rule) => rule,
        }
    }
}

impl Line<'_> {
    /// The rule.
    pub fn rule(&self) -> &Arc<Rule> {
        match &self.limit {
            LineLimit::Rule(rule, _) => rule,
            LineLimit::Own(own) => &own.rule,
            LineLimit::Carried(rule, _) | LineLimit::Override(rule, _) => rule.rule(),
        }
    }

    /// What the rule says about counting.
    pub fn throttle(&self) -> Option<&Throttle> {
        match &self.rule().action {
            crate::Action::Throttle(throttle) => Some(throttle),
            _ => None,
        }
    }

    /// The limit in force, with those it replaced.
    pub fn limit(&self) -> &LimitLine {
        match &self.limit {
            LineLimit::Rule(_, line) => line,
            LineLimit::Own(own) => &own.limit,
            LineLimit::Carried(_, line) | LineLimit::Override(_, line) => line,
        }
    }

    /// Whether an override put the limit in force.
    pub const fn is_overridden(&self) -> bool {
        matches!(self.limit, LineLimit::Override(..))
    }

    /// What the request weighs.
    pub const fn cost(&self) -> Cost {
        self.cost
    }

    fn charge<'p>(&'p self, keys: &'p [u8]) -> Charge<'p> {
        let values = keys.get(self.key.clone()).unwrap_or_default();
        let line = self.limit();
        let key = CounterKey::new(self.rule().id, values);
        let charge = Charge::new(key, &line.limit, self.cost).replacing(&line.former);
        let policy = |throttle: &Throttle| Policy {
            consistency: throttle.consistency,
            on_failure: throttle.on_failure,
        };
        charge.under(self.throttle().map_or(Policy::FLEET, policy))
    }
}

/// Why a request is denied without asking a counter.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Stop<'s> {
    /// A rule blocks it.
    Rule(&'s Arc<Rule>),
    /// It lacks a fact without which a rule denies.
    Missing {
        /// The rule.
        rule: &'s Arc<Rule>,
        /// The fact.
        field: &'s KeyField,
    },
    /// The caller is blocked.
    Caller(Arc<Block>),
    /// Nothing names the tier, and such requests are refused.
    UnknownTier,
}

impl<'s> Stop<'s> {
    /// The rule that denies, if it is one.
    pub const fn rule(&self) -> Option<&'s Arc<Rule>> {
        match self {
            Self::Rule(rule) | Self::Missing { rule, .. } => Some(*rule),
            Self::Caller(_) | Self::UnknownTier => None,
        }
    }

    /// Why the request is denied, in one word.
    pub const fn reason(&self) -> Reason {
        match self {
            Self::Rule(_) | Self::Caller(_) => Reason::Blocked,
            Self::Missing { .. } => Reason::Missing,
            Self::UnknownTier => Reason::UnknownTier,
        }
    }

    /// What the rule has to say to the client.
    pub fn response(&self) -> Option<&'s Response> {
        self.rule().map(|rule| &rule.response)
    }

    /// When the denial ends by itself; none is never.
    pub fn until(&self) -> Option<Timestamp> {
        match self {
            Self::Caller(block) => block.until,
            Self::Rule(_) | Self::Missing { .. } | Self::UnknownTier => None,
        }
    }
}
