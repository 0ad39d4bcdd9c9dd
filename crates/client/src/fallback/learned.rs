//! What was learned about a question, ready to be enforced.

use std::{num::NonZeroU32, sync::Arc};

use smallvec::SmallVec;
use tollgate_core::{Charge, Cost, CounterKey, Limit, Period, RuleId, Timestamp};

use super::ToldLimit;
use crate::{Check, facts, table::Table};

/// The limits of a question, and this caller's parts of them.
#[derive(Debug)]
pub(super) struct Learned {
    pub(super) told: Box<[ToldLimit]>,
    pub(super) callers: NonZeroU32,
    /// One for each that was told.
    pub(super) parts: Box<[Part]>,
}

/// What this caller may use of a limit.
#[derive(Clone, Debug)]
pub(super) struct Part {
    rule: RuleId,
    limit: Limit,
    /// What it was before, if that had another period: whoever is counted under it is carried over.
    former: Option<Limit>,
}

impl Learned {
    /// In place of what was known before.
    pub(super) fn new(told: &[ToldLimit], callers: NonZeroU32, before: Option<&Self>) -> Self {
        Self { told: told.into(), callers, parts: parts(told, callers, before) }
    }

    /// Whether there is nothing new in this.
    pub(super) fn is(&self, told: &[ToldLimit], callers: NonZeroU32) -> bool {
        self.callers == callers && *self.told == *told
    }

    /// The same for another number of callers.
    pub(super) fn among(&self, callers: NonZeroU32) -> Self {
        Self::new(&self.told, callers, Some(self))
    }
}

impl Part {
    /// Of the counter for these values.
    pub(super) fn charge<'a>(&'a self, values: &'a [u8], cost: Cost) -> Charge<'a> {
        let key = CounterKey::new(self.rule, values);
        Charge::new(key, &self.limit, cost).replacing(self.former.as_slice())
    }
}

fn parts(told: &[ToldLimit], callers: NonZeroU32, before: Option<&Learned>) -> Box<[Part]> {
    let part = |(index, told): (usize, &ToldLimit)| {
        let rule = identity(told);
        let limit = part(&told.per, callers);
        let known = before.and_then(|before| before.parts.get(index));
        let known = known.filter(|known| known.rule == rule);
        let former = known.and_then(|known| match known.limit.period() == limit.period() {
            true => known.former.clone(),
            false => Some(known.limit.clone()),
        });
        Part { rule, former: former.filter(|former| former.period() != limit.period()), limit }
    };
    told.iter().enumerate().map(part).collect()
}

/// Of the counters of a limit. Its own period is in it: parts may have longer ones, and must not meet another limit of the
/// same rule there.
fn identity(told: &ToldLimit) -> RuleId {
    let mut bytes = facts::room();
    facts::write_fact(Some(&told.rule), &mut bytes);
    bytes.extend_from_slice(told.per.period().to_string().as_bytes());
    RuleId::new(facts::hash(&bytes))
}

/// A caller's part of a limit: a share of it, or, where that is less than one, a bucket that holds one and is
/// refilled at the share's rate.
fn part(limit: &Limit, callers: NonZeroU32) -> Limit {
    let share = limit.share(callers);
    let share = share.or_else(|| slow(limit, callers)?.with_burst(1).ok());
    // Every limit that can be told has one or the other.
    share.unwrap_or_else(|| limit.clone())
}

/// The same amount in a period that is longer by as many times as there are callers. Where no period is that
/// long, a smaller amount in the longest there is.
fn slow(limit: &Limit, callers: NonZeroU32) -> Option<Limit> {
    let (period, callers) = (limit.period(), u64::from(callers.get()));
    let unit = period.unit();
    let wanted = period.count().saturating_mul(callers);
    if let Ok(period) = Period::new(wanted, unit) {
        return Limit::new(limit.amount(), period).ok();
    }
    let longest = Period::LENGTH_MAX.get().checked_div(unit.length().get())?;
    let amount = u128::from(limit.amount())
        .saturating_mul(u128::from(longest))
        .checked_div(u128::from(wanted))?;
    let amount = u64::try_from(amount).ok()?.max(1);
    Limit::new(amount, Period::new(longest, unit).ok()?).ok()
}

/// How many families are known.
const FAMILIES: usize = 1_024;
/// As many of a family are looked at: those of which there was something new last.
const MEMBERS: usize = 8;
/// One alone has nothing in common with anybody.
const MEMBERS_MIN: usize = 2;

/// Families of questions.
#[derive(Debug)]
pub(super) struct Kin {
    families: Table<Family>,
}

#[derive(Debug)]
struct Family {
    /// The oldest first.
    members: SmallVec<[(u128, Arc<Learned>); MEMBERS]>,
    common: Arc<Learned>,
    used: Timestamp,
}

impl Default for Kin {
    fn default() -> Self {
        let families = Table::new(FAMILIES);
        Self { families }
    }
}

impl Kin {
    /// There is something new about questions of this shape.
    pub(super) fn learn(
        &self,
        check: &Check<'_>,
        shape: u128,
        learned: &Arc<Learned>,
        now: Timestamp,
    ) {
        let [near, all] = facts::families(check);
        self.join(near, shape, learned, now);
        // To the wide family those near are one.
        self.join(all, near, learned, now);
    }

    /// What the like of a question met, if that is known.
    pub(super) fn limits(
        &self,
        check: &Check<'_>,
        callers: NonZeroU32,
        now: Timestamp,
    ) -> Option<Arc<Learned>> {
        let known = |family: &mut Family| family.common(callers, now);
        let mut families = facts::families(check).into_iter();
        families.find_map(|family| self.families.with(family, known).flatten())
    }

    fn join(&self, family: u128, member: u128, learned: &Arc<Learned>, now: Timestamp) {
        let join = |family: &mut Family| family.join(member, learned, now);
        if self.families.with(family, join).is_none() {
            let family_of_one = Family {
                members: SmallVec::from_iter([(member, Arc::clone(learned))]),
                common: Arc::clone(learned),
                used: now,
            };
            let rank = |family: &Family| family.used.as_micros();
            self.families.put(family, family_of_one, rank);
        }
    }
}

impl Family {
    fn join(&mut self, member: u128, learned: &Arc<Learned>, now: Timestamp) {
        self.used = now;
        self.members.retain(|(known, _)| *known != member);
        if self.members.len() == MEMBERS {
            self.members.remove(0);
        }
        self.members.push((member, Arc::clone(learned)));
        let is_common = |limit: &&ToldLimit| {
            let mut members = self.members.iter();
            members.all(|(_, member)| member.told.contains(limit))
        };
        let common: Vec<ToldLimit> = learned.told.iter().filter(is_common).cloned().collect();
        if !self.common.is(&common, learned.callers) {
            self.common = Arc::new(Learned::new(&common, learned.callers, Some(&self.common)));
        }
    }

    fn common(&mut self, callers: NonZeroU32, now: Timestamp) -> Option<Arc<Learned>> {
        self.used = now;
        if self.common.callers != callers {
            self.common = Arc::new(self.common.among(callers));
        }
        let is_known = self.members.len() >= MEMBERS_MIN && !self.common.told.is_empty();
        is_known.then(|| Arc::clone(&self.common))
    }
}
