//! What can be embedded.

use std::sync::Arc;

use tollgate::{Clock, Gate, ImmediateStore, Limit, LimitSet, Observer, RateLimiter};

use super::Decide;
use crate::Error;

/// What decides in this process: limits, as text or as values, or a limiter or a gate that you share with the layer.
///
/// ```
/// use std::sync::Arc;
/// use tollgate::{Gate, RateLimiter};
/// use tollgate_tower::TollgateLayer;
///
/// let layer = TollgateLayer::embedded("10/s, 1000/h")?;
///
/// let limiter = Arc::new(RateLimiter::builder().limit("100/min".parse()?).build());
/// let layer = TollgateLayer::embedded(Arc::clone(&limiter))?;
/// limiter.reset("192.0.2.1"); // the layer counts in the same store
///
/// let gate = Gate::in_memory(&"version: 1\nrules: [{ name: all, key: [ip], limit: 5/s }]".parse()?);
/// let layer = TollgateLayer::embedded(Arc::new(gate))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Embed {
    /// Who decides.
    type Decider: Decide;

    /// Makes it so.
    ///
    /// # Errors
    ///
    /// [`Error::Limits`] for a text that is no limit.
    fn embed(self) -> Result<Self::Decider, Error>;
}

impl Embed for LimitSet {
    type Decider = Arc<RateLimiter>;

    fn embed(self) -> Result<Self::Decider, Error> {
        Ok(Arc::new(RateLimiter::builder().limits(self).build()))
    }
}

impl Embed for Limit {
    type Decider = Arc<RateLimiter>;

    fn embed(self) -> Result<Self::Decider, Error> {
        LimitSet::from(self).embed()
    }
}

impl Embed for &str {
    type Decider = Arc<RateLimiter>;

    fn embed(self) -> Result<Self::Decider, Error> {
        self.parse::<LimitSet>()?.embed()
    }
}

impl<S, O> Embed for Arc<RateLimiter<S, O>>
where
    S: ImmediateStore + 'static,
    O: Observer + 'static,
{
    type Decider = Self;

    fn embed(self) -> Result<Self, Error> {
        Ok(self)
    }
}

impl<S, C> Embed for Arc<Gate<S, C>>
where
    S: ImmediateStore + 'static,
    C: Clock + 'static,
{
    type Decider = Self;

    fn embed(self) -> Result<Self, Error> {
        Ok(self)
    }
}
