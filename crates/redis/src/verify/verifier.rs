//! All keys that are watched.

use std::{
    collections::{HashMap, hash_map},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use tollgate_core::{Clock, Limit, Micros, Now};

use super::{
    slots::{Slots, is_verifiable},
    watch::Watch,
};
use crate::key::Key;

/// Compares what the fleet admitted of sampled keys with what their limits allow.
///
/// | algorithm | it complains if |
/// | --- | --- |
/// | fixed window | all nodes together have admitted more in a window than the limit |
/// | sliding window | the same; or more than the limit with the part of the window before that counted when the report came |
/// | token and leaky bucket | over some span of whole seconds more was admitted than the burst, and what is gained in the span and four seconds |
///
/// It does not see: keys that are not sampled; excess below what the table says; what nodes admitted that ended, or whose
/// report was lost, before they told; what a failure policy admitted, which it is not told of; sliding logs and algorithms
/// of users; anything in the window, or for buckets the seconds, of a refund, a reset, a change of the limit or a clock of Redis
/// that was set back.
pub(crate) struct Verifier {
    watched: Mutex<HashMap<Key, Arc<Watch>>>,
    clock: Arc<dyn Clock>,
    overshoot: AtomicU64,
    told_micros: AtomicU64,
}

/// One key in so many is watched, the same ones on all nodes.
const SAMPLED_ONE_IN: u64 = 64;

/// The most keys that are watched at once; others of the sample are not, meanwhile.
const WATCHED_MAX: usize = 4_096;

/// A key is forgotten that had nothing to report so often in a row.
const IDLE_MAX: u32 = 30;

/// How long nothing is said after something was.
const QUIET: Micros = Micros::from_secs(10);

/// What a node has to report of one key.
#[derive(Debug)]
pub(super) struct Due {
    pub(super) key: Key,
    pub(super) watch: Arc<Watch>,
    pub(super) slots: Slots,
}

impl std::fmt::Debug for Verifier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [watched, overshoot] = self.totals();
        f.debug_struct("Verifier")
            .field("watched", &watched)
            .field("overshoot", &overshoot)
            .finish_non_exhaustive()
    }
}

impl Verifier {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            watched: Mutex::default(),
            clock,
            overshoot: AtomicU64::new(0),
            told_micros: AtomicU64::new(0),
        }
    }

    /// Whether a key is of the sample.
    pub(crate) fn samples(key: &Key) -> bool {
        hash(key.as_bytes()).is_multiple_of(SAMPLED_ONE_IN)
    }

    /// The watch over a key that is leased by this limit; none if it is not of the sample. As long as somebody holds it,
    /// what he tells it is reported.
    pub(crate) fn watch(&self, key: &Key, limit: &Limit) -> Option<Arc<Watch>> {
        if !Self::samples(key) || !is_verifiable(limit) {
            return None;
        }
        let mut watched = self.watched();
        let is_full = watched.len() >= WATCHED_MAX;
        match watched.entry(key.clone()) {
            hash_map::Entry::Occupied(known) if known.get().limit == *limit => {
                Some(Arc::clone(known.get()))
            }
            hash_map::Entry::Occupied(mut former) => {
                let watch = Arc::new(Watch::new(limit.clone(), Arc::clone(&self.clock)));
                former.insert(Arc::clone(&watch));
                Some(watch)
            }
            hash_map::Entry::Vacant(_) if is_full => None,
            hash_map::Entry::Vacant(free) => Some(Arc::clone(
                free.insert(Arc::new(Watch::new(limit.clone(), Arc::clone(&self.clock)))),
            )),
        }
    }

    /// Redis itself has let a request pass, at this moment.
    pub(crate) fn admitted(&self, key: &Key, limit: &Limit, units: u64, at: Now) {
        if let Some(watch) = self.watch(key, limit) {
            watch.admitted(units, at);
        }
    }

    /// Keys that are watched, and times that more was admitted than the law allows.
    pub(crate) fn totals(&self) -> [u64; 2] {
        let watched = u64::try_from(self.watched().len()).unwrap_or(u64::MAX);
        [watched, self.overshoot.load(Relaxed)]
    }

    /// All that is to be reported; keys that have long had nothing are forgotten.
    pub(super) fn due(&self) -> Vec<Due> {
        let mut due = Vec::new();
        self.watched().retain(|key, watch| {
            let slots = watch.take();
            if !slots.is_empty() {
                due.push(Due { key: key.clone(), watch: Arc::clone(watch), slots });
            }
            watch.idle() < IDLE_MAX || Arc::strong_count(watch) > 1
        });
        due
    }

    /// Says that a limit was not kept. The key may name a person: only its digest is told.
    pub(super) fn overshot(&self, key: &Key, limit: &Limit, what: &str) {
        self.overshoot.fetch_add(1, Relaxed);
        let now = self.clock.now().steady.as_micros();
        let told = self.told_micros.load(Relaxed);
        if told > 0 && now.saturating_sub(told) < QUIET.get() {
            return;
        }
        self.told_micros.store(now, Relaxed);
        let digest = blake3::hash(key.as_bytes()).to_hex();
        tracing::error!(
            rule = rule(key.as_str()),
            key = digest.get(..16).unwrap_or_default(),
            %limit,
            what,
            "more was admitted than the limit allows: somebody changes counters in Redis, it has lost some, nodes have \
             different rules, or this is a defect"
        );
    }

    fn watched(&self) -> MutexGuard<'_, HashMap<Key, Arc<Watch>>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The rule's id in the name of a counter.
fn rule(key: &str) -> &str {
    let after_tag = key.split_once("}:").map_or("", |(_, rest)| rest);
    after_tag.split(':').next().unwrap_or_default()
}

/// The same on every node and in every release (FNV-1a), so that all watch the same keys.
fn hash(bytes: &[u8]) -> u64 {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash ^ (hash >> 32)
}
