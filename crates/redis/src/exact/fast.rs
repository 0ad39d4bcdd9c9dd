//! Requests that a script decides, as one call.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use smallvec::SmallVec;
use tollgate_core::{Limit, Now, Timestamp};

use super::{
    Item, Parts,
    ask::{Ask, Deed},
    item::write_limit,
    tally::total,
};
use crate::{key::Key, ledger::Settlement};

/// One call of decide.lua in the making.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) keys: Vec<Key>,
    places: HashMap<Key, usize, RandomState>,
    limits: Vec<Known>,
    limit_of_key: Vec<usize>,
    /// Requests that are alike, and how many of them are in a row.
    requests: Vec<(usize, SmallVec<[u64; 3]>)>,
    settlements: Vec<(usize, Settlement)>,
}

/// A limit that some of the keys are counted by.
#[derive(Debug)]
struct Known {
    limit: Limit,
    former: Former,
}

/// Whether a counter that is not there may have a predecessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Former {
    None,
    Some,
}

/// Two requests see one counter by different limits: they cannot travel together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Clash;

impl Batch {
    /// As many of these as can travel in one call, from the first on.
    pub(super) fn of(asks: &[Ask]) -> (Self, usize) {
        let mut batch = Self::default();
        for (place, ask) in asks.iter().enumerate() {
            if batch.add(ask) == Err(Clash) {
                return (batch, place);
            }
        }
        (batch, asks.len())
    }

    /// The counters of these, to be settled and no more.
    pub(super) fn of_counters(asks: &[Ask]) -> Self {
        let mut batch = Self::of(asks).0;
        batch.requests.clear();
        batch
    }

    /// Adds a request; if it does not go with the others, nothing of it.
    pub(super) fn add(&mut self, ask: &Ask) -> Result<(), Clash> {
        let differs = |item: &Item| {
            let place = self.places.get(&item.key);
            let limit = place.and_then(|place| self.limit_of_key.get(*place));
            let known = limit.and_then(|limit| self.limits.get(*limit));
            known.is_some_and(|known| known.limit != item.limit)
        };
        if ask.items.iter().any(differs) {
            return Err(Clash);
        }
        for item in &ask.items {
            self.add_key(item);
        }
        let charges = match ask.deed {
            Deed::Charge => charges(&ask.items),
            _ => Vec::new(),
        };
        let mut numbers: SmallVec<[u64; 3]> = SmallVec::new();
        for (item, units) in charges {
            let place = self.places.get(&item.key).map_or(0, |place| place + 1);
            let place = u64::try_from(place).unwrap_or(0);
            let Parts { q, r } = Parts::of(&item.limit, units);
            numbers.extend([place, q, r]);
        }
        match self.requests.last_mut() {
            Some((times, same)) if *same == numbers => *times += 1,
            _ => self.requests.push((1, numbers)),
        }
        Ok(())
    }

    fn add_key(&mut self, item: &Item) {
        if self.places.contains_key(&item.key) {
            return;
        }
        let former = match item.former.is_empty() {
            true => Former::None,
            false => Former::Some,
        };
        let mut known = self.limits.iter();
        let known = known.position(|known| known.former == former && known.limit == item.limit);
        let limit = known.unwrap_or_else(|| {
            self.limits.push(Known { limit: item.limit.clone(), former });
            self.limits.len() - 1
        });
        self.places.insert(item.key.clone(), self.keys.len());
        self.keys.push(item.key.clone());
        self.limit_of_key.push(limit);
    }

    /// Where a counter is among the keys.
    pub(super) fn place(&self, key: &Key) -> Option<usize> {
        self.places.get(key).copied()
    }

    /// Adds what is due on some of the counters.
    pub(super) fn settle(&mut self, due: impl Fn(&Key) -> Option<Settlement>) {
        let keys = self.keys.iter().enumerate();
        self.settlements = keys.filter_map(|(place, key)| Some((place, due(key)?))).collect();
    }

    /// The counters on which something is due.
    pub(super) fn settling(&self) -> impl Iterator<Item = &Key> {
        let places = self.settlements.iter();
        places.filter_map(|(place, _)| self.keys.get(*place))
    }

    /// What the script is given.
    pub(super) fn args(&self, node: &str, sequence: u64, since: Timestamp) -> Vec<Vec<u8>> {
        let since = digits(since.as_micros());
        let mut args = vec![node.as_bytes().to_vec(), digits(sequence), since];
        args.push(digits(self.limits.len()));
        for known in &self.limits {
            write_limit(&known.limit, known.former, &mut args);
        }
        args.extend(self.limit_of_key.iter().map(|limit| digits(limit + 1)));
        args.push(digits(self.settlements.len()));
        for (place, settlement) in &self.settlements {
            let limit = self.limit_of_key.get(*place);
            if let Some(known) = limit.and_then(|limit| self.limits.get(*limit)) {
                args.push(digits(place + 1));
                args.extend(settlement.numbers(&known.limit).map(digits));
            }
        }
        args.push(digits(self.requests.len()));
        for (times, numbers) in &self.requests {
            args.push(digits(*times));
            args.push(digits(numbers.len() / 3));
            args.extend(numbers.iter().copied().map(digits));
        }
        args
    }
}

/// What a request takes of each counter: nothing at all if one of them can never hold that much.
fn charges(items: &[Item]) -> Vec<(&Item, u64)> {
    let mut charges: Vec<(&Item, u64)> = Vec::with_capacity(items.len());
    for item in items {
        if charges.iter().any(|(known, _)| known.key == item.key) {
            continue;
        }
        match total(items, &item.key) {
            Some(total) if total.get() > item.limit.law().capacity() => return Vec::new(),
            None => return Vec::new(),
            Some(total) if total.is_zero() => {}
            Some(total) => charges.push((item, total.get())),
        }
    }
    charges
}

/// The time, for scripts that are told it.
pub(crate) fn told(now: Now) -> [Vec<u8>; 2] {
    [now.wall, now.steady].map(|time| digits(time.as_micros()))
}

pub(crate) fn digits(number: impl itoa::Integer) -> Vec<u8> {
    itoa::Buffer::new().format(number).as_bytes().to_vec()
}
