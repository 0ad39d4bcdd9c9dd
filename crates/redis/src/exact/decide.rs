//! Requests that a script decides.

use std::sync::atomic::Ordering::Relaxed;

use super::{
    Lanes,
    ask::{Ask, Deed, Granted, Refused},
    fast::{Batch, Clash, told},
    reply::Reply,
    tally::{IsAllowed, Tally},
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
            // Nothing is decided on a counter before its calls in doubt are cleared up.
            let in_doubt = asks
                .iter()
                .flat_map(|ask| &ask.items)
                .any(|item| self.ledger.is_in_doubt(&item.key));
            let together = together(&asks);
            let rest = asks.split_off(together);
            let left = match in_doubt {
                true => self.clear_up(slot, asks).await,
                false => self.decide_together(slot, asks).await,
            };
            asks = left;
            asks.extend(rest);
        }
    }

    /// Settles without deciding; hands back what is still to be decided.
    async fn clear_up(&self, slot: Slot, asks: Vec<Ask>) -> Vec<Ask> {
        let mut batch = Batch::default();
        for ask in &asks {
            batch.add(&ask.items);
        }
        let sequence = self.next_sequence();
        self.add_settlements(&mut batch, sequence);
        let replied = self.send(slot, &batch, sequence).await;
        match replied {
            Ok(reply) if reply.word.is_empty() => {
                self.settled(&batch);
                asks
            }
            Ok(reply) if reply.word == "odd" => {
                self.not_sent(&batch, sequence);
                for item in &batch.keys {
                    self.ledger.write_off_doubt(&item.key);
                }
                self.work_out(slot, asks, Some(reply)).await;
                Vec::new()
            }
            Ok(reply) => {
                self.not_sent(&batch, sequence);
                self.refuse_foreign(&batch, &reply);
                for ask in asks {
                    ask.refuse(Refused::Foreign);
                }
                Vec::new()
            }
            Err(failure) => {
                self.failed(&batch, sequence, failure);
                for ask in asks {
                    ask.refuse(Refused::Failed(failure));
                }
                Vec::new()
            }
        }
    }

    /// One call; hands back what a foreign key has kept from being decided.
    async fn decide_together(&self, slot: Slot, asks: Vec<Ask>) -> Vec<Ask> {
        let mut batch = Batch::default();
        for ask in &asks {
            batch.add(&ask.items);
            batch.add_request(ask);
        }
        let sequence = self.next_sequence();
        self.add_settlements(&mut batch, sequence);
        let reply = match self.send(slot, &batch, sequence).await {
            Ok(reply) => reply,
            Err(failure) => {
                self.failed(&batch, sequence, failure);
                for ask in asks {
                    ask.refuse(Refused::Failed(failure));
                }
                return Vec::new();
            }
        };
        match reply.word.as_str() {
            "odd" => {
                self.not_sent(&batch, sequence);
                self.work_out(slot, asks, Some(reply)).await;
                Vec::new()
            }
            "foreign" | "stale" => {
                self.not_sent(&batch, sequence);
                let foreign = self.refuse_foreign(&batch, &reply);
                let is_hit = |ask: &Ask| {
                    ask.items
                        .iter()
                        .any(|item| Some(&item.key) == foreign.as_ref())
                };
                let (hit, others) = asks
                    .into_iter()
                    .partition(|ask| foreign.is_none() || is_hit(ask));
                let hit: Vec<Ask> = hit;
                for ask in hit {
                    ask.refuse(Refused::Foreign);
                }
                others
            }
            _ => {
                self.settled(&batch);
                self.answer_all(asks, &reply);
                Vec::new()
            }
        }
    }

    /// Works out the numbers of what the script has decided.
    fn answer_all(&self, asks: Vec<Ask>, reply: &Reply) {
        let found = keys(&asks).into_iter().zip(reply.states.iter().cloned());
        let mut tally = Tally::new(reply.now, found);
        let mut outcomes = reply.word.bytes();
        for ask in asks {
            let outcome = outcomes.next();
            if ask.deed == Deed::Settle {
                continue;
            }
            let looked = tally.look(&ask.items);
            let charged = match ask.deed {
                Deed::Look => tally.clone().charge(&ask.items),
                _ => tally.charge(&ask.items),
            };
            let (Ok(looked), Ok((decisions, is_allowed))) = (looked, charged) else {
                ask.refuse(Refused::Foreign);
                continue;
            };
            let is_same = outcome
                == Some(if is_allowed == IsAllowed::Yes {
                    b'1'
                } else {
                    b'0'
                });
            let never = outcome == Some(b'1') && is_allowed == IsAllowed::No;
            debug_assert!(is_same || never, "script and law differ: {ask:?} {reply:?}");
            let now = tally.now;
            let granted = Granted {
                decisions,
                looked,
                now,
            };
            self.answer(ask, granted);
        }
    }

    async fn send(&self, slot: Slot, batch: &Batch<'_>, sequence: u64) -> Result<Reply, Failure> {
        let mut args = batch.args(&self.node, sequence);
        if let Some(now) = self.time.told() {
            args.extend(told(now));
        }
        let call = Call {
            script: self.time.decide(),
            slot,
            keys: batch
                .keys
                .iter()
                .map(|item| item.key.as_bytes().to_vec())
                .collect(),
            args,
        };
        let value = self.call(&call).await?;
        Reply::read(value).ok_or(Failure::InDoubt(Cause::Other))
    }

    fn add_settlements(&self, batch: &mut Batch<'_>, sequence: u64) {
        let now = self.now();
        let due = batch.keys.iter().enumerate();
        let due = due.filter_map(|(place, item)| {
            let settlement = self.ledger.settlement(&item.key, sequence, now)?;
            Some((place, settlement))
        });
        batch.settlements = due.collect();
    }

    fn settled(&self, batch: &Batch<'_>) {
        for (place, _) in &batch.settlements {
            if let Some(item) = batch.keys.get(*place) {
                self.ledger.settled(&item.key);
            }
        }
    }

    fn not_sent(&self, batch: &Batch<'_>, sequence: u64) {
        for (place, _) in &batch.settlements {
            if let Some(item) = batch.keys.get(*place) {
                self.ledger.not_sent(&item.key, sequence);
            }
        }
    }

    fn failed(&self, batch: &Batch<'_>, sequence: u64, failure: Failure) {
        match failure {
            Failure::NotRun(_) => self.not_sent(batch, sequence),
            Failure::InDoubt(_) => {
                for item in &batch.keys {
                    self.ledger.doubt(item, sequence);
                }
            }
        }
    }

    fn refuse_foreign(&self, batch: &Batch<'_>, reply: &Reply) -> Option<Key> {
        self.counts.foreign.fetch_add(1, Relaxed);
        let place = reply.foreign?;
        batch.keys.get(place).map(|item| item.key.clone())
    }
}

/// How many of these can travel in one call.
fn together(asks: &[Ask]) -> usize {
    let mut batch = Batch::default();
    let clash = asks
        .iter()
        .position(|ask| batch.add_keys(&ask.items) == Err(Clash));
    // One that disagrees with itself is worked out on this side.
    clash.unwrap_or(asks.len()).max(1)
}

/// The counters of these, each once, in the order in which they were put to the script.
fn keys(asks: &[Ask]) -> Vec<Key> {
    let mut batch = Batch::default();
    for ask in asks {
        batch.add(&ask.items);
    }
    batch.keys.iter().map(|item| item.key.clone()).collect()
}
