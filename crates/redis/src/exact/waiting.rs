//! Those who wait for the answer of a lane, and may stop waiting at any time.

use std::{
    sync::{Arc, atomic::Ordering::Relaxed},
    time::Duration,
};

use smallvec::SmallVec;
use tokio::{sync::oneshot, time::timeout};
use tollgate_core::{Decision, Law, Micros, Now, Timestamp};

use super::{
    Item, Lanes, Parts,
    ask::{Ask, Deed, Granted, Part, Refused},
};
use crate::{
    client::{Cause, Failure},
    slot::Slot,
};

/// By how much both the debt of a bucket and a cost may be rounded.
const ROUNDED: Micros = Micros::new(2);

/// Somebody who waits.
struct Waiting<'a> {
    lanes: &'a Lanes,
    deed: Deed,
    items: &'a [Item],
    answer: oneshot::Receiver<Result<Granted, Refused>>,
}

impl Waiting<'_> {
    /// What was sent at the last moment is not lost.
    fn last(&mut self) -> Option<Result<Granted, Refused>> {
        self.answer.close();
        self.answer.try_recv().ok()
    }
}

/// Whoever was sent an answer and goes away without a look at it gives it back.
impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(Ok(granted)) = self.last() {
            self.lanes.unwanted(self.deed, self.items, &granted);
        }
    }
}

impl Lanes {
    /// Asks, and waits for the answer as long as `patience` lasts; for that of a change by hand no shorter than
    /// a decision waits.
    pub(crate) async fn ask(
        self: &Arc<Self>,
        slot: Slot,
        (deed, part): (Deed, Part),
        items: &SmallVec<[Item; 2]>,
        patience: Duration,
    ) -> Result<Granted, Refused> {
        let is_by_hand = matches!(deed, Deed::Refund | Deed::Reset);
        if !is_by_hand && items.iter().any(|item| self.is_unknown(item)) {
            return Err(Refused::Unknown);
        }
        let patience = if is_by_hand { patience.max(self.deadline) } else { patience };
        let (waiting, answer) = oneshot::channel();
        let ask = Ask { deed, part, items: items.clone(), waiting: Some(waiting) };
        self.push(slot, ask)?;
        let mut waiting = Waiting { lanes: self, deed, items, answer };
        match timeout(patience, &mut waiting.answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(Refused::Crowded),
            Err(_) => waiting.last().unwrap_or_else(|| {
                self.counts.late.fetch_add(1, Relaxed);
                Err(Refused::Failed(Failure::InDoubt(Cause::Silent)))
            }),
        }
    }

    /// Answers, or gives back what was granted to somebody who has gone away.
    pub(super) fn answer(&self, ask: Ask, granted: Granted) {
        self.counts.decisions.fetch_add(1, Relaxed);
        let Some(waiting) = ask.waiting else {
            return;
        };
        if let Err(Ok(granted)) = waiting.send(Ok(granted)) {
            self.unwanted(ask.deed, &ask.items, &granted);
        }
    }

    fn unwanted(&self, deed: Deed, items: &[Item], granted: &Granted) {
        let is_allowed = granted.decisions.iter().all(Decision::is_allowed);
        if !is_allowed || deed != Deed::Charge {
            return;
        }
        for (item, decision) in items.iter().zip(&granted.decisions) {
            self.ledger.give_back(item, moment(item, decision, granted.now));
        }
    }
}

/// A moment by which what was just taken is found again: in the window it was counted in, or that of its entry.
pub(crate) fn moment(item: &Item, decision: &Decision, now: Now) -> Timestamp {
    let reset_after = Micros::from(decision.reset_after());
    match item.limit.law() {
        Law::FixedWindow(_) | Law::SlidingWindow(_) => {
            let end = now.wall.saturating_add(reset_after);
            end.saturating_sub(Micros::new(1))
        }
        Law::SlidingLog(log) => {
            let end = now.steady.saturating_add(reset_after);
            end.saturating_sub(log.period())
        }
        Law::TokenBucket(_) | Law::LeakyBucket(_) => {
            // Until then a debt from before is paid off, with or without what was taken; only later has the bucket
            // gained by itself what is given back.
            let cost = Micros::new(Parts::of(&item.limit, item.cost.get()).q);
            let full = now.steady.saturating_add(reset_after);
            let before = full.saturating_sub(cost).saturating_sub(ROUNDED);
            before.max(now.steady)
        }
        _ => now.steady,
    }
}
