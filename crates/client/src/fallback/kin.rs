//! What is common to questions that are alike: limits for a question that nobody has asked yet.
//!
//! Paths have numbers of things in them, so the next one is always new. What every question about `/items/…` met of late,
//! the next will meet too; what those about all kinds of things met is for everybody.

use std::{num::NonZeroU32, sync::Arc};

use smallvec::SmallVec;
use tollgate_core::Timestamp;

use super::{ToldLimit, learned::Learned};
use crate::{Check, facts, table::Table};

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
