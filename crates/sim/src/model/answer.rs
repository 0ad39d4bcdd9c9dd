//! What a model says.

use tollgate_core::{Band, Decision, Micros};

/// Allowed or denied, with every number a decision carries.
///
/// ```
/// use tollgate_core::{Clock, Cost, Limit, ManualClock};
/// use tollgate_sim::model::{Model, ModelAnswer};
///
/// let limit: Limit = "2/min".parse()?;
/// let now = ManualClock::start().now();
/// let (decision, _) = limit.step(limit.fresh(now), now, Cost::ONE);
/// assert_eq!(Model::new(&limit, now).ask(now, Cost::ONE), ModelAnswer::from(decision));
/// # Ok::<(), tollgate_core::LimitError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelAnswer {
    /// Whether the request may pass.
    pub allowed: bool,
    /// How much is left for the next request; zero where this one was denied.
    pub remaining: u64,
    /// Time until the aligned window ends or the bucket is full.
    pub reset_after: Micros,
    /// Time until the same request passes; `None` where waiting never helps.
    pub retry_after: Option<Micros>,
    /// How long an admitted request waits before it goes on.
    pub delay: Micros,
    /// How near to its limit the request came.
    pub band: Band,
}

impl From<Decision> for ModelAnswer {
    fn from(decision: Decision) -> Self {
        Self {
            allowed: decision.is_allowed(),
            remaining: decision.remaining(),
            reset_after: decision.reset_after().into(),
            retry_after: decision.retry_after().map(Micros::from),
            delay: decision.delay().into(),
            band: decision.band(),
        }
    }
}
