//! The walk through the rules that may match.

use std::sync::Arc;

use smallvec::SmallVec;
use tollgate_core::{LimitLine, LimitSet, Timestamp};

use super::{
    Compiled, Snapshot,
    compile::Limits,
    plan::{Line, LineLimit, Plan, RuleOf, Stop},
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
        let quota = query.user_name().and_then(|user| directory.quota(user));
        let (tier, found) = self.tier_of(query, quota.as_deref());
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
                is_told_in_full: query.is_told_in_full(),
                tier: found,
                key: query.key_card().map(Arc::clone),
                quota: quota.as_ref().map(Arc::clone),
            },
        };
        if let Some(block) = directory.blocking(&facts, wall) {
            walk.plan.stop = Some(Stop::Caller(block));
            return walk.plan;
        }
        if walk.plan.tier.is_refused() {
            walk.plan.stop = Some(Stop::UnknownTier);
            return walk.plan;
        }
        let mut own = Some((query.key_card().map(|card| &**card), quota.as_deref()));
        for (place, compiled) in self.matching(&facts) {
            if place >= self.own_at
                && let Some(own) = own.take()
            {
                walk.apply_own_limits(own);
            }
            if walk.step(compiled) == Pace::Ended {
                return walk.plan;
            }
        }
        if let Some(own) = own {
            walk.apply_own_limits(own);
        }
        let has_own = quota.as_deref().is_some_and(|card| card.own().is_some());
        match query.own_limit() {
            Some(own) => walk.apply_own(own),
            // What is agreed with the user counts in the place of its tier's defaults.
            None if walk.plan.has_matched || has_own => {}
            None => walk.apply_default(),
        }
        let has_own = walk.plan.own().next().is_some();
        walk.plan.has_matched |= has_own;
        walk.plan
    }

    /// The rules that match, in order.
    fn matching<'s>(&'s self, facts: &Facts<'_, '_>) -> impl Iterator<Item = (u32, &'s Compiled)> {
        let candidates = self.index.candidates(&Probes::of(facts));
        let compiled =
            move |place: u32| Some((place, self.walk.get(usize::try_from(place).ok()?)?));
        let facts = *facts;
        let candidates = candidates.into_iter().filter_map(compiled);
        candidates.filter(move |(_, compiled)| compiled.rule.matches.holds(compiled.given, &facts))
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

pub(super) struct Walk<'s, 'q, 'a, 'w, W> {
    witness: &'w mut W,
    snapshot: &'s Snapshot,
    directory: &'q Directory,
    pub(super) facts: Facts<'q, 'a>,
    wall: Timestamp,
    groups: SmallVec<[&'s Name; 4]>,
    pub(super) plan: Plan<'s>,
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
        self.charge(Limits::Rule(compiled), start);
        Pace::On
    }

    /// The limits of a throttle, or what an override puts in their place.
    pub(super) fn charge(&mut self, limits: Limits<'s, '_>, start: usize) {
        let key = start..self.plan.keys.len();
        let values = self.plan.keys.get(key.clone()).unwrap_or_default();
        let compiled = limits.compiled();
        let id = compiled.rule.id;
        let found = self
            .directory
            .find(id, values, self.wall)
            .or(|| self.snapshot.exceptions.find(id, values, self.wall));
        let throttle = compiled.throttle();
        let Some(cost) = throttle.map(|throttle| throttle.cost.of(self.facts.query)) else {
            return;
        };
        let line = |limit| Line { limit, key: key.clone(), cost };
        let carried = after(&compiled.lines, &found);
        let lines = &mut self.plan.lines;
        match (&found.in_force, carried) {
            (None, None) => limits.each(|limit| lines.push(line(limit))),
            (None, Some(carried)) => {
                let carried = carried.into_iter().map(Box::new);
                lines.extend(carried.map(|limit| line(LineLimit::Carried(limits.rule(), limit))));
            }
            (Some(entry), carried) => {
                let rules_own = carried.as_ref().unwrap_or(&compiled.lines);
                let changed = entry.change.apply(rules_own).unwrap_or_default();
                let changed = changed.into_iter().map(Box::new);
                lines.extend(changed.map(|limit| line(LineLimit::Override(limits.rule(), limit))));
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
            limit: LineLimit::Override(RuleOf::Snapshot(rule), Box::new(limit)),
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
    Some(LimitLine::succeed(&LimitLine::succeed(lines, ended), &limits))
}
