//! Who serves which slot.

use std::{ops::RangeInclusive, sync::Arc};

use redis::Value;

use super::{address::Address, shard::Shard, survey::text};
use crate::{Layout, slot::Slot};

/// Nobody.
const NOBODY: u16 = u16::MAX;

/// Who serves which slot, as last heard. Never changed: replaced.
#[derive(Clone)]
pub(super) struct Map {
    pub(super) layout: Layout,
    pub(super) shards: Vec<Arc<Shard>>,
    /// Of each slot, the place of its owner among the shards. Empty if all belong to the first.
    owners: Vec<u16>,
}

impl Map {
    pub(super) const fn unknown() -> Self {
        Self {
            layout: Layout::Unknown,
            shards: Vec::new(),
            owners: Vec::new(),
        }
    }

    pub(super) fn single(shard: Arc<Shard>) -> Self {
        Self {
            layout: Layout::Single,
            shards: vec![shard],
            owners: Vec::new(),
        }
    }

    pub(super) fn cluster(parts: &[Part], find: impl Fn(&Address) -> Option<Arc<Shard>>) -> Self {
        let mut map = Self {
            layout: Layout::Cluster,
            shards: Vec::new(),
            owners: vec![NOBODY; usize::from(Slot::COUNT)],
        };
        for part in parts {
            let place = find(&part.owner).map_or(NOBODY, |shard| map.place(&shard));
            let range = usize::from(*part.slots.start())..=usize::from(*part.slots.end());
            if let Some(owners) = map.owners.get_mut(range) {
                owners.fill(place);
            }
        }
        map
    }

    /// The same, except that one slot belongs to this shard.
    pub(super) fn with_owner(&self, slot: Slot, shard: &Arc<Shard>) -> Self {
        let mut map = self.clone();
        let place = map.place(shard);
        if let Some(owner) = map.owners.get_mut(usize::from(slot.get())) {
            *owner = place;
        }
        map
    }

    pub(super) fn shard(&self, slot: Slot) -> Option<&Arc<Shard>> {
        if self.layout == Layout::Single {
            return self.shards.first();
        }
        let place = *self.owners.get(usize::from(slot.get()))?;
        self.shards.get(usize::from(place))
    }

    fn place(&mut self, shard: &Arc<Shard>) -> u16 {
        let known = self.shards.iter().position(|one| Arc::ptr_eq(one, shard));
        let place = known.unwrap_or_else(|| {
            self.shards.push(Arc::clone(shard));
            self.shards.len() - 1
        });
        u16::try_from(place).unwrap_or(NOBODY)
    }
}

/// Slots that one primary serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) slots: RangeInclusive<u16>,
    pub(super) owner: Address,
}

/// Reads the answer to `CLUSTER SLOTS`. Parts whose owner has no known address are left out; an answer
/// that is none of this kind is `None`.
pub(super) fn parts(reply: &Value, teller: &Address) -> Option<Vec<Part>> {
    let Value::Array(rows) = reply else {
        return None;
    };
    rows.iter()
        .map(|row| part(row, teller))
        .collect::<Option<Vec<_>>>()
        .map(|parts| parts.into_iter().flatten().collect())
}

/// `Some(None)` is a part without an address.
fn part(row: &Value, teller: &Address) -> Option<Option<Part>> {
    let Value::Array(row) = row else { return None };
    let [
        Value::Int(first),
        Value::Int(last),
        Value::Array(primary),
        ..,
    ] = row.as_slice()
    else {
        return None;
    };
    let number = |number: &i64| {
        u16::try_from(*number)
            .ok()
            .filter(|slot| *slot < Slot::COUNT)
    };
    let (first, last) = (number(first)?, number(last)?);
    let [host, Value::Int(port), ..] = primary.as_slice() else {
        return None;
    };
    let port = u16::try_from(*port).ok()?;
    let host = match host {
        // "The one you asked".
        Value::Nil => "",
        host => text(host)?,
    };
    let owner = Address::parse(&format!("{host}:{port}"), teller);
    Some(owner.map(|owner| Part {
        slots: first..=last,
        owner,
    }))
}
