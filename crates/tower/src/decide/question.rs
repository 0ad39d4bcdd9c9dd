//! What is asked, and what is answered.

use std::{
    future::{Future, Ready},
    sync::Arc,
};

use tollgate::{
    Clock, Cost, Gate, ImmediateStore, Limit, LimitSet, Observer, RateLimiter,
    rules::{Query, QueryError},
};

use crate::{
    Error, Facts, Outcome, RequestHead, Role,
    key::{IpText, Value, with_key},
};

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

/// One of those who may.
#[expect(unnameable_types, reason = "that is what keeps others from deciding")]
pub trait Sealed {}

impl<S, O> Sealed for Arc<RateLimiter<S, O>> {}

impl<S, O> Decide for Arc<RateLimiter<S, O>>
where
    S: ImmediateStore + 'static,
    O: Observer + 'static,
{
    type Asking = Ready<Decided>;

    #[inline]
    fn decide(&self, question: &Question<'_, '_>) -> Step<Self::Asking> {
        let cost = question.cost.map_or(Cost::ONE, Cost::new);
        let verdict = with_key(question.facts, |key| self.verdict(key, cost));
        Step::Now(Decided::Outcome(Outcome::of_limiter(verdict)))
    }

    fn limits(&self) -> Vec<Limit> {
        RateLimiter::limits(self)
    }
}

impl<S, C> Sealed for Arc<Gate<S, C>> {}

impl<S, C> Decide for Arc<Gate<S, C>>
where
    S: ImmediateStore + 'static,
    C: Clock + 'static,
{
    type Asking = Ready<Decided>;

    fn decide(&self, question: &Question<'_, '_>) -> Step<Self::Asking> {
        // Queries borrow their texts.
        let ip = question.facts.iter().find_map(|fact| match fact.value {
            Some(Value::Ip(ip)) => Some(IpText::whole(ip)),
            _ => None,
        });
        let ip = ip.as_ref().map_or("", IpText::as_str);
        let query = match query(question, ip) {
            Ok(query) => query,
            Err(error) => return Step::Now(Decided::Malformed(error.to_string())),
        };
        Step::Now(match self.check(&query) {
            Ok(ruling) => Decided::Outcome(Outcome::of_gate(ruling)),
            Err(_) => Decided::Unanswered,
        })
    }
}

fn query<'q>(question: &Question<'q, '_>, ip: &'q str) -> Result<Query<'q>, QueryError> {
    let mut query = Query::new();
    query.set_endpoint(question.head.endpoint().unwrap_or_default())?;
    query.set_method(question.head.method.as_str())?;
    for fact in question.facts.iter() {
        let text = match &fact.value {
            None => continue,
            Some(Value::Text(text)) => text.as_ref(),
            Some(Value::Ip(_)) => ip,
        };
        match fact.role {
            Role::User => query.set_user(text)?,
            Role::Org => query.set_org(text)?,
            Role::ApiKey => query.set_api_key(text)?,
            Role::Ip => query.set_ip(text)?,
            Role::Tier => query.set_tier(text)?,
            Role::Region => query.set_region(text)?,
            Role::Attribute(name) => query.add_attribute(name, text)?,
            Role::Token => {}
        }
    }
    if let Some(cost) = question.cost {
        query.set_cost(Cost::new(cost));
    }
    Ok(query)
}

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
