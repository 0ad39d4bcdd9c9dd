//! The busiest keys, in bounded memory.

use std::{
    cell::Cell,
    collections::HashMap,
    hash::{BuildHasher as _, Hasher as _, RandomState},
    sync::{Mutex, PoisonError},
};

use tollgate_core::{Clock as _, Micros, SystemClock, Timestamp};
use tollgate_rules::Plan;

use super::sketch::Sketch;

/// The keys that were asked for most in the last one to two [`TopKeys::WINDOW`]s.
///
/// One decision in [`TopKeys::SAMPLED`] is looked at and stands for all of them. The gaps are random, so
/// that no rhythm of requests can hide from it.
#[derive(Debug, Default)]
pub(crate) struct TopKeys {
    windows: Mutex<Windows>,
}

/// A busy key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hot {
    /// The rule that counts it.
    pub(crate) rule: String,
    /// What it counts by, `user=alice`.
    pub(crate) key: String,
    /// Requests, estimated.
    pub(crate) requests: u64,
    /// How far off that may be: what the sketch may have added, and twice the deviation of the sample.
    pub(crate) error: u64,
}

/// The busiest keys, and what that speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Top {
    /// The busiest first.
    pub(crate) keys: Vec<Hot>,
    /// How far back it goes.
    pub(crate) span: Micros,
}

/// A window that fills, and the full one before it.
#[derive(Debug, Default)]
struct Windows {
    now: Sketch,
    before: Sketch,
    /// When each began.
    began: Option<(Timestamp, Timestamp)>,
}

/// Twice the standard deviation of a count that a sample stands for.
fn sampling_error(requests: u64) -> u64 {
    let one_in = u64::from(TopKeys::SAMPLED);
    let samples = requests / one_in;
    samples.isqrt().saturating_add(1).saturating_mul(2 * one_in)
}

impl TopKeys {
    /// One decision in so many is looked at.
    pub(crate) const SAMPLED: u32 = 64;

    /// How long a window is.
    pub(crate) const WINDOW: Micros = Micros::from_secs(60);

    /// The longest text of a key; what is longer is cut.
    const KEY_CHARS_MAX: usize = 200;

    /// A request was decided. Nearly always only a counter of this thread is lowered.
    #[inline]
    pub(super) fn sees(&self, plan: &Plan<'_>) {
        if is_sampled() {
            self.looks(plan, SystemClock.now().steady);
        }
    }

    /// Not inlined: it is not on the usual way.
    #[inline(never)]
    fn looks(&self, plan: &Plan<'_>, now: Timestamp) {
        // A decision never waits for another one's sample.
        let Ok(mut windows) = self.windows.try_lock() else {
            return;
        };
        windows.turn(now);
        let mut last = None;
        for line in plan.lines() {
            let rule = line.rule();
            if last.replace(rule.id) == Some(rule.id) {
                continue; // another limit on the same key
            }
            let key = plan.key_in_words(line);
            let key = key.chars().take(Self::KEY_CHARS_MAX).collect();
            let name = rule.name.as_str().to_owned();
            windows.now.add((name, key), u64::from(Self::SAMPLED));
        }
    }

    /// The `most` busiest keys.
    pub(crate) fn list(&self, most: usize) -> Top {
        self.list_at(most, SystemClock.now().steady)
    }

    fn list_at(&self, most: usize, now: Timestamp) -> Top {
        let windows = self.windows.lock();
        let mut windows = windows.unwrap_or_else(PoisonError::into_inner);
        windows.turn(now);
        let since = windows.began.map_or(now, |(_, before)| before);
        let mut found: HashMap<_, (u64, u64)> = HashMap::new();
        for sketch in [&windows.now, &windows.before] {
            for (entry, requests) in sketch.entries() {
                let sum = found.entry(entry).or_default();
                sum.0 = sum.0.saturating_add(requests);
                sum.1 = sum.1.saturating_add(sketch.error());
            }
        }
        let mut keys: Vec<Hot> = found
            .into_iter()
            .map(|((rule, key), (requests, error))| Hot {
                rule: rule.clone(),
                key: key.clone(),
                requests,
                error: error.saturating_add(sampling_error(requests)),
            })
            .collect();
        keys.sort_unstable_by(|one, two| {
            let busier = two.requests.cmp(&one.requests);
            busier.then_with(|| (&one.rule, &one.key).cmp(&(&two.rule, &two.key)))
        });
        keys.truncate(most);
        Top { keys, span: now.since(since) }
    }
}

impl Windows {
    /// Begins another window if the last is full.
    fn turn(&mut self, now: Timestamp) {
        let (began, _) = *self.began.get_or_insert((now, now));
        let age = now.since(began);
        if age < TopKeys::WINDOW {
            return;
        }
        let is_recent = age < TopKeys::WINDOW.saturating_add(TopKeys::WINDOW);
        let full = std::mem::take(&mut self.now);
        self.before = if is_recent { full } else { Sketch::default() };
        self.began = Some((now, if is_recent { began } else { now }));
    }
}

/// Whether this decision is looked at: after a gap of [`TopKeys::SAMPLED`] on average.
#[inline]
fn is_sampled() -> bool {
    thread_local! {
        static LEFT: Cell<u32> = const { Cell::new(0) };
    }
    LEFT.with(|left| match left.get() {
        0 => {
            left.set(gap());
            true
        }
        some => {
            left.set(some - 1);
            false
        }
    })
}

/// A random number below twice [`TopKeys::SAMPLED`], less one: with the decision that is looked at, that
/// is [`TopKeys::SAMPLED`] on average.
fn gap() -> u32 {
    thread_local! {
        static STATE: Cell<u64> = Cell::new(RandomState::new().build_hasher().finish() | 1);
    }
    STATE.with(|state| {
        let mut bits = state.get();
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        state.set(bits);
        let gaps = u64::from(2 * TopKeys::SAMPLED - 1);
        u32::try_from((bits >> 32) % gaps).unwrap_or(TopKeys::SAMPLED)
    })
}

#[cfg(test)]
#[path = "top_tests.rs"]
mod tests;
