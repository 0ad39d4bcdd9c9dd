//! Putting a limiter together.

use tollgate_core::{Clock, Limit, LimitSet, RuleId, SystemClock};
use tollgate_memory::MemoryStore;

use crate::{Observer, RateLimiter, revision::Revision};

/// The state of a [`Builder`] that cannot build yet: a limiter needs at least one limit, and a program
/// that gives none does not compile.
///
/// ```compile_fail
/// let limiter = tollgate::RateLimiter::builder().build();
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct LimitsMissing;

/// A limiter in the making. Start with [`RateLimiter::builder`].
///
/// ```
/// use std::time::Duration;
/// use tollgate::{ManualClock, RateLimiter};
///
/// let clock = ManualClock::start();
/// let limiter = RateLimiter::builder()
///     .limits("2/s, 3/min".parse()?)
///     .clock(clock.clone())
///     .capacity(10_000)
///     .build();
/// assert!(limiter.is_allowed("a") && limiter.is_allowed("a") && !limiter.is_allowed("a"));
/// clock.advance(Duration::from_secs(2));
/// assert!(limiter.is_allowed("a") && !limiter.is_allowed("a"));
/// # Ok::<(), tollgate::LimitError>(())
/// ```
#[derive(Debug)]
pub struct Builder<L, S, O> {
    limits: L,
    store: S,
    observer: O,
    rule: RuleId,
}

/// The in-memory store in the making: what [`Builder::clock`],
/// [`Builder::capacity`] and [`Builder::overflow_bytes`] settle.
///
/// ```
/// use tollgate::{Builder, InMemory, LimitsMissing, RateLimiter, SystemClock};
///
/// let builder: Builder<LimitsMissing, InMemory<SystemClock>, ()> = RateLimiter::builder();
/// let limiter = builder.limit("5/s".parse()?).build();
/// assert!(limiter.is_allowed("a"));
/// # Ok::<(), tollgate::LimitError>(())
/// ```
#[derive(Clone, Debug)]
pub struct InMemory<C> {
    clock: C,
    capacity: usize,
    overflow_bytes: usize,
}

impl Builder<LimitsMissing, InMemory<SystemClock>, ()> {
    pub(crate) const fn new() -> Self {
        let store = InMemory {
            clock: SystemClock,
            capacity: MemoryStore::<SystemClock>::CAPACITY_DEFAULT,
            overflow_bytes: MemoryStore::<SystemClock>::OVERFLOW_BYTES_DEFAULT,
        };
        Self { limits: LimitsMissing, store, observer: (), rule: RuleId::new(0) }
    }
}

impl<S, O> Builder<LimitsMissing, S, O> {
    /// One limit on every key.
    ///
    /// ```
    /// use tollgate::{Limit, RateLimiter};
    ///
    /// let limit = "10/s".parse::<Limit>()?.with_burst(20)?;
    /// let limiter = RateLimiter::builder().limit(limit).build();
    /// let passed = (0..100).filter(|_| limiter.is_allowed("a")).count();
    /// assert!(passed >= 20);
    /// # Ok::<(), tollgate::LimitError>(())
    /// ```
    pub fn limit(self, limit: Limit) -> Builder<LimitSet, S, O> {
        self.limits(limit.into())
    }

    /// Several limits on every key: a request passes if all of them let it, and is charged on all or
    /// none.
    ///
    /// ```
    /// use tollgate::{Cost, RateLimiter};
    ///
    /// let limiter = RateLimiter::builder().limits("10/s, 12/day".parse()?).build();
    /// assert!(limiter.check("a", Cost::new(9)).is_allowed());
    /// assert!(!limiter.check("a", Cost::new(9)).is_allowed());
    /// # Ok::<(), tollgate::LimitError>(())
    /// ```
    pub fn limits(self, limits: LimitSet) -> Builder<LimitSet, S, O> {
        Builder { limits, store: self.store, observer: self.observer, rule: self.rule }
    }
}

impl<L, C, O> Builder<L, InMemory<C>, O> {
    /// A clock of your own, such as a [`ManualClock`](crate::ManualClock) in tests.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tollgate::{ManualClock, RateLimiter};
    ///
    /// let clock = ManualClock::start();
    /// let limiter = RateLimiter::builder().limit("1/day".parse()?).clock(clock.clone()).build();
    /// assert!(limiter.is_allowed("a") && !limiter.is_allowed("a"));
    /// clock.advance(Duration::from_secs(2 * 86_400));
    /// assert!(limiter.is_allowed("a"));
    /// # Ok::<(), tollgate::LimitError>(())
    /// ```
    pub fn clock<D: Clock>(self, clock: D) -> Builder<L, InMemory<D>, O> {
        let store = InMemory {
            clock,
            capacity: self.store.capacity,
            overflow_bytes: self.store.overflow_bytes,
        };
        Builder { limits: self.limits, store, observer: self.observer, rule: self.rule }
    }

    /// How many keys to have room for; 23 bytes each.
    ///
    /// ```
    /// use tollgate::RateLimiter;
    ///
    /// let limiter = RateLimiter::builder().limit("5/s".parse()?).capacity(50_000).build();
    /// assert!(limiter.stats().bytes_max <= 24 * 50_000 + 64);
    /// # Ok::<(), tollgate::LimitError>(())
    /// ```
    #[must_use]
    pub fn capacity(mut self, keys: usize) -> Self {
        self.store.capacity = keys;
        self
    }

    /// How many bytes may be taken to count keys that find no room; 16 MiB unless told otherwise. See
    /// [`MemoryStore::with_bounds`].
    ///
    /// ```
    /// use tollgate::RateLimiter;
    ///
    /// let limiter = RateLimiter::builder().limit("5/s".parse()?).overflow_bytes(1 << 20).build();
    /// assert_eq!(limiter.stats().overflow_bytes_max, 1 << 20);
    /// # Ok::<(), tollgate::LimitError>(())
    /// ```
    #[must_use]
    pub fn overflow_bytes(mut self, bytes: usize) -> Self {
        self.store.overflow_bytes = bytes;
        self
    }
}

impl<L, S, O> Builder<L, S, O> {
    /// A store of your own instead of the one in memory; its clock and its capacity are its own affair.
    ///
    /// ```
    /// use tollgate::{MemoryStore, RateLimiter, SystemClock};
    ///
    /// let store = MemoryStore::with_capacity(5_000, SystemClock);
    /// let limiter = RateLimiter::builder().limit("5/s".parse()?).store(store).build();
    /// assert!(limiter.is_allowed("a"));
    /// # Ok::<(), tollgate::LimitError>(())
    /// ```
    pub fn store<T>(self, store: T) -> Builder<L, OwnStore<T>, O> {
        Builder {
            limits: self.limits,
            store: OwnStore(store),
            observer: self.observer,
            rule: self.rule,
        }
    }

    /// Which counters of the store are this limiter's. Limiters that share a store count together if they
    /// have the same id, which they have unless told otherwise.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tollgate::{MemoryStore, RateLimiter, RuleId, SystemClock};
    ///
    /// let store = Arc::new(MemoryStore::new(SystemClock));
    /// let limiter = |rule| {
    ///     let builder = RateLimiter::builder().limit("1/h".parse()?).store(Arc::clone(&store));
    ///     Ok::<_, tollgate::LimitError>(builder.rule(RuleId::new(rule)).build())
    /// };
    /// let (login, search) = (limiter(1)?, limiter(2)?);
    /// assert!(login.is_allowed("alice") && search.is_allowed("alice"));
    /// assert!(!login.is_allowed("alice") && !search.is_allowed("alice"));
    /// # Ok::<(), tollgate::LimitError>(())
    /// ```
    #[must_use]
    pub fn rule(mut self, rule: RuleId) -> Self {
        self.rule = rule;
        self
    }

    /// Somebody to tell of every decision; see [`Observer`].
    ///
    /// ```
    /// use tollgate::{Observer, RateLimiter, Verdict};
    ///
    /// struct Print;
    /// impl Observer for Print {
    ///     fn decided(&self, _key: &str, verdict: &Verdict) {
    ///         println!("{:?}", verdict.binding());
    ///     }
    /// }
    /// let limiter = RateLimiter::builder().limit("5/s".parse()?).observer(Print).build();
    /// assert!(limiter.is_allowed("a"));
    /// # Ok::<(), tollgate::LimitError>(())
    /// ```
    pub fn observer<P: Observer>(self, observer: P) -> Builder<L, S, P> {
        Builder { limits: self.limits, store: self.store, observer, rule: self.rule }
    }
}

/// A store that was brought along with [`Builder::store`].
///
/// ```
/// use tollgate::{Builder, LimitsMissing, MemoryStore, OwnStore, RateLimiter, SystemClock};
///
/// let store = MemoryStore::new(SystemClock);
/// let builder: Builder<LimitsMissing, OwnStore<MemoryStore<SystemClock>>, ()> =
///     RateLimiter::builder().store(store);
/// assert!(builder.limit("5/s".parse()?).build().is_allowed("a"));
/// # Ok::<(), tollgate::LimitError>(())
/// ```
#[derive(Debug)]
pub struct OwnStore<S>(S);

impl<C: Clock, O: Observer> Builder<LimitSet, InMemory<C>, O> {
    /// The limiter, with counters in memory.
    ///
    /// ```
    /// use tollgate::RateLimiter;
    ///
    /// let limiter = RateLimiter::builder().limit("5/s".parse()?).build();
    /// assert!(limiter.is_allowed("a"));
    /// # Ok::<(), tollgate::LimitError>(())
    /// ```
    pub fn build(self) -> RateLimiter<MemoryStore<C>, O> {
        let InMemory { clock, capacity, overflow_bytes } = self.store;
        let store = MemoryStore::with_bounds(capacity, overflow_bytes, clock);
        RateLimiter::assemble(Revision::first(&self.limits, self.rule), store, self.observer)
    }
}

impl<S, O: Observer> Builder<LimitSet, OwnStore<S>, O> {
    /// The limiter, with counters in the store that was brought along.
    ///
    /// ```
    /// use tollgate::{ManualClock, MemoryStore, RateLimiter};
    ///
    /// let store = MemoryStore::new(ManualClock::start());
    /// let limiter = RateLimiter::builder().limit("5/s".parse()?).store(store).build();
    /// assert!(limiter.is_allowed("a"));
    /// # Ok::<(), tollgate::LimitError>(())
    /// ```
    pub fn build(self) -> RateLimiter<S, O> {
        RateLimiter::assemble(Revision::first(&self.limits, self.rule), self.store.0, self.observer)
    }
}
