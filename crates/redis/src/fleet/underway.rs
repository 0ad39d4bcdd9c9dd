//! A request on its way, and what becomes of it when its caller goes away.

use std::num::NonZeroU32;

use smallvec::SmallVec;
use tokio::time::Instant;
use tollgate_core::{Charge, Decision, ImmediateStore, Now};

use super::{Fleet, group::Group, policy::Manner};
use crate::lease::{Covered, Reservation};

/// A request on its way.
pub(super) struct Course<'c> {
    pub(super) charges: &'c [Charge<'c>],
    pub(super) decisions: SmallVec<[Option<Decision>; 2]>,
    /// What charges that may pass show without being taken.
    pub(super) untaken: SmallVec<[(usize, Decision); 2]>,
    /// Those that leases of this node cover.
    pub(super) covered: SmallVec<[(usize, Covered); 2]>,
    /// What leases pay of each of the others.
    pub(super) parts: SmallVec<[Option<Reservation>; 2]>,
    /// Those that Redis has denied, perhaps because of leases of this node.
    pub(super) in_doubt: SmallVec<[usize; 2]>,
    /// Those that a policy decides.
    pub(super) by_policy: SmallVec<[usize; 2]>,
    /// Of those, the ones whose counters may be lost.
    pub(super) lost: SmallVec<[usize; 2]>,
    /// Those that were charged on this node, because their rules say so and because a policy did.
    pub(super) taken_here: SmallVec<[usize; 2]>,
    pub(super) taken_by_policy: SmallVec<[usize; 2]>,
    pub(super) manner: Manner,
    pub(super) nodes: NonZeroU32,
    pub(super) end: Instant,
    pub(super) now: Option<Now>,
}

impl<'c> Course<'c> {
    pub(super) fn is_denied(&self) -> bool {
        let mut decided = self.decisions.iter().flatten();
        decided.any(|decision| !decision.is_allowed())
    }

    pub(super) fn set(&mut self, places: &[usize], decisions: impl IntoIterator<Item = Decision>) {
        for (place, decision) in places.iter().zip(decisions) {
            if let Some(slot) = self.decisions.get_mut(*place) {
                *slot = Some(decision);
            }
        }
    }

    pub(super) fn some(&self, places: &[usize]) -> SmallVec<[Charge<'c>; 2]> {
        let charges = places.iter().filter_map(|place| self.charges.get(*place));
        charges.copied().collect()
    }

    pub(super) fn are_allowed(&self, places: &[usize]) -> bool {
        let decided = places.iter().filter_map(|place| self.decisions.get(*place)?.as_ref());
        decided.into_iter().all(Decision::is_allowed)
    }

    /// Whether something is denied for good.
    pub(super) fn is_denied_for_good(&self) -> bool {
        let decided = self.decisions.iter().enumerate();
        let mut denied = decided.filter(|(_, one)| one.is_some_and(|one| !one.is_allowed()));
        denied.any(|(place, _)| !self.in_doubt.contains(&place))
    }

    /// What was set aside of leases for it.
    pub(super) fn reservations(&self) -> impl Iterator<Item = &Reservation> {
        let covered = self.covered.iter().map(|(_, one)| &one.reservation);
        covered.chain(self.parts.iter().flatten())
    }

    /// Shows what would have passed as it is without the request.
    pub(super) fn show_untaken(&mut self) {
        for (place, decision) in std::mem::take(&mut self.untaken) {
            self.set(&[place], [decision]);
        }
    }

    /// How charges are put from now on.
    pub(super) fn manner(&self) -> Manner {
        if self.is_denied() { Manner::Look } else { self.manner }
    }
}

/// A request that has not come to its end. Callers go away whenever they like: what was taken for them until
/// then is undone.
pub(super) struct Underway<'a, L: ImmediateStore + 'static> {
    fleet: &'a Fleet<L>,
    pub(super) course: Course<'a>,
    here: &'a [usize],
    /// Those that Redis has charged, and when by its own time.
    pub(super) taken: SmallVec<[(&'a Group, Now); 1]>,
    pub(super) is_over: bool,
}

impl<'a, L: ImmediateStore + 'static> Underway<'a, L> {
    pub(super) fn new(fleet: &'a Fleet<L>, course: Course<'a>, here: &'a [usize]) -> Self {
        Self { fleet, course, here, taken: SmallVec::new(), is_over: false }
    }

    /// Undoes what was taken; Redis hears of it when something is said to it next.
    pub(super) fn undo(&mut self) {
        self.fleet.give_back(&self.course, &self.taken);
        self.fleet.undo_leased(&mut self.course);
        self.fleet.undo_here(&mut self.course, self.here);
    }
}

impl<L: ImmediateStore + 'static> Drop for Underway<'_, L> {
    fn drop(&mut self) {
        if !self.is_over {
            self.undo();
        }
    }
}
