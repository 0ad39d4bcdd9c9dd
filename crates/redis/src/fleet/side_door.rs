//! Refunds and resets.

use std::time::Duration;

use smallvec::SmallVec;
use tollgate_core::{Action, Charge, Decision, ImmediateStore, StoreError, Verdict};

use super::{Fleet, group::sort};
use crate::{
    client::Failure,
    exact::{Deed, Part, Refused},
};

/// How long a change by hand may take.
const PATIENCE: Duration = Duration::from_millis(250);

impl<L: ImmediateStore + 'static> Fleet<L> {
    /// Changes counters, in Redis and here.
    pub(crate) async fn change(
        &self,
        action: Action,
        charges: &[Charge<'_>],
    ) -> Result<Verdict, StoreError> {
        let deed = match action {
            Action::Refund => Deed::Refund,
            _ => Deed::Reset,
        };
        let sorted = sort(charges, |_| true, &self.lanes, &self.names);
        let mut decisions: SmallVec<[Option<Decision>; 2]> =
            SmallVec::from_elem(None, charges.len());
        let mut now = self.clock.now();
        for group in sorted.groups {
            let (client, time) = (&self.client, self.lanes.time());
            self.verifier.excuse(client, time, &group.items).await;
            let asked = self.lanes.ask(group.slot, (deed, Part::Whole), &group.items, PATIENCE);
            let granted = asked.await.map_err(error)?;
            for item in &group.items {
                self.holdings.forgive_key(item.key.as_bytes());
                self.heard.forget(item.key.as_bytes());
            }
            now = granted.now;
            for (place, decision) in group.places.iter().zip(granted.decisions) {
                if let Some(slot) = decisions.get_mut(*place) {
                    *slot = Some(decision);
                }
            }
        }
        let local: SmallVec<[Charge<'_>; 2]> = match action {
            // What this node has counted by itself meanwhile is made fresh, too.
            Action::Reset => charges.into(),
            _ => sorted.here.iter().filter_map(|place| charges.get(*place)).copied().collect(),
        };
        if !local.is_empty() {
            let verdict = self.local.inspect_now(action, &local);
            let places: SmallVec<[usize; 2]> = match action {
                Action::Reset => (0..charges.len()).collect(),
                _ => sorted.here.clone(),
            };
            for (place, decision) in places.iter().zip(verdict.decisions()) {
                if let Some(slot @ None) = decisions.get_mut(*place) {
                    *slot = Some(*decision);
                }
            }
        }
        Ok(Verdict::of(decisions.into_iter().flatten(), now))
    }
}

fn error(refused: Refused) -> StoreError {
    match refused {
        Refused::Failed(Failure::InDoubt(_)) => StoreError::Timeout(PATIENCE),
        Refused::Failed(Failure::NotRun(cause)) => StoreError::Unreachable(cause.words().into()),
        Refused::Unknown => StoreError::Unreachable("Redis may have lost this counter".into()),
        Refused::Contended => {
            StoreError::Unreachable("others change this counter all the time".into())
        }
        Refused::Crowded => StoreError::Unreachable("too many requests wait for Redis".into()),
        Refused::Foreign => StoreError::Corrupt("the key in Redis holds what is not Tollgate's"),
    }
}
