//! The limiter.

use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwap;
use smallvec::SmallVec;
use tollgate_core::{
    Action, Charge, Clock, Cost, Decision, ImmediateStore, Limit, LimitSet, Store, StoreError,
    SystemClock, Verdict,
};
use tollgate_memory::{MemoryStore, Stats};

use crate::{
    Observer,
    builder::{Builder, InMemory, LimitsMissing},
    revision::Revision,
};

/// Says whether a request for a key may pass. Cheap to share: wrap it in an [`Arc`] or a `static`.
///
/// ```
/// use std::time::Duration;
/// use tollgate::{Cost, ManualClock, RateLimiter};
///
/// let clock = ManualClock::start();
/// let limiter = RateLimiter::builder()
///     .limit("10/min".parse::<tollgate::Limit>()?.with_burst(2)?)
///     .clock(clock.clone())
///     .build();
/// assert!(limiter.is_allowed("alice") && limiter.is_allowed("alice"));
///
/// let denied = limiter.check("alice", Cost::ONE);
/// assert_eq!(denied.retry_after(), Some(Duration::from_secs(6)));
/// assert!(limiter.is_allowed("bob"));
///
/// clock.advance(Duration::from_secs(6));
/// assert!(limiter.is_allowed("alice"));
/// # Ok::<(), tollgate::LimitError>(())
/// ```
#[derive(Debug)]
pub struct RateLimiter<S = MemoryStore<SystemClock>, O = ()> {
    first: Revision,
    /// What replaced the first limits; those who never change them never pay for it.
    changed: OnceLock<ArcSwap<Revision>>,
    store: S,
    observer: O,
}

impl RateLimiter {
    /// Starts a limiter: the system's clock, counters in memory, nobody told. It needs a limit.
    ///
    /// ```
    /// use std::sync::LazyLock;
    /// use tollgate::RateLimiter;
    ///
    /// static LOGINS: LazyLock<RateLimiter> = LazyLock::new(|| {
    ///     let limit = "5/min".parse().expect("a limit, checked by a test");
    ///     RateLimiter::builder().limit(limit).build()
    /// });
    /// assert!(LOGINS.is_allowed("user:42"));
    /// ```
    pub const fn builder() -> Builder<LimitsMissing, InMemory<SystemClock>, ()> {
        Builder::new()
    }
}

impl<S, O> RateLimiter<S, O> {
    pub(crate) fn assemble(revision: Revision, store: S, observer: O) -> Self {
        Self { first: revision, changed: OnceLock::new(), store, observer }
    }

    /// Puts other limits in force, at once and for every key. What was admitted is kept: a raised limit
    /// frees an exhausted key, a lowered one binds, and under another period or algorithm the cost of
    /// the current window counts as admitted just now.
    ///
    /// ```
    /// use tollgate::RateLimiter;
    ///
    /// let limiter = RateLimiter::builder().limit("1/day".parse()?).build();
    /// assert!(limiter.is_allowed("a") && !limiter.is_allowed("a"));
    /// limiter.set_limits(&"2/day".parse()?);
    /// assert!(limiter.is_allowed("a") && !limiter.is_allowed("a"));
    /// # Ok::<(), tollgate::LimitError>(())
    /// ```
    pub fn set_limits(&self, limits: &LimitSet) {
        let changed = self.changed.get_or_init(|| ArcSwap::from_pointee(self.first.clone()));
        changed.rcu(|revision| Arc::new(revision.succeed(limits)));
    }

    /// The limits in force.
    ///
    /// ```
    /// use tollgate::RateLimiter;
    ///
    /// let limiter = RateLimiter::builder().limits("10/s, 1000/h".parse()?).build();
    /// let limits: Vec<String> = limiter.limits().iter().map(ToString::to_string).collect();
    /// assert_eq!(limits, ["10/s", "1000/h"]);
    /// # Ok::<(), tollgate::LimitError>(())
    /// ```
    pub fn limits(&self) -> Vec<Limit> {
        self.with_revision(|revision| {
            let limits = revision.lines().iter().map(|line| line.limit.clone());
            limits.collect()
        })
    }

    /// Runs `with` on the limits in force.
    #[inline]
    fn with_revision<R>(&self, with: impl FnOnce(&Revision) -> R) -> R {
        match self.changed.get() {
            None => with(&self.first),
            Some(changed) => with(&changed.load()),
        }
    }

    /// The store.
    ///
    /// ```
    /// use tollgate::RateLimiter;
    ///
    /// let limiter = RateLimiter::builder().limit("100/day".parse()?).build();
    /// assert!(limiter.is_allowed("a"));
    /// let mut file = Vec::new();
    /// assert_eq!(limiter.store().save(&mut file)?, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn store(&self) -> &S {
        &self.store
    }
}

/// For stores that answer at once, such as the one in memory.
impl<S: ImmediateStore, O: Observer> RateLimiter<S, O> {
    /// Whether a request for `key` may pass; it is charged one unit if so.
    ///
    /// A leaky bucket also asks the request to wait: use [`RateLimiter::check`] to learn how long.
    ///
    /// ```
    /// use tollgate::RateLimiter;
    ///
    /// let limiter = RateLimiter::builder().limit("2/day".parse()?).build();
    /// assert!(limiter.is_allowed("a") && limiter.is_allowed("a"));
    /// assert!(!limiter.is_allowed("a"));
    /// # Ok::<(), tollgate::LimitError>(())
    /// ```
    #[inline]
    pub fn is_allowed(&self, key: &str) -> bool {
        if !O::IS_NOBODY {
            return self.verdict(key, Cost::ONE).is_allowed();
        }
        self.with_revision(|revision| match revision.lines() {
            [line] => self.store.allows_now(&[revision.charge(line, key, Cost::ONE)]),
            _ => self.store.allows_now(&revision.charges(key, Cost::ONE)),
        })
    }

    /// Charges `cost` to `key` if every limit lets it, and says what the binding limit has to say.
    ///
    /// ```
    /// use tollgate::{Cost, RateLimiter};
    ///
    /// let limiter = RateLimiter::builder().limit("10/day".parse()?).build();
    /// let decision = limiter.check("a", Cost::new(7));
    /// assert!(decision.is_allowed());
    /// assert_eq!((decision.limit(), decision.remaining()), (10, 3));
    ///
    /// let denied = limiter.check("a", Cost::new(7)); // takes nothing
    /// assert!(!denied.is_allowed() && denied.retry_after().is_some());
    /// assert!(limiter.check("a", Cost::new(3)).is_allowed());
    /// # Ok::<(), tollgate::LimitError>(())
    /// ```
    #[inline]
    pub fn check(&self, key: &str, cost: Cost) -> Decision {
        *self.verdict(key, cost).binding()
    }

    /// As [`RateLimiter::check`], with a decision for every limit.
    ///
    /// ```
    /// use tollgate::{Cost, RateLimiter};
    ///
    /// let limiter = RateLimiter::builder().limits("5/s, 100/h".parse()?).build();
    /// let verdict = limiter.verdict("a", Cost::ONE);
    /// let left: Vec<u64> = verdict.decisions().iter().map(|decision| decision.remaining()).collect();
    /// assert_eq!(left, [4, 99]);
    /// # Ok::<(), tollgate::LimitError>(())
    /// ```
    #[inline]
    pub fn verdict(&self, key: &str, cost: Cost) -> Verdict {
        let verdict = self.with_revision(|revision| match revision.lines() {
            [line] => self.store.charge_now(&[revision.charge(line, key, cost)]),
            _ => self.store.charge_now(&revision.charges(key, cost)),
        });
        self.observer.decided(key, &verdict);
        verdict
    }

    /// Checks many requests, each on its own and in order. Faster than one by one: the processor
    /// fetches several counters at a time.
    ///
    /// ```
    /// use tollgate::{Cost, RateLimiter};
    ///
    /// let limiter = RateLimiter::builder().limit("1/h".parse()?).build();
    /// let decisions = limiter.check_batch(&[("a", Cost::ONE), ("b", Cost::ONE), ("a", Cost::ONE)]);
    /// let allowed: Vec<bool> = decisions.iter().map(|decision| decision.is_allowed()).collect();
    /// assert_eq!(allowed, [true, true, false]);
    /// # Ok::<(), tollgate::LimitError>(())
    /// ```
    pub fn check_batch(&self, requests: &[(&str, Cost)]) -> Vec<Decision> {
        let mut decisions = Vec::with_capacity(requests.len());
        let mut verdicts = Vec::with_capacity(requests.len().min(TOGETHER));
        for requests in requests.chunks(TOGETHER) {
            self.with_revision(|revision| {
                let charges: SmallVec<[SmallVec<[Charge<'_>; 1]>; TOGETHER]> =
                    requests.iter().map(|(key, cost)| revision.charges(key, *cost)).collect();
                let batch: SmallVec<[&[Charge<'_>]; TOGETHER]> =
                    charges.iter().map(SmallVec::as_slice).collect();
                self.store.charge_batch_now(&batch, &mut verdicts);
            });
            for ((key, _), verdict) in requests.iter().zip(verdicts.drain(..)) {
                self.observer.decided(key, &verdict);
                decisions.push(*verdict.binding());
            }
        }
        decisions
    }

    /// What [`RateLimiter::check`] would say, without charging anything.
    ///
    /// ```
    /// use tollgate::{Cost, RateLimiter};
    ///
    /// let limiter = RateLimiter::builder().limit("1/h".parse()?).build();
    /// assert!(limiter.peek("a", Cost::ONE).is_allowed());
    /// assert!(limiter.peek("a", Cost::ONE).is_allowed());
    /// # Ok::<(), tollgate::LimitError>(())
    /// ```
    pub fn peek(&self, key: &str, cost: Cost) -> Decision {
        self.inspect(Action::Peek, key, cost)
    }

    /// Gives back cost that was charged but not used, never above the limit.
    ///
    /// ```
    /// use tollgate::{Cost, RateLimiter};
    ///
    /// let limiter = RateLimiter::builder().limit("10/h".parse()?).build();
    /// limiter.check("a", Cost::new(10));
    /// assert_eq!(limiter.refund("a", Cost::new(4)).remaining(), 4);
    /// # Ok::<(), tollgate::LimitError>(())
    /// ```
    pub fn refund(&self, key: &str, cost: Cost) -> Decision {
        self.inspect(Action::Refund, key, cost)
    }

    /// Makes a key fresh.
    ///
    /// ```
    /// use tollgate::RateLimiter;
    ///
    /// let limiter = RateLimiter::builder().limit("1/h".parse()?).build();
    /// assert!(limiter.is_allowed("a") && !limiter.is_allowed("a"));
    /// assert_eq!(limiter.reset("a").remaining(), 1);
    /// assert!(limiter.is_allowed("a"));
    /// # Ok::<(), tollgate::LimitError>(())
    /// ```
    pub fn reset(&self, key: &str) -> Decision {
        self.inspect(Action::Reset, key, Cost::ZERO)
    }

    fn inspect(&self, action: Action, key: &str, cost: Cost) -> Decision {
        let inspect = |revision: &Revision| {
            let charges = revision.charges(key, cost);
            self.store.inspect_now(action, &charges)
        };
        *self.with_revision(inspect).binding()
    }
}

/// For stores that have to ask somebody.
impl<S: Store, O: Observer> RateLimiter<S, O> {
    /// Charges `cost` to `key` if every limit lets it, and says what the binding limit has to say.
    ///
    /// ```
    /// use tollgate::{Cost, RateLimiter, Store, StoreError};
    ///
    /// async fn serve<S: Store>(limiter: &RateLimiter<S>) -> Result<&'static str, StoreError> {
    ///     let decision = limiter.check_async("user:42", Cost::ONE).await?;
    ///     Ok(if decision.is_allowed() { "here you are" } else { "too many requests" })
    /// }
    /// # let limiter = RateLimiter::builder().limit("1/day".parse()?).build();
    /// # assert_eq!(tollgate_testkit::block_on(serve(&limiter)).unwrap(), "here you are");
    /// # assert_eq!(tollgate_testkit::block_on(serve(&limiter)).unwrap(), "too many requests");
    /// # Ok::<(), tollgate::LimitError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A denial is an answer; an error means that the store has none.
    pub async fn check_async(&self, key: &str, cost: Cost) -> Result<Decision, StoreError> {
        let changed = self.changed.get().map(ArcSwap::load_full);
        let revision = changed.as_deref().unwrap_or(&self.first);
        let verdict = self.store.charge(&revision.charges(key, cost)).await?;
        self.observer.decided(key, &verdict);
        Ok(*verdict.binding())
    }

    /// Peeks, refunds or resets.
    ///
    /// ```
    /// use tollgate::{Action, Cost, RateLimiter, Store, StoreError};
    ///
    /// async fn left<S: Store>(limiter: &RateLimiter<S>, key: &str) -> Result<u64, StoreError> {
    ///     let decision = limiter.inspect_async(Action::Peek, key, Cost::ZERO).await?;
    ///     Ok(decision.remaining())
    /// }
    /// # let limiter = RateLimiter::builder().limit("9/day".parse()?).build();
    /// # assert_eq!(tollgate_testkit::block_on(left(&limiter, "a")).unwrap(), 9);
    /// # Ok::<(), tollgate::LimitError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`RateLimiter::check_async`].
    pub async fn inspect_async(
        &self,
        action: Action,
        key: &str,
        cost: Cost,
    ) -> Result<Decision, StoreError> {
        let changed = self.changed.get().map(ArcSwap::load_full);
        let revision = changed.as_deref().unwrap_or(&self.first);
        let verdict = self.store.inspect(action, &revision.charges(key, cost)).await?;
        Ok(*verdict.binding())
    }
}

impl<C: Clock, O> RateLimiter<MemoryStore<C>, O> {
    /// The size of the store in memory, and what its bound has cost.
    ///
    /// ```
    /// use tollgate::RateLimiter;
    ///
    /// let limiter = RateLimiter::builder().limit("5/min".parse()?).build();
    /// assert!(limiter.is_allowed("a") && limiter.is_allowed("b"));
    /// let stats = limiter.stats();
    /// assert_eq!((stats.keys, stats.evicted_keys), (2, 0));
    /// # Ok::<(), tollgate::LimitError>(())
    /// ```
    pub fn stats(&self) -> Stats {
        self.store.stats()
    }
}

/// Requests that are put to the store together: enough to overlap their fetches, few enough for the
/// stack.
const TOGETHER: usize = 16;
