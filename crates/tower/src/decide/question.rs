//! What is asked, and what is answered.

use std::future::Future;

use tollgate::Limit;

use super::sealed::Sealed;
use crate::{Facts, Outcome, RequestHead};

/// What is asked about one request.
#[derive(Clone, Copy, Debug)]
pub struct Question<'q, 'r> {
    pub(crate) head: &'q RequestHead<'r>,
    pub(crate) facts: &'q Facts<'r>,
    /// What it weighs, if anybody said.
    pub(crate) cost: Option<u64>,
}

/// What came of a question.
#[derive(Debug)]
#[non_exhaustive]
pub enum Decided {
    /// A yes or a no.
    Outcome(Outcome),
    /// The facts are such that no rule can be asked: why.
    Malformed(String),
    /// The credentials are refused: why.
    Refused(String),
    /// Nobody could decide.
    Unanswered,
    /// The request has no key, and without one it is denied.
    Keyless,
    /// The request is not one that is limited.
    Free,
}

/// An answer, or the wait for one.
#[derive(Debug)]
pub enum Step<A> {
    /// Decided on the spot.
    Now(Decided),
    /// Somebody has to be asked.
    Later(A),
}

/// Who decides. [`TollgateLayer::embedded`](crate::TollgateLayer::embedded) and
/// [`TollgateLayer::remote`](crate::TollgateLayer::remote) make those that there are.
///
/// ```
/// use std::sync::Arc;
/// use tollgate::RateLimiter;
/// use tollgate_tower::{Decide, TollgateLayer};
///
/// fn is_known<D: Decide, K>(_layer: &TollgateLayer<D, K>) {}
/// is_known::<Arc<RateLimiter>, _>(&TollgateLayer::embedded("100/min")?);
/// # Ok::<(), tollgate_tower::Error>(())
/// ```
pub trait Decide: Sealed + Clone + Send + Sync + 'static {
    /// The wait for an answer.
    type Asking: Future<Output = Decided> + Send;

    /// Decides, on the spot if that is possible.
    fn decide(&self, question: &Question<'_, '_>) -> Step<Self::Asking>;

    /// The limits of a plain limiter, in the order of its decisions.
    #[doc(hidden)]
    fn limits(&self) -> Vec<Limit> {
        Vec::new()
    }
}
