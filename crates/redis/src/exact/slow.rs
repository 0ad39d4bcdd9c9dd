//! Requests that are worked out on this side and written if nobody came in between: changed limits, clocks that were
//! set back, numbers beyond scripts, algorithms of users; and everything but charges.

use std::{collections::HashSet, sync::atomic::Ordering::Relaxed};

use tollgate_core::{Limit, Now};

use super::{
    Item, Lanes,
    ask::{Ask, Deed, Granted, Refused, refuse_all},
    fast::{digits, told},
    item::ttl_ms,
    reply::Reply,
    tally::{Change, Tally, Unreadable},
};
use crate::{
    client::{Call, Cause, Failure},
    extent::is_perhaps_lost,
    key::Key,
    script::Script,
    slot::Slot,
};

/// How often others may come in between.
const TRIES_MAX: usize = 32;

impl Lanes {
    /// Decides these, in order. `seen` is what a script has found of their counters already.
    pub(super) async fn work_out(&self, slot: Slot, mut asks: Vec<Ask>, seen: Option<Reply>) {
        let keys = keys(&asks);
        let since = Since { doubt: self.client.doubt(slot), lost_at: self.client.lost_at(slot) };
        let mut seen = seen.filter(|seen| seen.states.len() == keys.len());
        for _ in 0..TRIES_MAX {
            let reply = match seen.take() {
                Some(reply) => Ok(reply),
                None => self.put(slot, self.time.look, keys.clone(), Vec::new()).await,
            };
            let reply = match reply {
                Ok(reply) => reply,
                Err(failure) => return refuse_all(asks, Refused::Failed(failure)),
            };
            if reply.foreign.is_some() {
                self.counts.foreign.fetch_add(1, Relaxed);
                return refuse_all(asks, Refused::Foreign);
            }
            let lost = lost(&asks, &keys, &reply, since);
            if !lost.is_empty() {
                asks = self.refuse_unknown(asks, &lost);
            }
            let mut tally = Tally::new(reply.now, keys.iter().cloned().zip(reply.states));
            let sequence = self.next_sequence();
            let granted = self.work_through(&asks, &mut tally, sequence);
            if since.lost_at > 0 {
                // Whoever makes a counter fresh says that nothing of it is lost.
                let reset = asks.iter().filter(|ask| ask.deed == Deed::Reset);
                let items = reset.flat_map(|ask| &ask.items);
                items.for_each(|item| tally.make_known(item));
            }
            let changes = tally.changes();
            if changes.is_empty() {
                self.settled_here(&asks);
                return self.answer_each(asks, granted);
            }
            match self.swap(slot, sequence, &changes).await {
                Ok(word) if word == "ok" => {
                    self.settled_here(&asks);
                    self.forget_reset(&asks);
                    let pushed = changed_by_hand(&asks);
                    self.answer_each(asks, granted);
                    return self.client.push(slot, &pushed).await;
                }
                Ok(word) if word == "changed" => {
                    self.counts.conflicts.fetch_add(1, Relaxed);
                    self.not_settled_here(&asks, sequence);
                }
                Ok(_) => return refuse_all(asks, Refused::Foreign),
                Err(failure) => {
                    if let Failure::NotRun(_) = failure {
                        self.not_settled_here(&asks, sequence);
                    }
                    return refuse_all(asks, Refused::Failed(failure));
                }
            }
        }
        refuse_all(asks, Refused::Contended);
    }

    /// What each of these comes to, and what all of them do to the counters.
    fn work_through(
        &self,
        asks: &[Ask],
        tally: &mut Tally,
        sequence: u64,
    ) -> Vec<Result<Granted, Unreadable>> {
        let now = tally.now;
        let mut settled = HashSet::new();
        let each = asks.iter().map(|ask| {
            for item in ask.items.iter().filter(|item| !item.is_for_scripts()) {
                if settled.insert(&item.key) {
                    self.settle_here(item, tally, sequence)?;
                }
            }
            let looked = tally.clone().look(&ask.items)?;
            let decisions = match ask.deed {
                Deed::Charge => tally.charge(&ask.items)?.0,
                Deed::Peek => tally.clone().charge(&ask.items)?.0,
                Deed::Look => {
                    let asked = tally.clone().charge(&ask.items)?.0;
                    tally.look(&ask.items)?;
                    asked
                }
                Deed::Refund => tally.refund(&ask.items)?,
                Deed::Reset => tally.reset(&ask.items)?,
                // The limit is adopted, so that a script can settle next time.
                Deed::Settle => tally.look(&ask.items)?,
            };
            Ok(Granted { decisions, looked, held: tally.held(&ask.items), now })
        });
        each.collect()
    }

    /// What scripts cannot settle. Where it is not known whether an amount arrived, the answer is the one that admits
    /// less.
    fn settle_here(&self, item: &Item, tally: &mut Tally, sequence: u64) -> Result<(), Unreadable> {
        let now = self.now();
        let Some(due) = self.ledger.settlement(&item.key, sequence, now) else {
            return Ok(());
        };
        let back = if due.sent_in == 0 { due.back } else { 0 };
        tally.settle(item, due.owed, back)
    }

    fn settled_here(&self, asks: &[Ask]) {
        counted_here(asks).for_each(|item| self.ledger.settled(&item.key));
    }

    /// What was taken of a counter that was made fresh does not count any more.
    fn forget_reset(&self, asks: &[Ask]) {
        let reset = asks.iter().filter(|ask| ask.deed == Deed::Reset);
        let items = reset.flat_map(|ask| &ask.items);
        items.for_each(|item| {
            self.touched.forget(&item.key);
            self.inherited.forget(&item.key);
        });
    }

    fn not_settled_here(&self, asks: &[Ask], sequence: u64) {
        counted_here(asks).for_each(|item| self.ledger.not_sent(&item.key, sequence));
    }

    fn answer_each(&self, asks: Vec<Ask>, granted: Vec<Result<Granted, Unreadable>>) {
        for (ask, granted) in asks.into_iter().zip(granted) {
            match granted {
                Ok(granted) => self.answer(ask, granted),
                Err(Unreadable) => {
                    self.counts.foreign.fetch_add(1, Relaxed);
                    ask.refuse(Refused::Foreign);
                }
            }
        }
    }

    async fn swap(
        &self,
        slot: Slot,
        sequence: u64,
        changes: &[Change<'_>],
    ) -> Result<String, Failure> {
        let mut args = vec![self.node.clone().into_bytes(), digits(sequence)];
        let state = |state: Option<&str>| state.map_or("-".to_owned(), |state| format!("={state}"));
        for change in changes {
            args.push(state(change.before).into_bytes());
            args.push(state(change.after.as_deref()).into_bytes());
            args.push(digits(ttl_ms(change.limit)));
        }
        let keys = changes.iter().map(|change| change.key.clone()).collect();
        let reply = self.put(slot, self.time.swap, keys, args).await?;
        Ok(reply.word)
    }

    async fn put(
        &self,
        slot: Slot,
        script: &'static Script,
        keys: Vec<Key>,
        mut args: Vec<Vec<u8>>,
    ) -> Result<Reply, Failure> {
        if let Some(now) = self.time.told() {
            args.extend(told(now));
        }
        let count = keys.len();
        let keys = keys.iter().map(Key::to_bytes).collect();
        let call = Call { script, slot, keys, args };
        let value = self.call(&call).await?;
        Reply::read(value, count).ok_or(Failure::InDoubt(Cause::Other))
    }
}

/// Since when counters may be lost, in µs of Redis' time; 0 if none are.
#[derive(Clone, Copy)]
struct Since {
    /// The last moment at which a process may have spent what is not told.
    doubt: u64,
    /// When any were lost: what scripts cannot count is never told.
    lost_at: u64,
}

impl Since {
    fn is_perhaps_lost(self, item: &Item, now: Now) -> bool {
        let since = match item.is_for_scripts() {
            true => self.doubt,
            false => self.lost_at,
        };
        is_perhaps_lost(&item.limit, since, now)
    }
}

/// The counters that are not there and may have been lost. Whoever changes one by hand knows what to expect of it.
fn lost(asks: &[Ask], keys: &[Key], reply: &Reply, since: Since) -> HashSet<Key> {
    if since.lost_at == 0 {
        return HashSet::new();
    }
    let found = keys.iter().zip(&reply.states);
    let found = found.filter_map(|(key, state)| state.as_ref().map(|_| key));
    let found: HashSet<&Key> = found.collect();
    let by_hand = |ask: &&Ask| !matches!(ask.deed, Deed::Refund | Deed::Reset);
    let items = asks.iter().filter(by_hand).flat_map(|ask| &ask.items);
    let is_lost = |item: &&Item| {
        let former = item.former.iter().map(|(key, _)| key);
        let mut all = former.chain([&item.key]);
        !all.any(|key| found.contains(key)) && since.is_perhaps_lost(item, reply.now)
    };
    items.filter(is_lost).map(|item| item.key.clone()).collect()
}

/// Counters of which more is left than others may think.
fn changed_by_hand(asks: &[Ask]) -> Vec<Key> {
    let by_hand = |ask: &&Ask| matches!(ask.deed, Deed::Refund | Deed::Reset);
    let items = asks.iter().filter(by_hand).flat_map(|ask| &ask.items);
    items.map(|item| item.key.clone()).collect()
}

/// What scripts cannot count.
fn counted_here(asks: &[Ask]) -> impl Iterator<Item = &Item> {
    let items = asks.iter().flat_map(|ask| &ask.items);
    items.filter(|item| !item.is_for_scripts())
}

/// The counters of these and those that they replace, each once; their own come first, as scripts are given them.
fn keys(asks: &[Ask]) -> Vec<Key> {
    let mut keys: Vec<Key> = Vec::new();
    let mut seen = HashSet::new();
    let items = || asks.iter().flat_map(|ask| &ask.items);
    let own = items().map(|item| &item.key);
    let former = items().flat_map(|item| item.former.iter().map(|(key, _): &(Key, Limit)| key));
    for key in own.chain(former) {
        if seen.insert(key) {
            keys.push(key.clone());
        }
    }
    keys
}
