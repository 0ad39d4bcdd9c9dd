//! Requests that a script decides: as one call, and back.

use std::collections::HashMap;

use tollgate_core::{Limit, Now};

use super::{
    Item, Parts,
    ask::{Ask, Deed},
    item::write_limit,
    tally::total,
};
use crate::{key::Key, ledger::Settlement};

/// One call of decide.lua in the making.
#[derive(Debug, Default)]
pub(super) struct Batch<'a> {
    pub(super) keys: Vec<&'a Item>,
    places: HashMap<&'a Key, usize>,
    limits: Vec<(&'a Limit, bool)>,
    limit_of_key: Vec<usize>,
    request_args: Vec<Vec<u8>>,
    requests_len: usize,
    pub(super) settlements: Vec<(usize, Settlement)>,
}

/// Two requests see one counter by different limits: they cannot travel together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Clash;

impl<'a> Batch<'a> {
    /// Adds the counters of a request.
    /// Adds the counters of a request, of which is known that it goes with the others.
    pub(super) fn add(&mut self, items: &'a [Item]) {
        let added = self.add_keys(items);
        debug_assert_eq!(added, Ok(()), "these were found to go together");
    }

    pub(super) fn add_keys(&mut self, items: &'a [Item]) -> Result<(), Clash> {
        for item in items {
            if let Some(place) = self.places.get(&item.key) {
                if self
                    .keys
                    .get(*place)
                    .is_some_and(|known| known.limit != item.limit)
                {
                    return Err(Clash);
                }
                continue;
            }
            let carries = !item.former.is_empty();
            let known = self
                .limits
                .iter()
                .position(|(limit, carry)| *carry == carries && **limit == item.limit);
            let limit = known.unwrap_or_else(|| {
                self.limits.push((&item.limit, carries));
                self.limits.len() - 1
            });
            self.places.insert(&item.key, self.keys.len());
            self.keys.push(item);
            self.limit_of_key.push(limit);
        }
        Ok(())
    }

    /// Adds a request whose counters were added.
    pub(super) fn add_request(&mut self, ask: &'a Ask) {
        let charges = match ask.deed {
            Deed::Charge => charges(&ask.items),
            _ => Vec::new(),
        };
        self.requests_len += 1;
        self.push(charges.len());
        for (item, units) in charges {
            let place = self.places.get(&item.key).map_or(0, |place| place + 1);
            let parts = Parts::of(&item.limit, units);
            self.push(place);
            self.push(parts.q);
            self.push(parts.r);
        }
    }

    fn push(&mut self, number: impl std::fmt::Display) {
        self.request_args.push(number.to_string().into_bytes());
    }

    /// What the script is given.
    pub(super) fn args(&self, node: &str, sequence: u64) -> Vec<Vec<u8>> {
        let number = |number: usize| number.to_string().into_bytes();
        let mut args = vec![node.as_bytes().to_vec(), sequence.to_string().into_bytes()];
        args.push(number(self.limits.len()));
        for (limit, carries) in &self.limits {
            write_limit(limit, *carries, &mut args);
        }
        args.extend(self.limit_of_key.iter().map(|limit| number(limit + 1)));
        args.push(number(self.settlements.len()));
        for (place, settlement) in &self.settlements {
            args.push(number(place + 1));
            if let Some(item) = self.keys.get(*place) {
                let numbers = settlement.numbers(&item.limit);
                args.extend(numbers.map(|number| number.to_string().into_bytes()));
            }
        }
        args.push(number(self.requests_len));
        args.extend(self.request_args.iter().cloned());
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
pub(super) fn told(now: Now) -> [Vec<u8>; 2] {
    [now.wall, now.steady].map(|time| time.as_micros().to_string().into_bytes())
}
