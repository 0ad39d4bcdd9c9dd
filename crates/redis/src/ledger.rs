//! What Redis has yet to be told: units that a policy has admitted, units that were taken and not used, and debits
//! of which nobody knows whether they happened.
//!
//! Each is applied exactly once. A call that carries an entry has a sequence; Redis keeps the latest sequence of this
//! node beside the counter, so a call that is repeated because its reply was lost finds its own trace.

use std::{
    collections::{HashMap, VecDeque, hash_map},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
};

use tollgate_core::{Cost, Law, Limit, Now, Timestamp};

use crate::{
    exact::{Item, Parts},
    key::{Breadth, Key},
};

/// Counters that can await settlement at once. Beyond that the rest is written off, and counted.
const ENTRIES_MAX: usize = 65_536;

/// Moments that can await their turn at one counter. Each call that is granted something makes one at most and settles
/// one, so there are few; what is beyond counts as spent.
const LATER_MAX: usize = 1_024;

/// The open accounts of a node.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    entries: Mutex<HashMap<Key, Entry>>,
    /// How many there are, to be read without the lock.
    len: AtomicUsize,
    /// Where those begin who have their turn next.
    turn: AtomicUsize,
    settled: AtomicU64,
    given_back: AtomicU64,
    unsettled: AtomicU64,
}

#[derive(Debug)]
struct Entry {
    limit: Limit,
    breadth: Breadth,
    open: Amounts,
    /// Given back at other moments, to have their turn one by one: units that were taken at one moment can only be
    /// taken back there.
    later: VecDeque<(u64, Timestamp)>,
    /// What is under way, since which call.
    sent: Option<(u64, Amounts)>,
    /// The calls of which nobody knows whether they happened, first and last.
    doubt: Option<(u64, u64)>,
    /// When Redis was last told what it had lost of the counter: since then that counts as of that moment.
    told_again_at: Timestamp,
}

/// Units to be charged and units to be given back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Amounts {
    owed: u64,
    /// When that was so.
    owed_at: Now,
    back: u64,
    /// When those were taken, the earliest of them where that is enough.
    back_at: Timestamp,
}

impl Amounts {
    const fn is_empty(&self) -> bool {
        self.owed == 0 && self.back == 0
    }
}

impl Entry {
    fn give_back(&mut self, units: u64, at: Timestamp) {
        let open = &mut self.open;
        let is_counted_by_moment = matches!(
            self.limit.law(),
            Law::FixedWindow(_) | Law::SlidingWindow(_) | Law::SlidingLog(_)
        );
        if open.back == 0 {
            (open.back, open.back_at) = (units, at);
        } else if open.back_at == at || !is_counted_by_moment {
            open.back = open.back.saturating_add(units);
            open.back_at = open.back_at.min(at);
        } else if let Some((known, _)) = self.later.iter_mut().rfind(|(_, its)| *its == at) {
            *known = known.saturating_add(units);
        } else if self.later.len() < LATER_MAX {
            self.later.push_back((units, at));
        }
    }

    /// What was under way is open again, before all that came meanwhile.
    fn reopen(&mut self, amounts: Amounts) {
        let came = std::mem::replace(&mut self.open, amounts);
        if came.owed > 0 {
            self.open.owed = self.open.owed.saturating_add(came.owed);
            self.open.owed_at = came.owed_at;
        }
        if came.back > 0 {
            self.give_back(came.back, came.back_at);
        }
    }

    /// Whether there is nothing left to settle.
    fn is_clear(&mut self) -> bool {
        if self.open.back == 0
            && let Some((units, at)) = self.later.pop_front()
        {
            (self.open.back, self.open.back_at) = (units, at);
        }
        self.open.is_empty()
    }
}

/// What a call has to settle of one counter; see decide.lua.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settlement {
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) sent_in: u64,
    pub(crate) owed: u64,
    pub(crate) back: u64,
    pub(crate) back_at: Timestamp,
    /// Where to look for them if Redis had lost them and was told of them again; zero if it was not.
    pub(crate) told_again_at: Timestamp,
}

impl Settlement {
    /// As decide.lua takes it, but for the key.
    pub(crate) fn numbers(&self, limit: &Limit) -> [u64; 9] {
        let (owed, back) = (Parts::of(limit, self.owed), Parts::of(limit, self.back));
        let [at, again_at] = [self.back_at, self.told_again_at].map(Timestamp::as_micros);
        [self.from, self.to, self.sent_in, owed.q, owed.r, back.q, back.r, at, again_at]
    }
}

impl Ledger {
    /// How many counters await settlement.
    pub(crate) fn len(&self) -> usize {
        self.len.load(Relaxed)
    }

    /// Units settled, units given back, and counters written off, so far.
    pub(crate) fn totals(&self) -> [u64; 3] {
        [&self.settled, &self.given_back, &self.unsettled].map(|count| count.load(Relaxed))
    }

    /// Notes what a policy has admitted.
    pub(crate) fn owe(&self, item: &Item, now: Now) {
        self.with(item, |entry| {
            let law = entry.limit.law();
            let spent = law.admitted(entry.open.owed, entry.open.owed_at);
            let still = law.used(&spent, now);
            entry.open.owed = still.saturating_add(item.cost.get());
            entry.open.owed_at = now;
        });
    }

    /// Notes what was taken at a moment of Redis' time and not used.
    pub(crate) fn give_back(&self, item: &Item, at: Timestamp) {
        if item.cost == Cost::ZERO {
            return;
        }
        self.with(item, |entry| entry.give_back(item.cost.get(), at));
    }

    /// Notes that a call may have charged this counter.
    pub(crate) fn doubt(&self, item: &Item, sequence: u64) {
        self.with(item, |entry| {
            let from = entry.doubt.map_or(sequence, |(from, _)| from);
            entry.doubt = Some((from, sequence));
        });
    }

    /// What a call with this sequence has to settle of the counter, if anything.
    pub(crate) fn settlement(&self, key: &Key, sequence: u64, now: Now) -> Option<Settlement> {
        if self.len() == 0 {
            return None;
        }
        let mut entries = self.lock();
        let entry = entries.get_mut(key)?;
        let (from, to) = entry.doubt.unwrap_or_default();
        // While it is not known whether the last amounts arrived, no others are added to them.
        let (sent_in, amounts) = *entry.sent.get_or_insert_with(|| {
            let mut open = std::mem::take(&mut entry.open);
            let law = entry.limit.law();
            open.owed = law.used(&law.admitted(open.owed, open.owed_at), now);
            open.owed_at = now;
            (sequence, open)
        });
        Some(Settlement {
            from,
            to,
            sent_in: if sent_in == sequence { 0 } else { sent_in },
            owed: amounts.owed,
            back: amounts.back,
            back_at: amounts.back_at,
            told_again_at: entry.told_again_at,
        })
    }

    /// Redis had lost some of a counter, and was told of it at this moment.
    pub(crate) fn told_again(&self, key: &Key, at: Timestamp) {
        if self.len() == 0 {
            return;
        }
        if let Some(entry) = self.lock().get_mut(key) {
            entry.told_again_at = at;
        }
    }

    /// Whether calls on this counter are in doubt: then nothing is decided before that is cleared up.
    pub(crate) fn is_in_doubt(&self, key: &Key) -> bool {
        self.len() > 0 && self.lock().get(key).is_some_and(|entry| entry.doubt.is_some())
    }

    /// Gives up what calls in doubt may have taken: the counter is one that scripts cannot go on from.
    pub(crate) fn write_off_doubt(&self, key: &Key) {
        if let Some(entry) = self.lock().get_mut(key) {
            entry.doubt = None;
        }
    }

    /// The call has settled the counter.
    pub(crate) fn settled(&self, key: &Key) {
        if self.len() == 0 {
            return;
        }
        let mut entries = self.lock();
        let hash_map::Entry::Occupied(mut place) = entries.entry(key.clone()) else {
            return;
        };
        let entry = place.get_mut();
        let sent = entry.sent.take();
        entry.doubt = None;
        if let Some((_, amounts)) = sent {
            self.settled.fetch_add(amounts.owed, Relaxed);
            self.given_back.fetch_add(amounts.back, Relaxed);
        }
        if entry.is_clear() {
            place.remove();
            self.len.store(entries.len(), Relaxed);
        }
    }

    /// The call that was to settle the counter certainly did not happen.
    pub(crate) fn not_sent(&self, key: &Key, sequence: u64) {
        if let Some(entry) = self.lock().get_mut(key)
            && let Some((_, amounts)) = entry.sent.take_if(|(since, _)| *since == sequence)
        {
            entry.reopen(amounts);
        }
    }

    /// Some of the counters that await settlement, as charges of nothing.
    pub(crate) fn some(&self, most: usize) -> Vec<Item> {
        if self.len() == 0 {
            return Vec::new();
        }
        let entries = self.lock();
        // From another place each time: those of a shard that is away shall not stand before all others.
        let start = self.turn.fetch_add(most, Relaxed) % entries.len().max(1);
        let turn = entries.iter().cycle().skip(start);
        let items = turn.take(most.min(entries.len())).map(|(key, entry)| Item {
            key: key.clone(),
            limit: entry.limit.clone(),
            former: Vec::new(),
            cost: Cost::ZERO,
            breadth: entry.breadth,
        });
        items.collect()
    }

    fn with(&self, item: &Item, change: impl FnOnce(&mut Entry)) {
        let mut entries = self.lock();
        if entries.len() >= ENTRIES_MAX && !entries.contains_key(&item.key) {
            self.unsettled.fetch_add(1, Relaxed);
            return;
        }
        let entry = entries.entry(item.key.clone()).or_insert_with(|| Entry {
            limit: item.limit.clone(),
            breadth: item.breadth,
            open: Amounts::default(),
            later: VecDeque::new(),
            sent: None,
            doubt: None,
            told_again_at: Timestamp::default(),
        });
        change(entry);
        self.len.store(entries.len(), Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
