//! What Redis has denied, while policies answer for it.

use smallvec::SmallVec;
use tollgate_core::{Charge, Clock as _, Decision, ImmediateStore, Micros};

use super::{Fleet, group::Group, policy, underway::Course};
use crate::exact::Item;

impl<L: ImmediateStore + 'static> Fleet<L> {
    /// What the charges of a group show, if Redis has said of any that nothing is left and that is not over yet: no policy
    /// admits it, however late Redis is.
    pub(super) fn denied_before(
        &self,
        charges: &[Charge<'_>],
        group: &Group,
    ) -> Option<SmallVec<[Decision; 2]>> {
        let now = self.clock.now().steady;
        let wait = |(charge, item): (&Charge<'_>, &Item)| {
            let cost = Some(charge.cost).filter(|cost| !cost.is_zero())?;
            let heard = self.heard.wait(&item.key, (charge.limit, cost), now);
            heard.max(self.holdings.wait(charge))
        };
        let pairs = || charges.iter().zip(&group.items);
        let waits: SmallVec<[Option<Micros>; 2]> = pairs().map(wait).collect();
        waits.iter().any(Option::is_some).then(|| {
            let shown = charges.iter().zip(waits);
            let shown = shown.map(|(charge, wait)| policy::heard(&self.local, charge, wait));
            shown.collect()
        })
    }

    /// Keeps in mind what Redis has denied, and until when.
    pub(super) fn hear(&self, course: &Course<'_>, group: &Group, decisions: &[Decision]) {
        let now = self.clock.now().steady;
        let pairs = group.places.iter().zip(&group.items);
        for ((place, item), decision) in pairs.zip(decisions) {
            let wait = decision.retry_after().filter(|_| !decision.is_allowed());
            let is_final = !course.in_doubt.contains(place);
            if let (Some(wait), Some(charge), true) = (wait, course.charges.get(*place), is_final) {
                let denied = (charge.limit, charge.cost);
                self.heard.note(&item.key, denied, wait.into(), now);
            }
        }
    }
}
