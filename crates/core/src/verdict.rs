//! The outcome of all charges of one request.

use smallvec::SmallVec;

use crate::{Decision, Now, OnFailure, Reason, math::mul};

/// What a request got from all the limits it met: every decision, and the one that binds.
///
/// ```
/// use tollgate_core::{Clock, Cost, Limit, ManualClock, Verdict};
///
/// let now = ManualClock::start().now();
/// let (per_second, per_hour): (Limit, Limit) = ("5/s".parse()?, "100/h".parse()?);
/// let decisions = [&per_second, &per_hour].map(|limit| limit.step(limit.fresh(now), now, Cost::ONE).0);
/// let verdict = Verdict::of(decisions, now);
/// assert!(verdict.is_allowed());
/// assert_eq!(verdict.binding().limit(), 5); // 4 of 5 left is a smaller share than 99 of 100
/// # Ok::<(), tollgate_core::LimitError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    decisions: SmallVec<[Decision; 1]>,
    binding: Option<usize>,
    now: Now,
    fallback: Option<OnFailure>,
    cause: FallbackCause,
}

/// Why a failure policy decided instead of the counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FallbackCause {
    /// They could not be asked, did not answer in time, or are too full to tell keys apart.
    #[default]
    Unanswered,
    /// They were asked: some may have been lost, and it is in doubt what is left of them.
    Doubt,
}

impl Verdict {
    /// The verdict of these decisions, in the order of their charges. Denied if any of them is.
    pub fn of(decisions: impl IntoIterator<Item = Decision>, now: Now) -> Self {
        let decisions: SmallVec<[Decision; 1]> = decisions.into_iter().collect();
        let binding = binding(&decisions);
        Self { decisions, binding, now, fallback: None, cause: FallbackCause::Unanswered }
    }

    /// The verdict of a single charge.
    #[inline]
    pub fn single(decision: Decision, now: Now) -> Self {
        Self {
            decisions: SmallVec::from_buf([decision]),
            binding: Some(0),
            now,
            fallback: None,
            cause: FallbackCause::Unanswered,
        }
    }

    /// Whether the request may pass. A request that met no limit may.
    #[inline]
    pub fn is_allowed(&self) -> bool {
        self.decisions.iter().all(Decision::is_allowed)
    }

    /// The decision to show: of the failing ones that with the longest wait; if all passed, that
    /// with the smallest share left; ties go to the first.
    ///
    /// # Panics
    ///
    /// If there was no charge; see [`Verdict::binding_index`].
    #[expect(clippy::expect_used, reason = "documented; a limiter always has a limit")]
    pub fn binding(&self) -> &Decision {
        let index = self.binding.expect("a verdict on at least one charge");
        self.decisions.get(index).expect("the binding decision is one of the decisions")
    }

    /// Which of [`Verdict::decisions`] binds, if there was any charge.
    pub const fn binding_index(&self) -> Option<usize> {
        self.binding
    }

    /// One decision per charge, in order. If any was denied, none was charged.
    pub fn decisions(&self) -> &[Decision] {
        &self.decisions
    }

    /// The same verdict, decided by a failure policy because the counters could not be asked.
    #[must_use]
    pub fn by_policy(self, policy: OnFailure) -> Self {
        Self { fallback: Some(policy), ..self }
    }

    /// The verdict of some of the charges, decided in the same way as that of all.
    #[must_use]
    pub fn decided_as(self, all: &Self) -> Self {
        Self { fallback: all.fallback, cause: all.cause, ..self }
    }

    /// Why the request is allowed or denied.
    ///
    /// ```
    /// use tollgate_core::{Clock, FallbackCause, ManualClock, OnFailure, Reason, Verdict};
    ///
    /// let verdict = Verdict::of([], ManualClock::start().now());
    /// assert_eq!(verdict.reason(), Reason::Allowed);
    /// let verdict = verdict.by_policy(OnFailure::Closed);
    /// assert_eq!(verdict.reason(), Reason::Fallback);
    /// assert_eq!(verdict.because(FallbackCause::Doubt).reason(), Reason::Doubt);
    /// ```
    pub fn reason(&self) -> Reason {
        match self.fallback_cause() {
            Some(FallbackCause::Unanswered) => Reason::Fallback,
            Some(FallbackCause::Doubt) => Reason::Doubt,
            None if self.is_allowed() => Reason::Allowed,
            None => Reason::Throttled,
        }
    }

    /// The failure policy that decided, if the counters could not be asked.
    ///
    /// ```
    /// use tollgate_core::{Clock, ManualClock, OnFailure, Verdict};
    ///
    /// let verdict = Verdict::of([], ManualClock::start().now());
    /// assert_eq!(verdict.fallback(), None);
    /// assert_eq!(verdict.by_policy(OnFailure::Open).fallback(), Some(OnFailure::Open));
    /// ```
    pub const fn fallback(&self) -> Option<OnFailure> {
        self.fallback
    }

    /// The same verdict, decided by a failure policy because of this.
    #[must_use]
    pub fn because(self, cause: FallbackCause) -> Self {
        Self { cause, ..self }
    }

    /// Why a failure policy decided, if one did.
    ///
    /// ```
    /// use tollgate_core::{Clock, FallbackCause, ManualClock, OnFailure, Verdict};
    ///
    /// let verdict = Verdict::of([], ManualClock::start().now());
    /// assert_eq!(verdict.fallback_cause(), None);
    /// let verdict = verdict.by_policy(OnFailure::Closed).because(FallbackCause::Doubt);
    /// assert_eq!(verdict.fallback_cause(), Some(FallbackCause::Doubt));
    /// ```
    pub const fn fallback_cause(&self) -> Option<FallbackCause> {
        match self.fallback {
            Some(_) => Some(self.cause),
            None => None,
        }
    }

    /// The moment of the decision.
    pub const fn now(&self) -> Now {
        self.now
    }
}

/// Section 12.5. Waiting in vain counts as the longest wait.
fn binding(decisions: &[Decision]) -> Option<usize> {
    let denied = decisions.iter().enumerate().filter(|(_, decision)| !decision.is_allowed());
    let longest = denied.reduce(
        |best, next| {
            if next.1.retry_after > best.1.retry_after { next } else { best }
        },
    );
    let smallest = || {
        decisions.iter().enumerate().reduce(|best, next| {
            let (left, right) =
                (mul(next.1.remaining, best.1.limit), mul(best.1.remaining, next.1.limit));
            if left < right { next } else { best }
        })
    };
    longest.or_else(smallest).map(|(index, _)| index)
}
