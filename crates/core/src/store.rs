//! Where counters live.

use std::{error::Error, future::Future, sync::Arc, time::Duration};

use futures_util::future::join_all;

use crate::{Charge, Verdict};

/// Keeps counters and applies charges to them.
///
/// A store that can answer at once implements [`ImmediateStore`] instead and gets this for free.
///
/// ```
/// use tollgate_core::{Action, Charge, Store, StoreError, Verdict};
///
/// /// A store across a network that is down.
/// struct Unplugged;
///
/// impl Store for Unplugged {
///     async fn charge(&self, _: &[Charge<'_>]) -> Result<Verdict, StoreError> {
///         Err(StoreError::Timeout(std::time::Duration::from_millis(5)))
///     }
///     async fn inspect(&self, _: Action, charges: &[Charge<'_>]) -> Result<Verdict, StoreError> {
///         self.charge(charges).await
///     }
/// }
/// ```
pub trait Store: Send + Sync {
    /// Applies every charge, or none if any is denied. Atomic: no other request sees a part of it.
    /// Charges on one counter must fit together; the limit of the first of them decides.
    ///
    /// # Errors
    ///
    /// A denial is an answer; an error means that there is none.
    fn charge(
        &self,
        charges: &[Charge<'_>],
    ) -> impl Future<Output = Result<Verdict, StoreError>> + Send;

    /// The side door for peeking, refunding and resetting.
    ///
    /// # Errors
    ///
    /// As for [`Store::charge`].
    fn inspect(
        &self,
        action: Action,
        charges: &[Charge<'_>],
    ) -> impl Future<Output = Result<Verdict, StoreError>> + Send;

    /// Decides several requests, each on its own and in order, and appends what came of each. They are put to the store at
    /// once; the caller bounds their number.
    fn charge_batch(
        &self,
        requests: &[&[Charge<'_>]],
        verdicts: &mut Vec<Result<Verdict, StoreError>>,
    ) -> impl Future<Output = ()> + Send {
        async move {
            let all = requests.iter().map(|charges| self.charge(charges));
            verdicts.extend(join_all(all).await);
        }
    }
}

/// What the side door of a store can do to the counters of some charges.
///
/// ```
/// use tollgate_core::Action;
///
/// let changes = [Action::Peek, Action::Refund, Action::Reset].map(|action| action != Action::Peek);
/// assert_eq!(changes, [false, true, true]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Action {
    /// Says what charging would answer, and changes nothing.
    Peek,
    /// Gives the cost back, never beyond fresh, and says what is left. An ended window is credited
    /// nothing.
    Refund,
    /// Makes the counters fresh, and says what is left.
    Reset,
}

/// A store that answers without waiting for anything: no runtime, no errors.
///
/// ```
/// use std::{collections::HashMap, sync::Mutex};
/// use tollgate_core::{Action, Charge, Clock, Cost, ImmediateStore, State, SystemClock, Verdict};
///
/// /// The shortest store that is correct for one limit a request.
/// #[derive(Default)]
/// struct Tiny(Mutex<HashMap<Vec<u8>, State>>);
///
/// impl ImmediateStore for Tiny {
///     fn charge_now(&self, charges: &[Charge<'_>]) -> Verdict {
///         let (now, charge) = (SystemClock.now(), charges[0]);
///         let mut counters = self.0.lock().unwrap();
///         let state = counters.remove(charge.key.values());
///         let state = state.unwrap_or_else(|| charge.limit.fresh(now));
///         let (decision, next) = charge.limit.step(state, now, charge.cost);
///         counters.insert(charge.key.values().to_vec(), next);
///         Verdict::single(decision, now)
///     }
///     fn inspect_now(&self, action: Action, charges: &[Charge<'_>]) -> Verdict {
///         if action == Action::Reset {
///             self.0.lock().unwrap().remove(charges[0].key.values());
///         }
///         self.charge_now(&[charges[0].with_cost(Cost::ZERO)])
///     }
/// }
/// ```
pub trait ImmediateStore: Send + Sync {
    /// Applies every charge, or none if any is denied. Atomic: no other request sees a part of it.
    fn charge_now(&self, charges: &[Charge<'_>]) -> Verdict;

    /// As [`ImmediateStore::charge_now`], for those who only ask whether the request may pass: a store
    /// need not work out the other numbers.
    fn allows_now(&self, charges: &[Charge<'_>]) -> bool {
        self.charge_now(charges).is_allowed()
    }

    /// The side door for peeking, refunding and resetting.
    fn inspect_now(&self, action: Action, charges: &[Charge<'_>]) -> Verdict;

    /// Decides several requests, each on its own and in order, and appends their verdicts.
    fn charge_batch_now(&self, requests: &[&[Charge<'_>]], verdicts: &mut Vec<Verdict>) {
        verdicts.extend(requests.iter().map(|charges| self.charge_now(charges)));
    }
}

/// A store that several limiters share.
impl<S: ImmediateStore + ?Sized> ImmediateStore for Arc<S> {
    #[inline]
    fn charge_now(&self, charges: &[Charge<'_>]) -> Verdict {
        (**self).charge_now(charges)
    }

    #[inline]
    fn allows_now(&self, charges: &[Charge<'_>]) -> bool {
        (**self).allows_now(charges)
    }

    fn inspect_now(&self, action: Action, charges: &[Charge<'_>]) -> Verdict {
        (**self).inspect_now(action, charges)
    }

    fn charge_batch_now(&self, requests: &[&[Charge<'_>]], verdicts: &mut Vec<Verdict>) {
        (**self).charge_batch_now(requests, verdicts);
    }
}

impl<S: ImmediateStore> Store for S {
    async fn charge(&self, charges: &[Charge<'_>]) -> Result<Verdict, StoreError> {
        Ok(self.charge_now(charges))
    }

    async fn inspect(&self, action: Action, charges: &[Charge<'_>]) -> Result<Verdict, StoreError> {
        Ok(self.inspect_now(action, charges))
    }

    async fn charge_batch(
        &self,
        requests: &[&[Charge<'_>]],
        verdicts: &mut Vec<Result<Verdict, StoreError>>,
    ) {
        let mut decided = Vec::with_capacity(requests.len());
        self.charge_batch_now(requests, &mut decided);
        verdicts.extend(decided.into_iter().map(Ok));
    }
}

/// Why a store has no answer.
///
/// ```
/// use std::time::Duration;
/// use tollgate_core::StoreError;
///
/// let error = StoreError::Timeout(Duration::from_millis(5));
/// assert!(error.is_transient());
/// assert_eq!(error.to_string(), "store did not answer within 5ms");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The store is slow or hung; the charge may or may not have happened.
    #[error("store did not answer within {0:?}")]
    Timeout(Duration),
    /// The store cannot be reached; nothing was charged.
    #[error("store is unreachable")]
    Unreachable(#[source] Box<dyn Error + Send + Sync>),
    /// Something in the store is not ours.
    #[error("stored state is not readable: {0}")]
    Corrupt(&'static str),
}

impl StoreError {
    /// Whether the same call may succeed later without anybody acting.
    pub const fn is_transient(&self) -> bool {
        !matches!(self, Self::Corrupt(_))
    }
}
