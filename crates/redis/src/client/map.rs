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
        Self { layout: Layout::Unknown, shards: Vec::new(), owners: Vec::new() }
    }

    pub(super) fn single(shard: Arc<Shard>) -> Self {
        Self { layout: Layout::Single, shards: vec![shard], owners: Vec::new() }
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

    /// Every slot that is told apart.
    pub(super) fn slots(&self) -> impl Iterator<Item = Slot> + use<> {
        let count = match self.layout {
            Layout::Cluster => usize::from(Slot::COUNT),
            _ => 1,
        };
        Slot::all().take(count)
    }

    /// Those that a shard serves.
    pub(super) fn slots_of<'a>(&'a self, shard: &'a Arc<Shard>) -> impl Iterator<Item = Slot> + 'a {
        let is_its = |slot: &Slot| self.shard(*slot).is_some_and(|own| Arc::ptr_eq(own, shard));
        self.slots().filter(is_its)
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
    let [Value::Int(first), Value::Int(last), Value::Array(primary), ..] = row.as_slice() else {
        return None;
    };
    let number = |number: &i64| u16::try_from(*number).ok().filter(|slot| *slot < Slot::COUNT);
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
    Some(owner.map(|owner| Part { slots: first..=last, owner }))
}

#[cfg(test)]
mod tests {
    use super::super::lineage::Place;

    use super::*;

    fn node(host: &Value, port: i64) -> Value {
        let id = Value::BulkString(b"an id".to_vec());
        Value::Array(vec![host.clone(), Value::Int(port), id, Value::Array(Vec::new())])
    }

    fn numbered(number: u16) -> Slot {
        let mut slots = (0_u32..).map(|at| Slot::of(at.to_string().as_bytes()));
        slots.find(|slot| slot.get() == number).unwrap()
    }

    fn row(first: i64, last: i64, nodes: &[Value]) -> Value {
        let mut row = vec![Value::Int(first), Value::Int(last)];
        row.extend_from_slice(nodes);
        Value::Array(row)
    }

    // Proves: C2
    #[test]
    fn the_slots_of_a_cluster_are_read() {
        let host = |text: &str| Value::BulkString(text.as_bytes().to_vec());
        let teller = Address::new("asked", 1);
        let replica = node(&host("replica"), 9);
        let reply = Value::Array(vec![
            row(0, 5_460, &[node(&host("a"), 7_000), replica]),
            row(5_461, 10_922, &[node(&host(""), 7_001)]),
            row(10_923, 16_000, &[node(&Value::Nil, 7_002)]),
            row(16_001, 16_383, &[node(&host("?"), 7_003)]),
        ]);
        let found = parts(&reply, &teller).unwrap();
        let owners: Vec<String> = found.iter().map(|part| part.owner.to_string()).collect();
        assert_eq!(owners, ["a:7000", "asked:7001", "asked:7002"]);

        let map = Map::cluster(&found, |address| {
            Some(Arc::new(Shard::of_nobody(address.clone(), Place::First)))
        });
        let owner = |slot| map.shard(numbered(slot)).map(|shard| shard.name());
        assert_eq!(owner(0), Some("a:7000"));
        assert_eq!(owner(5_460), Some("a:7000"));
        assert_eq!(owner(5_461), Some("asked:7001"));
        assert_eq!(owner(16_000), Some("asked:7002"));
        assert_eq!(owner(16_001), None);

        let moved = map.with_owner(numbered(16_001), &map.shards[0]);
        let owner = |slot| moved.shard(numbered(slot)).map(|shard| shard.name());
        assert_eq!((owner(16_001), owner(16_002)), (Some("a:7000"), None));
    }

    #[test]
    fn what_is_no_such_answer_is_none() {
        let teller = Address::new("asked", 1);
        let host = Value::BulkString(b"a".to_vec());
        for wrong in [
            Value::Okay,
            Value::Array(vec![Value::Okay]),
            Value::Array(vec![row(0, 16_384, &[node(&host, 1)])]),
            Value::Array(vec![row(-1, 5, &[node(&host, 1)])]),
            Value::Array(vec![row(0, 5, &[node(&host, 70_000)])]),
            Value::Array(vec![row(0, 5, &[])]),
        ] {
            assert_eq!(parts(&wrong, &teller), None, "{wrong:?}");
        }
    }
}
