//! Why a request meets the limits it meets.

use std::{fmt, sync::Arc};

use serde_json::{Value, json};
use tollgate_core::{Limit, Sharing, Timestamp};

use super::{
    Compiled, Snapshot,
    plan::{Plan, Stop, TierFound},
    walk::{Event, Witness},
};
use crate::{
    Action, Block, Condition, Directory, Miss, Name, Query, Rule, UnknownTier, conditions::Facts,
    directory::OwnLimits,
};

/// The story of one request: what became of every rule, in the order of the walk.
///
/// [`std::fmt::Display`] tells it in words.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explanation {
    /// The revision of the rules.
    pub revision: u64,
    /// The tier that counts for the request.
    pub tier: String,
    /// Whether anything names the tier that the request states.
    pub tier_found: TierFound,
    /// Whom a block denies before any rule is looked at.
    pub blocked: Option<String>,
    /// The block that denies the request.
    pub block: Option<Arc<Block>>,
    /// What became of each rule. Rules that miss by more than one condition are only counted.
    pub rules: Vec<Considered>,
    /// How many rules miss by more than one condition, or are beyond [`Explanation::SHOWN_MAX`].
    pub far: usize,
}

impl Explanation {
    /// The most rules that are told of.
    pub const SHOWN_MAX: usize = 1_000;
}

/// One rule, and what became of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Considered {
    /// The rule.
    pub rule: Arc<Rule>,
    /// What became of it.
    pub fate: Fate,
}

/// What becomes of a rule when a request comes by.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Fate {
    /// It counts the request under these limits; none at all if an override lifts them.
    Applied {
        /// The limits in words, with the cost.
        limits: Vec<String>,
        /// The limits themselves, in the same order.
        counted: Vec<Limit>,
        /// Whether an override put them in force.
        overridden: bool,
    },
    /// It matches, but its key is outside the scope that was asked for.
    OutsideScope,
    /// It matches, but another throttle of its group came first.
    GroupTaken {
        /// The group.
        group: Name,
    },
    /// It matches, but the request lacks a fact that it counts by.
    Skipped {
        /// The fact.
        field: String,
    },
    /// It matches, and denies because the request lacks a fact.
    Denied {
        /// The fact.
        field: String,
    },
    /// It matches and ends the walk: what comes after is not looked at.
    Ended,
    /// It would match, but the walk had ended.
    NotReached,
    /// It does not match, by one condition.
    Missed(Miss),
}

impl Snapshot {
    /// What becomes of every rule, as [`Snapshot::plan`] decides it, and where it was a near thing.
    pub fn explain(
        &self,
        query: &Query<'_>,
        directory: &Directory,
        wall: Timestamp,
    ) -> Explanation {
        let mut log = Log::default();
        let plan = self.plan_before(&mut log, query, directory, wall);
        let (tier, tier_found) = self.tier_of(query, plan.quota.as_deref());
        let facts = Facts { query, tier };
        let mut explanation = Explanation {
            revision: self.revision,
            tier: tier.to_owned(),
            tier_found,
            blocked: block(&plan).map(|block| format!("{} {:?}", block.field, &*block.value)),
            block: block(&plan).map(Arc::clone),
            rules: Vec::new(),
            far: 0,
        };
        let default = self.defaults.get(tier).into_iter();
        let default = default.filter(|compiled| log.fate(compiled, &plan).is_some());
        let (before, after) = self.around_own();
        let own = plan.own().map(|own| (&own.compiled, Some(own_fate(own, &plan, query))));
        let rules = |compiled| {
            let fate = log.fate(compiled, &plan);
            (compiled, fate.or_else(|| unmet(compiled, &facts)))
        };
        let before = before.iter().map(rules);
        for (compiled, fate) in before.chain(own).chain(after.iter().chain(default).map(rules)) {
            match fate {
                Some(fate) if explanation.rules.len() < Explanation::SHOWN_MAX => {
                    let rule = Arc::clone(&compiled.rule);
                    explanation.rules.push(Considered { rule, fate });
                }
                _ => explanation.far += 1,
            }
        }
        explanation
    }
}

/// The fate of a rule that the walk did not meet.
fn unmet(compiled: &Compiled, facts: &Facts<'_, '_>) -> Option<Fate> {
    let failing = compiled.rule.matches.failing(facts);
    match failing.as_slice() {
        [] => Some(Fate::NotReached),
        [Condition::Attributes] => {
            let misses = compiled.rule.matches.missed_attributes(facts);
            let mut misses = misses.into_iter();
            let first = misses.next()?;
            misses.next().is_none().then_some(Fate::Missed(first))
        }
        [condition] => Some(Fate::Missed(compiled.rule.matches.miss(*condition, facts))),
        _ => None,
    }
}

/// The fate of the limits of an API key or a user.
fn own_fate(own: &OwnLimits, plan: &Plan<'_>, query: &Query<'_>) -> Fate {
    let key = own.compiled.throttle().map(|throttle| &throttle.key);
    let scope = query.scope_asked();
    let is_kept = scope.is_none_or(|scope| key.is_some_and(|key| scope.keeps(key)));
    let rule = &own.compiled.rule;
    let is_met = plan.lines().iter().any(|line| line.rule().id == rule.id);
    match (is_met, is_kept) {
        (true, _) => applied(rule, plan),
        (false, true) => Fate::NotReached,
        (false, false) => Fate::OutsideScope,
    }
}

fn block<'p>(plan: &'p Plan<'_>) -> Option<&'p Arc<Block>> {
    match plan.stop() {
        Some(Stop::Caller(block)) => Some(block),
        _ => None,
    }
}

/// What the walk met, in order.
#[derive(Debug, Default)]
struct Log<'s>(Vec<(&'s Compiled, Event<'s>)>);

impl<'s> Witness<'s> for Log<'s> {
    fn sees(&mut self, compiled: &'s Compiled, event: Event<'s>) {
        self.0.push((compiled, event));
    }
}

impl Log<'_> {
    fn fate(&self, compiled: &Compiled, plan: &Plan<'_>) -> Option<Fate> {
        let mut met = self.0.iter();
        let (_, event) = met.find(|(met, _)| met.rule.id == compiled.rule.id)?;
        Some(match event {
            Event::Applied => applied(&compiled.rule, plan),
            Event::OutsideScope => Fate::OutsideScope,
            Event::GroupTaken => Fate::GroupTaken { group: group(&compiled.rule)? },
            Event::Skipped(field) => Fate::Skipped { field: field.to_string() },
            Event::Denied(field) => Fate::Denied { field: field.to_string() },
            Event::Ended => Fate::Ended,
        })
    }
}

fn group(rule: &Rule) -> Option<Name> {
    match &rule.action {
        Action::Throttle(throttle) => throttle.group.clone(),
        Action::Block | Action::Allow => None,
    }
}

fn applied(rule: &Rule, plan: &Plan<'_>) -> Fate {
    let lines = plan.lines().iter().filter(|line| line.rule().id == rule.id);
    let text = |line: &super::Line<'_>| {
        let limit = &line.limit().limit;
        let cost = line.cost().get();
        format!("{limit} ({}), cost {cost}", limit.explain())
    };
    Fate::Applied {
        overridden: lines.clone().next().is_none_or(super::Line::is_overridden),
        counted: lines.clone().map(|line| line.limit().limit.clone()).collect(),
        limits: lines.map(text).collect(),
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unknown = self.tier_note().map(|note| format!(" ({note})"));
        let unknown = unknown.unwrap_or_default();
        writeln!(f, "revision {}, tier {}{unknown}", self.revision, self.tier)?;
        if self.tier_found.is_refused() {
            return writeln!(f, "denied before any rule: nothing names the tier");
        }
        if let Some(blocked) = &self.blocked {
            let reason = self.block.as_ref().and_then(|block| block.reason.as_deref());
            let reason = reason.map(|reason| format!(": {reason}"));
            let reason = reason.unwrap_or_default();
            return writeln!(f, "denied before any rule: {blocked} is blocked{reason}");
        }
        for considered in &self.rules {
            let rule = &considered.rule;
            writeln!(
                f,
                "{} {}: {}",
                mark(&considered.fate),
                rule.name,
                in_words(rule, &considered.fate)
            )?;
        }
        match self.far {
            0 => Ok(()),
            1 => writeln!(f, "1 more rule does not match"),
            far => writeln!(f, "{far} more rules do not match"),
        }
    }
}

const fn mark(fate: &Fate) -> char {
    match fate {
        Fate::Applied { .. } => '+',
        Fate::Ended | Fate::Denied { .. } => '!',
        _ => '-',
    }
}

fn in_words(rule: &Rule, fate: &Fate) -> String {
    match fate {
        Fate::Applied { limits, .. } if limits.is_empty() => {
            "applies without limit, by override".to_owned()
        }
        Fate::Applied { limits, overridden, .. } => {
            let whose = if *overridden { ", by override" } else { "" };
            format!("applies {}{}{whose}", counted_by(rule), limits.join("; "))
        }
        Fate::OutsideScope => "matches, but its key is outside the scope asked for".to_owned(),
        Fate::GroupTaken { group } => {
            format!("matches, but another throttle of group {group} came first")
        }
        Fate::Skipped { field } => format!("skipped: no {field}"),
        Fate::Denied { field } => format!("denies: no {field}"),
        Fate::Ended => match rule.action {
            Action::Allow => "allows, and ends the walk".to_owned(),
            _ => "blocks, and ends the walk".to_owned(),
        },
        Fate::NotReached => "would match, but the walk had ended".to_owned(),
        Fate::Missed(miss) => format!("does not match: {miss}"),
    }
}

fn counted_by(rule: &Rule) -> String {
    match &rule.action {
        Action::Throttle(throttle) if throttle.key.is_global() => {
            "to everyone together: ".to_owned()
        }
        Action::Throttle(throttle) => format!("by {}: ", throttle.key),
        Action::Block | Action::Allow => String::new(),
    }
}

impl Explanation {
    /// How nodes that share counters count each limit that applies.
    pub fn sharing(&self) -> impl Iterator<Item = (&Rule, &Limit, Sharing)> {
        self.rules.iter().flat_map(|considered| {
            let counted: &[Limit] = match &considered.fate {
                Fate::Applied { counted, .. } => counted,
                _ => &[],
            };
            let rule = &*considered.rule;
            let limits = counted.iter();
            limits.map(move |limit| (rule, limit, limit.sharing(rule.consistency())))
        })
    }

    /// What becomes of a tier that nothing names.
    fn tier_note(&self) -> Option<String> {
        let TierFound::Unknown { stated, policy } = &self.tier_found else {
            return None;
        };
        Some(match policy {
            UnknownTier::Default => {
                format!(
                    "the request states {stated}, which nothing names: it counts as the default"
                )
            }
            UnknownTier::Keep => {
                "not declared: no rule for a tier and no defaults are about it".to_owned()
            }
            UnknownTier::Refuse => "nothing names it, and unknown_tier is refuse".to_owned(),
        })
    }

    /// The same for programs.
    pub fn to_json(&self) -> Value {
        let rules = self.rules.iter().map(|considered| {
            let rule = &considered.rule;
            json!({
                "rule": rule.name.as_str(),
                "action": rule.action.word(),
                "fate": word(&considered.fate),
                "text": in_words(rule, &considered.fate),
            })
        });
        json!({
            "revision": self.revision,
            "tier": self.tier,
            "tier_declared": self.tier_found == TierFound::Known,
            "tier_note": self.tier_note(),
            "blocked": self.blocked,
            "block": self.block.as_deref().map(block_json),
            "rules": rules.collect::<Vec<Value>>(),
            "not_shown": self.far,
        })
    }
}

fn block_json(block: &Block) -> Value {
    json!({
        "field": block.field.to_string(),
        "value": &*block.value,
        "reason": block.reason.as_deref(),
    })
}

const fn word(fate: &Fate) -> &'static str {
    match fate {
        Fate::Applied { .. } => "applied",
        Fate::OutsideScope => "outside_scope",
        Fate::GroupTaken { .. } => "group_taken",
        Fate::Skipped { .. } => "skipped",
        Fate::Denied { .. } => "denied",
        Fate::Ended => "ended",
        Fate::NotReached => "not_reached",
        Fate::Missed(_) => "missed",
    }
}
