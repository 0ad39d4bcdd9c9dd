//! Who is told of decisions.

use tollgate_core::Verdict;

/// Is told of every decision a limiter makes, on the thread that makes it: be quick.
///
/// ```
/// use std::sync::{Arc, atomic::{AtomicU64, Ordering}};
/// use tollgate::{Observer, RateLimiter, Verdict};
///
/// #[derive(Default)]
/// struct Denials(AtomicU64);
///
/// impl Observer for Denials {
///     fn decided(&self, _key: &str, verdict: &Verdict) {
///         self.0.fetch_add(u64::from(!verdict.is_allowed()), Ordering::Relaxed);
///     }
/// }
///
/// let denials = Arc::new(Denials::default());
/// let limiter =
///     RateLimiter::builder().limit("1/h".parse()?).observer(Arc::clone(&denials)).build();
/// assert!(limiter.is_allowed("a"));
/// assert!(!limiter.is_allowed("a"));
/// assert_eq!(denials.0.load(Ordering::Relaxed), 1);
/// # Ok::<(), tollgate::LimitError>(())
/// ```
pub trait Observer: Send + Sync {
    /// A request for `key` was decided.
    fn decided(&self, key: &str, verdict: &Verdict);
}

/// Nobody is told.
impl Observer for () {
    #[inline]
    fn decided(&self, _key: &str, _verdict: &Verdict) {}
}

impl<O: Observer + ?Sized> Observer for std::sync::Arc<O> {
    fn decided(&self, key: &str, verdict: &Verdict) {
        (**self).decided(key, verdict);
    }
}
