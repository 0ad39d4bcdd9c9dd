//! The walk through the rules that may match.

use smallvec::SmallVec;
use tollgate_core::{LimitLine, LimitSet, Timestamp};

use super::{
    Compiled, Snapshot,
    plan::{Line, LineLimit, Plan, Stop, TierStanding},
};
use crate::{
    Action, Change, Directory, KeyField, Missing, Name, OwnLimit, Query, conditions::Facts,
    counter, directory::Found, index::Probes,
};

impl Snapshot {
    /// What the rules say of a request at a moment of the day: SPEC section 12 in one function.
    ///
    /// Blocks of the directory come first. Then the rules that match are walked in order: `allow` and
    /// `block` end the walk, of the throttles that share a group the first that applies does. If no
    /// throttle applied and nothing ended the walk, the tier's default limits do.
    pub fn plan<'s>(
        &'s self,
        query: &Query<'_>,
        directory: &Directory,
        wall: Timestamp,
    ) -> Plan<'s> {
        let mut plan = self.plan_before(&mut (), query, directory, wall);
        if plan.stop.is_some() {
            plan.lines.clear();
        }
        plan
    }

    /// The same before a witness; what was met before a stop is still there.
    pub(super) fn plan_before<'s, W: Witness<'s>>(
        &'s self,
        witness: &mut W,
        query: &Query<'_>,
        directory: &Directory,
        wall: Timestamp,
    ) -> Plan<'s> {
        let (tier, standing) = self.tier_of(query);
        let facts = Facts { query, tier };
        let mut walk = Walk {
            witness,
            snapshot: self,
            directory,
            facts,
            wall,
            groups: SmallVec::new(),
            plan: Plan {
                revision: self.revision,
                keys: SmallVec::new(),
                lines: SmallVec::new(),
                stop: None,
                has_matched: false,
                tier: standing,
            },
        };
        if let Some(block) = directory.blocking(&facts, wall) {
            walk.plan.stop = Some(Stop::Caller(block));
            return walk.plan;
        }
        let is_ended = self
            .matching(&facts)
            .any(|compiled| walk.step(compiled) == Pace::Ended);
        match query.own_limit() {
            _ if is_ended => {}
            Some(own) => walk.apply_own(own),
            None if walk.plan.has_matched => {}
            None => walk.apply_default(),
        }
        walk.plan
    }

    /// The tier that counts for a request, and whether it is a declared one.
    pub(super) fn tier_of<'q>(&'q self, query: &'q Query<'_>) -> (&'q str, TierStanding) {
        match query.tier_name() {
            None => (self.default_tier.as_str(), TierStanding::Declared),
            Some(tier) if self.tiers.contains(tier) => (tier, TierStanding::Declared),
            Some(tier) => (tier, TierStanding::Unknown),
        }
    }

    /// The rules that match, in order.
    fn matching<'s>(&'s self, facts: &Facts<'_, '_>) -> impl Iterator<Item = &'s Compiled> {
        let candidates = self.index.candidates(&Probes::of(facts));
        let compiled = move |place: u32| self.walk.get(usize::try_from(place).ok()?);
        let facts = *facts;
        let candidates = candidates.into_iter().filter_map(compiled);
        candidates.filter(move |compiled| compiled.rule.matches.holds(compiled.given, &facts))
    }
}

/// Sees what becomes of each rule that matches. Nobody, on the way of a decision.
pub(super) trait Witness<'s> {
    fn sees(&mut self, compiled: &'s Compiled, event: Event<'s>);
}

impl<'s> Witness<'s> for () {
    #[inline]
    fn sees(&mut self, _: &'s Compiled, _: Event<'s>) {}
}

/// What becomes of a rule that matches.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event<'s> {
    Applied,
    OutsideScope,
    GroupTaken,
    Skipped(&'s KeyField),
    Denied(&'s KeyField),
    Ended,
}

/// Whether the walk goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    On,
    Ended,
}

struct Walk<'s, 'q, 'a, 'w, W> {
    witness: &'w mut W,
    snapshot: &'s Snapshot,
    directory: &'q Directory,
    facts: Facts<'q, 'a>,
    wall: Timestamp,
    groups: SmallVec<[&'s Name; 4]>,
    plan: Plan<'s>,
}

impl<'s, W: Witness<'s>> Walk<'s, '_, '_, '_, W> {
    /// A rule that matches.
    fn step(&mut self, compiled: &'s Compiled) -> Pace {
        match &compiled.rule.action {
            Action::Allow => {
                self.witness.sees(compiled, Event::Ended);
                self.plan.has_matched = true;
                Pace::Ended
            }
            Action::Block => {
                self.witness.sees(compiled, Event::Ended);
                self.plan.has_matched = true;
                self.plan.stop = Some(Stop::Rule(&compiled.rule));
                Pace::Ended
            }
            // What the request brings along counts in its place.
            Action::Throttle(_) if self.facts.query.own_limit().is_some() => Pace::On,
            Action::Throttle(throttle) => match &throttle.group {
                Some(group) if self.groups.contains(&group) => {
                    self.witness.sees(compiled, Event::GroupTaken);
                    Pace::On
                }
                _ => self.apply(compiled),
            },
        }
    }

    /// A throttle whose group is still free.
    fn apply(&mut self, compiled: &'s Compiled) -> Pace {
        let Some(throttle) = compiled.throttle() else {
            return Pace::On;
        };
        let start = self.plan.keys.len();
        let endpoint = compiled.rule.matches.endpoint.as_ref();
        let pattern = endpoint.map(|pattern| pattern.as_str());
        let appended = counter::append(throttle, pattern, &self.facts, &mut self.plan.keys);
        let scope = self.facts.query.scope_asked();
        let is_kept = scope.is_none_or(|scope| scope.keeps(&throttle.key));
        if let Err(field) = appended {
            match throttle.missing {
                Missing::Skip => {
                    self.witness.sees(compiled, Event::Skipped(field));
                    return Pace::On;
                }
                Missing::Shared => counter::append_shared(&mut self.plan.keys),
                // A throttle that is not asked for denies nobody, but it is there.
                Missing::Deny if !is_kept => {}
                Missing::Deny => {
                    self.plan.has_matched = true;
                    let rule = &compiled.rule;
                    self.witness.sees(compiled, Event::Denied(field));
                    self.plan.stop = Some(Stop::Missing { rule, field });
                    return Pace::Ended;
                }
            }
        }
        self.plan.has_matched = true;
        self.groups.extend(&throttle.group);
        if !is_kept {
            self.witness.sees(compiled, Event::OutsideScope);
            return Pace::On;
        }
        self.witness.sees(compiled, Event::Applied);
        self.charge(compiled, start);
        Pace::On
    }

    /// The limits of a throttle, or what an override puts in their place.
    fn charge(&mut self, compiled: &'s Compiled, start: usize) {
        let key = start..self.plan.keys.len();
        let values = self.plan.keys.get(key.clone()).unwrap_or_default();
        let rule = &compiled.rule;
        let found = self
            .directory
            .find(rule.id, values, self.wall)
            .or(|| self.snapshot.exceptions.find(rule.id, values, self.wall));
        let throttle = compiled.throttle();
        let Some(cost) = throttle.map(|throttle| throttle.cost.of(self.facts.query)) else {
            return;
        };
        let line = |limit| Line {
            rule,
            limit,
            key: key.clone(),
            cost,
        };
        let carried = after(&compiled.lines, &found);
        let lines = &mut self.plan.lines;
        match (&found.in_force, carried) {
            (None, None) => lines.extend(compiled.lines.iter().map(LineLimit::Rule).map(line)),
            (None, Some(carried)) => {
                let carried = carried.into_iter().map(Box::new);
                lines.extend(carried.map(LineLimit::Carried).map(line));
            }
            (Some(entry), carried) => {
                let rules_own = carried.as_ref().unwrap_or(&compiled.lines);
                let changed = entry.change.apply(rules_own).unwrap_or_default();
                let changed = changed.into_iter().map(Box::new);
                lines.extend(changed.map(LineLimit::Override).map(line));
            }
        }
    }

    /// The limit that the request brings along.
    fn apply_own(&mut self, own: &OwnLimit) {
        self.plan.has_matched = true;
        let rule = &self.snapshot.own_limit;
        let limit = match own {
            OwnLimit::Nothing => {
                self.plan.stop = Some(Stop::Rule(rule));
                return;
            }
            OwnLimit::Limit(limit) => LimitLine::only(limit.clone()),
        };
        let start = self.plan.keys.len();
        counter::append_descriptor(self.facts.query, &mut self.plan.keys);
        self.plan.lines.push(Line {
            rule,
            limit: LineLimit::Override(Box::new(limit)),
            key: start..self.plan.keys.len(),
            cost: self.facts.query.cost_asked(),
        });
    }

    fn apply_default(&mut self) {
        let default = self.snapshot.defaults.get(self.facts.tier);
        if let Some(compiled) = default {
            // The default is skipped like any throttle if nobody is known.
            self.apply(compiled);
        }
    }
}

/// The rule's limits after an override of other periods has ended: what was counted under those is
/// carried over.
fn after(lines: &[LimitLine], found: &Found) -> Option<Vec<LimitLine>> {
    let Change::Limits(ended) = &*found.ended.as_ref()?.change else {
        return None;
    };
    let limits = LimitSet::new(lines.iter().map(|line| line.limit.clone())).ok()?;
    Some(LimitLine::succeed(
        &LimitLine::succeed(lines, ended),
        &limits,
    ))
}
