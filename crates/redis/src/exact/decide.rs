//! Requests that a script decides.

use std::{collections::HashSet, sync::atomic::Ordering::Relaxed};

use tollgate_core::Timestamp;

use super::{
    Decisions, Lanes,
    ask::{Ask, Deed, Granted, Part, Refused, refuse_all},
    fast::{Batch, told},
    reply::Reply,
    tally::{IsAllowed, Tally, Unreadable},
};
use crate::{
    client::{Call, Cause, Failure},
    key::Key,
    slot::Slot,
};

impl Lanes {
    /// Decides these, in order, in as few calls as can be.
    pub(super) async fn decide(&self, slot: Slot, mut asks: Vec<Ask>) {
        while !asks.is_empty() {
            let (batch, together) = Batch::of(&asks);
            let rest = asks.split_off(together.max(1));
            // Nothing is decided on a counter before its calls in doubt are cleared up.
            let in_doubt = batch.keys.iter().any(|key| self.ledger.is_in_doubt(key));
            let mut left = match in_doubt {
                true => self.clear_up(slot, asks).await,
                false => self.decide_together(slot, asks, batch).await,
            };
            left.extend(rest);
            asks = left;
        }
    }

    /// Settles without deciding; hands back what is still to be decided.
    async fn clear_up(&self, slot: Slot, asks: Vec<Ask>) -> Vec<Ask> {
        let mut batch = Batch::of_counters(&asks);
        let sequence = self.next_sequence();
        let Some((asks, reply)) = self.put_to(slot, asks, &mut batch, sequence).await else {
            return Vec::new();
        };
        match reply.word.as_str() {
            "" => {
                self.settled(&batch);
                self.touch(&asks, &batch, &reply);
                asks
            }
            word if word.starts_with("odd") => {
                self.not_sent(&batch, sequence);
                let odd = keys_in(word, &batch);
                odd.iter().for_each(|key| self.ledger.write_off_doubt(key));
                self.work_out_odd(slot, asks, &odd).await
            }
            word if word.starts_with("unknown") => {
                self.not_sent(&batch, sequence);
                self.refuse_unknown(asks, &keys_in(word, &batch))
            }
            _ => {
                self.not_sent(&batch, sequence);
                self.counts.foreign.fetch_add(1, Relaxed);
                refuse_all(asks, Refused::Foreign);
                Vec::new()
            }
        }
    }

    /// One call; hands back what a foreign key has kept from being decided.
    async fn decide_together(&self, slot: Slot, asks: Vec<Ask>, mut batch: Batch) -> Vec<Ask> {
        let sequence = self.next_sequence();
        let Some((asks, reply)) = self.put_to(slot, asks, &mut batch, sequence).await else {
            return Vec::new();
        };
        match reply.word.as_str() {
            word if word.starts_with("odd") => {
                self.not_sent(&batch, sequence);
                self.work_out_odd(slot, asks, &keys_in(word, &batch)).await
            }
            word if word.starts_with("unknown") => {
                self.not_sent(&batch, sequence);
                self.refuse_unknown(asks, &keys_in(word, &batch))
            }
            "foreign" | "stale" => {
                self.not_sent(&batch, sequence);
                self.counts.foreign.fetch_add(1, Relaxed);
                let foreign = reply.foreign.and_then(|place| batch.keys.get(place));
                let is_hit = |ask: &Ask| {
                    let mut keys = ask.items.iter().map(|item| &item.key);
                    foreign.is_none_or(|foreign| keys.any(|key| key == foreign))
                };
                let (hit, others) = asks.into_iter().partition(is_hit);
                refuse_all(hit, Refused::Foreign);
                others
            }
            _ => {
                self.settled(&batch);
                self.touch(&asks, &batch, &reply);
                self.answer_all(asks, batch.keys, reply);
                Vec::new()
            }
        }
    }

    /// Works out what is about odd counters, which are odd no longer then; hands back the others.
    async fn work_out_odd(&self, slot: Slot, asks: Vec<Ask>, odd: &HashSet<Key>) -> Vec<Ask> {
        let is_odd = |ask: &Ask| ask.items.iter().any(|item| odd.contains(&item.key));
        let (odd, others) = asks.into_iter().partition(is_odd);
        self.work_out(slot, odd, None).await;
        others
    }

    /// Tells those who ask about counters that may be lost; hands back the others.
    pub(super) fn refuse_unknown(&self, asks: Vec<Ask>, unknown: &HashSet<Key>) -> Vec<Ask> {
        let now = self.now().steady;
        self.unknown.note(unknown, self.client.relief(), now);
        let is_unknown = |ask: &Ask| {
            let mut keys = ask.items.iter().map(|item| &item.key);
            unknown.is_empty() || keys.any(|key| unknown.contains(key))
        };
        let (hit, others) = asks.into_iter().partition(is_unknown);
        refuse_all(hit, Refused::Unknown);
        others
    }

    /// Works out the numbers of what the script has decided.
    fn answer_all(&self, asks: Vec<Ask>, keys: Vec<Key>, reply: Reply) {
        let mut outcomes = reply.word.bytes();
        let mut tally = Tally::new(reply.now, keys.into_iter().zip(reply.states));
        for ask in asks {
            let outcome = outcomes.next();
            if ask.deed == Deed::Settle {
                continue;
            }
            match replay(&ask, &mut tally) {
                // The script has the last word on what was charged.
                Ok((_, IsAllowed::Yes)) if outcome != Some(b'1') => {
                    debug_assert!(false, "the script denies what the law admits: {ask:?}");
                    self.counts.foreign.fetch_add(1, Relaxed);
                    ask.refuse(Refused::Foreign);
                }
                Ok((granted, _)) => self.answer(ask, granted),
                Err(_) => ask.refuse(Refused::Foreign),
            }
        }
    }

    /// Sends a batch for these; if it fails, they are told.
    async fn put_to(
        &self,
        slot: Slot,
        asks: Vec<Ask>,
        batch: &mut Batch,
        sequence: u64,
    ) -> Option<(Vec<Ask>, Reply)> {
        match self.send(slot, batch, sequence).await {
            Ok(reply) => Some((asks, reply)),
            Err(failure) => {
                self.failed(&asks, batch, sequence, failure);
                refuse_all(asks, Refused::Failed(failure));
                None
            }
        }
    }

    async fn send(&self, slot: Slot, batch: &mut Batch, sequence: u64) -> Result<Reply, Failure> {
        let now = self.now();
        batch.settle(|key| self.ledger.settlement(key, sequence, now));
        let mut args =
            batch.args(&self.node, sequence, Timestamp::from_micros(self.client.doubt(slot)));
        if let Some(now) = self.time.told() {
            args.extend(told(now));
        }
        let call = Call {
            script: self.time.decide,
            slot,
            keys: batch.keys.iter().map(Key::to_bytes).collect(),
            args,
        };
        let value = self.call(&call).await?;
        Reply::read(value, batch.keys.len()).ok_or(Failure::InDoubt(Cause::Other))
    }

    /// Keeps in mind what this node has taken.
    fn touch(&self, asks: &[Ask], batch: &Batch, reply: &Reply) {
        let mut is_noted = vec![false; reply.totals.len()];
        for item in asks.iter().flat_map(|ask| &ask.items) {
            let place = batch.place(&item.key).unwrap_or(usize::MAX);
            if let (Some(total), Some(noted @ false)) =
                (reply.totals.get(place), is_noted.get_mut(place))
            {
                *noted = true;
                self.touched.note(&item.key, &item.limit, *total, reply.now);
            }
        }
    }

    fn settled(&self, batch: &Batch) {
        batch.settling().for_each(|key| self.ledger.settled(key));
    }

    fn not_sent(&self, batch: &Batch, sequence: u64) {
        let keys = batch.settling();
        keys.for_each(|key| self.ledger.not_sent(key, sequence));
    }

    fn failed(&self, asks: &[Ask], batch: &Batch, sequence: u64, failure: Failure) {
        match failure {
            Failure::NotRun(_) => self.not_sent(batch, sequence),
            Failure::InDoubt(_) => {
                for item in asks.iter().flat_map(|ask| &ask.items) {
                    #[cfg(mutant = "lost-reply-is-not-in-doubt")]
                    self.ledger.not_sent(&item.key, sequence);
                    #[cfg(not(mutant = "lost-reply-is-not-in-doubt"))]
                    self.ledger.doubt(item, sequence);
                }
            }
        }
    }
}

/// The counters that a word is about.
fn keys_in(word: &str, batch: &Batch) -> HashSet<Key> {
    let places = word.split(' ').filter_map(|place| place.parse::<usize>().ok());
    let keys = places.filter_map(|place| batch.keys.get(place.checked_sub(1)?));
    keys.cloned().collect()
}

/// The numbers of a request that the script has decided.
fn replay(ask: &Ask, tally: &mut Tally) -> Result<(Granted, IsAllowed), Unreadable> {
    let now = tally.now;
    let looked = match ask.part {
        Part::Whole => Decisions::new(),
        Part::OfMany => tally.look(&ask.items)?,
    };
    let (decisions, is_allowed) = match ask.deed {
        Deed::Look | Deed::Peek => (tally.clone().charge(&ask.items)?.0, IsAllowed::No),
        _ => tally.charge(&ask.items)?,
    };
    let granted = Granted { decisions, looked, held: tally.held(&ask.items), now };
    Ok((granted, is_allowed))
}
