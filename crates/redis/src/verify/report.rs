//! What nodes tell each other of what they admitted, through Redis.

use std::{collections::BTreeMap, time::Duration};

use redis::Value;
use tokio::time::timeout;
use tollgate_core::Limit;

use super::{
    slots::{BUCKET_SLOT, LATE_MAX, OPEN_SLOTS, Slots, is_verifiable},
    verifier::{Due, Verifier},
};
use crate::{
    Layout,
    client::{Call, Cause, Client, Failure},
    exact::{Former, Item, Parts, digits, told, write_limit},
    key::Key,
    slot::Slot,
    time::Time,
};

/// The most keys in one call.
const KEYS_MAX: usize = 64;

/// How long a report may take. After that it may have arrived or not, and is not repeated.
const PATIENCE: Duration = Duration::from_secs(1);

/// What becomes of the sums of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sums {
    GoOn,
    Anew,
}

/// One key in a call.
struct Entry<'a> {
    key: &'a Key,
    limit: &'a Limit,
    sums: Sums,
    slots: &'a Slots,
}

impl Verifier {
    /// Reports everything that was admitted since the last report, and hears whether that was too much.
    pub(crate) async fn report(&self, client: &Client, time: &Time) {
        let mut by_slot: BTreeMap<Slot, Vec<Due>> = BTreeMap::new();
        for due in self.due() {
            let slot = slot(client, &due.key);
            by_slot.entry(slot).or_default().push(due);
        }
        for (slot, due) in by_slot {
            for some in due.chunks(KEYS_MAX) {
                self.report_some(client, time, slot, some).await;
            }
        }
    }

    async fn report_some(&self, client: &Client, time: &Time, slot: Slot, some: &[Due]) {
        let entries = some.iter().map(|due| Entry {
            key: &due.key,
            limit: &due.watch.limit,
            sums: Sums::GoOn,
            slots: &due.slots,
        });
        let entries: Vec<Entry<'_>> = entries.collect();
        match tell(client, time, slot, &entries).await {
            Ok(words) => {
                for (due, word) in some.iter().zip(words) {
                    if let Some(what) = word.strip_prefix("over ") {
                        self.overshot(&due.key, &due.watch.limit, what);
                    }
                }
            }
            // If it may have arrived, it is not said again: sums that are too small complain of nothing.
            Err(Failure::InDoubt(_)) => {}
            Err(Failure::NotRun(_)) => some.iter().for_each(|due| due.watch.restore(&due.slots)),
        }
    }

    /// Counters are about to be changed by hand: what was admitted until then says nothing any more. To be awaited before
    /// the change.
    pub(crate) async fn excuse(&self, client: &Client, time: &Time, items: &[Item]) {
        let nothing = Slots::default();
        let sampled =
            items.iter().filter(|item| Self::samples(&item.key) && is_verifiable(&item.limit));
        for item in sampled {
            let entry =
                Entry { key: &item.key, limit: &item.limit, sums: Sums::Anew, slots: &nothing };
            // If Redis cannot be told, the change will fail as well.
            drop(tell(client, time, slot(client, &item.key), &[entry]).await);
        }
    }
}

fn slot(client: &Client, key: &Key) -> Slot {
    match client.layout() {
        Layout::Cluster => key.slot(),
        _ => Slot::FIRST,
    }
}

/// One call; a word for each key.
async fn tell(
    client: &Client,
    time: &Time,
    slot: Slot,
    entries: &[Entry<'_>],
) -> Result<Vec<String>, Failure> {
    let in_doubt = Failure::InDoubt(Cause::Silent);
    let call = Call {
        script: time.verify,
        slot,
        keys: entries.iter().map(|entry| name(entry.key)).collect(),
        args: args(time, entries),
    };
    let replied = timeout(PATIENCE, client.call(&call)).await;
    let Value::Array(words) = replied.map_err(|_| in_doubt)?? else {
        return Err(in_doubt);
    };
    let text = |word| match word {
        Value::BulkString(bytes) => String::from_utf8(bytes).unwrap_or_default(),
        _ => String::new(),
    };
    Ok(words.into_iter().map(text).collect())
}

/// Where the sums of a counter are: beside it.
fn name(key: &Key) -> Vec<u8> {
    [key.as_bytes(), b":v"].concat()
}

/// See verify.lua.
fn args(time: &Time, entries: &[Entry<'_>]) -> Vec<Vec<u8>> {
    let mut limits: Vec<&Limit> = Vec::new();
    let mut rest = Vec::new();
    for entry in entries {
        let known = limits.iter().position(|limit| *limit == entry.limit);
        let number = known.unwrap_or_else(|| {
            limits.push(entry.limit);
            limits.len() - 1
        });
        rest.push(digits(number + 1));
        rest.push(digits(u8::from(entry.sums == Sums::Anew)));
        rest.push(digits(entry.slots.len()));
        for (slot, units) in entry.slots.iter() {
            // Whole microseconds: less than there was.
            rest.extend([slot, Parts::of(entry.limit, units).q].map(digits));
        }
    }
    let mut args = [BUCKET_SLOT.get(), LATE_MAX.get(), OPEN_SLOTS].map(digits).to_vec();
    args.push(digits(limits.len()));
    for limit in limits {
        write_limit(limit, Former::None, &mut args);
    }
    args.append(&mut rest);
    if let Some(now) = time.told() {
        args.extend(told(now));
    }
    args
}
