//! What Redis said last of counters that had nothing left: until then no policy admits anything on them.

use std::{
    hash::{BuildHasher as _, RandomState},
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
};

use tollgate_core::{Cost, Limit, Micros, Timestamp};

use crate::{key::Key, lease::tag};

/// Denials that are kept in mind at once, 32 bytes each. If more are heard, those that end first are forgotten.
const DENIALS_MAX: usize = 65_536;
/// A denial may lie in one of so many places.
const WAYS: usize = 8;

/// The denials that this node has heard from Redis and that have not ended.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// Keyed, so that no client can choose keys that drive out those of others.
    hash: RandomState,
    /// Made with the first denial.
    buckets: OnceLock<Box<[Mutex<Bucket>]>>,
}

type Bucket = [Denial; WAYS];

/// What was heard of one counter and one cost.
#[derive(Clone, Copy, Debug, Default)]
struct Denial {
    print: u64,
    /// Of the limit: a denial by another limit says nothing.
    tag: u64,
    cost: u64,
    until: Timestamp,
}

impl Heard {
    /// Redis has denied this cost, for so long.
    pub(crate) fn note(
        &self,
        key: &Key,
        (limit, cost): (&Limit, Cost),
        wait: Micros,
        now: Timestamp,
    ) {
        let print = self.print(key.as_bytes());
        let denial =
            Denial { print, tag: tag(limit), cost: cost.get(), until: now.saturating_add(wait) };
        let Some(mut bucket) = self.bucket(print) else {
            return;
        };
        let is_same = |one: &Denial| {
            (one.print, one.tag, one.cost) == (denial.print, denial.tag, denial.cost)
        };
        let place = match bucket.iter_mut().position(|one| is_same(one)) {
            Some(place) => bucket.get_mut(place),
            None => bucket.iter_mut().min_by_key(|one| one.until),
        };
        if let Some(place) = place {
            *place = denial;
        }
    }

    /// How long this cost is denied yet, as far as was heard. What was too much for a smaller cost is too much for it.
    pub(crate) fn wait(
        &self,
        key: &Key,
        (limit, cost): (&Limit, Cost),
        now: Timestamp,
    ) -> Option<Micros> {
        self.buckets.get()?;
        let (print, tag) = (self.print(key.as_bytes()), tag(limit));
        let bucket = self.bucket(print)?;
        let denied = bucket
            .iter()
            .filter(|one| one.print == print && one.tag == tag && one.cost <= cost.get());
        let until = denied.map(|one| one.until).max()?;
        let is_heard = now < until && !cfg!(mutant = "denial-forgotten-by-policies");
        is_heard.then(|| until.since(now))
    }

    /// A refund or a reset has changed a counter: what was heard before says nothing any more.
    pub(crate) fn forget(&self, key: &[u8]) {
        if self.buckets.get().is_none() {
            return;
        }
        let print = self.print(key);
        if let Some(mut bucket) = self.bucket(print) {
            for one in bucket.iter_mut().filter(|one| one.print == print) {
                *one = Denial::default();
            }
        }
    }

    fn print(&self, key: &[u8]) -> u64 {
        self.hash.hash_one(key)
    }

    fn bucket(&self, print: u64) -> Option<MutexGuard<'_, Bucket>> {
        let make = || (0..DENIALS_MAX / WAYS).map(|_| Mutex::default()).collect();
        let buckets = self.buckets.get_or_init(make);
        let count = u64::try_from(buckets.len()).ok()?;
        let place = usize::try_from(print % count).ok()?;
        let bucket = buckets.get(place)?.lock();
        Some(bucket.unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use tollgate_core::{CounterKey, Period, RuleId};

    use super::*;
    use crate::key::{Name, Names};

    fn key(user: u64) -> Key {
        let names = Names { prefix: "rl".to_owned(), naming: |values, part| part("user", values) };
        let text = user.to_string();
        let key = CounterKey::new(RuleId::new(7), text.as_bytes());
        Name::new(key, &names).counter(Period::HOUR)
    }

    fn limit(text: &str) -> Limit {
        text.parse().unwrap()
    }

    const NOW: Timestamp = Timestamp::from_secs(1_000);

    fn secs(secs: u64) -> Option<Micros> {
        Some(Micros::from_secs(secs))
    }

    #[test]
    fn a_denial_stands_until_its_time_for_its_cost_and_any_larger() {
        let (heard, limit, key) = (Heard::default(), limit("3/h"), key(1));
        let wait = |cost, now| heard.wait(&key, (&limit, Cost::new(cost)), now);
        assert_eq!(wait(1, NOW), None);
        heard.note(&key, (&limit, Cost::new(2)), Micros::from_secs(60), NOW);
        assert_eq!(wait(1, NOW), None, "one may still fit");
        assert_eq!(wait(2, NOW), secs(60));
        heard.note(&key, (&limit, Cost::ONE), Micros::from_secs(30), NOW);
        assert_eq!(wait(1, NOW), secs(30));
        assert_eq!(wait(3, NOW), secs(60));
        let later = NOW.saturating_add(Micros::from_secs(30));
        assert_eq!((wait(1, later), wait(2, later)), (None, secs(30)));
    }

    #[test]
    fn another_limit_a_reset_and_another_key_are_not_denied() {
        let (heard, one) = (Heard::default(), key(1));
        let (three, raised) = (limit("3/h"), limit("4/h"));
        heard.note(&one, (&three, Cost::ONE), Micros::from_secs(60), NOW);
        assert_eq!(heard.wait(&one, (&raised, Cost::ONE), NOW), None);
        assert_eq!(heard.wait(&key(2), (&three, Cost::ONE), NOW), None);
        heard.forget(one.as_bytes());
        assert_eq!(heard.wait(&one, (&three, Cost::ONE), NOW), None);
    }

    #[test]
    fn what_is_kept_in_mind_is_bounded_and_the_longest_denials_stay() {
        let (heard, limit) = (Heard::default(), limit("3/h"));
        let note = |user, secs| {
            heard.note(&key(user), (&limit, Cost::ONE), Micros::from_secs(secs), NOW);
        };
        let kept = |users: std::ops::Range<u64>| {
            let waits = users.map(|user| heard.wait(&key(user), (&limit, Cost::ONE), NOW));
            waits.flatten().count()
        };
        (0..50).for_each(|user| note(user, 3_600));
        (50..200_000).for_each(|user| note(user, 60));
        assert_eq!(kept(0..50), 50);
        assert!(kept(0..200_000) <= DENIALS_MAX);
    }
}
