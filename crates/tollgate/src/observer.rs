//! Who is told of decisions.

use tollgate_core::Verdict;

/// Is told of every decision a limiter makes, on the thread that makes it: be quick.
///
/// Every check is a decision, one of cost zero included. Peeks, refunds and resets are not, nor is a
/// store that has no answer. A batch is told request by request, in order.
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
    /// Whether nobody is told, so that no verdict need be put together for those who only ask whether
    /// a request may pass.
    const IS_NOBODY: bool = false;

    /// A request for `key` was decided.
    fn decided(&self, key: &str, verdict: &Verdict);
}

/// Nobody is told.
impl Observer for () {
    const IS_NOBODY: bool = true;

    #[inline]
    fn decided(&self, _key: &str, _verdict: &Verdict) {}
}

impl<O: Observer> Observer for std::sync::Arc<O> {
    const IS_NOBODY: bool = O::IS_NOBODY;

    fn decided(&self, key: &str, verdict: &Verdict) {
        (**self).decided(key, verdict);
    }
}
