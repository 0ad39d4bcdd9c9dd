//! What was decided about a request.

use std::{sync::Arc, time::Duration};

use tollgate::{Decision, Reason, Ruling, Timestamp, Verdict};

/// What was decided about a request. Handlers find it in the extensions of the request.
///
/// ```
/// use axum::{Extension, Router, routing::get};
/// use tollgate_tower::{Outcome, TollgateLayer};
///
/// async fn search(Extension(outcome): Extension<Outcome>) -> String {
///     format!("{:?} left", outcome.remaining())
/// }
/// let app: Router =
///     Router::new().route("/search", get(search)).layer(TollgateLayer::embedded("100/min")?);
/// # Ok::<(), tollgate_tower::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Outcome {
    pub(crate) by: By,
}

/// Who decided, and what that one had to say.
#[derive(Clone, Debug)]
pub(crate) enum By {
    Limiter(Verdict),
    Gate(Arc<Ruling>),
    Server(Arc<Told>),
}

/// Who decided.
///
/// ```
/// use tollgate_tower::{DecidedBy, Outcome};
///
/// fn is_certain(outcome: &Outcome) -> bool {
///     matches!(outcome.decided_by(), DecidedBy::Embedded | DecidedBy::Server)
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DecidedBy {
    /// A limiter or a gate in this process.
    Embedded,
    /// The server, for this request.
    Server,
    /// The server, a moment ago: the same was denied then.
    CachedDenial,
    /// The client, since no server could be asked in time.
    Fallback,
    /// Nobody: the limits are bypassed by hand.
    Bypass,
}

/// What a server told, or whoever stands in for it.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) is_allowed: bool,
    pub(crate) decided_by: DecidedBy,
    pub(crate) reason: Reason,
    pub(crate) limit: Option<u64>,
    pub(crate) remaining: Option<u64>,
    pub(crate) reset_after: Option<Duration>,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) retry_after_s: Option<u64>,
    pub(crate) delay: Duration,
    pub(crate) rule: Option<Box<str>>,
    pub(crate) status: u16,
    pub(crate) message: Option<Box<str>>,
    pub(crate) decision_id: Option<Box<str>>,
    pub(crate) standings: Vec<ToldStanding>,
    pub(crate) at: Timestamp,
}

/// How one limit stands.
#[derive(Clone, Debug)]
pub(crate) struct ToldStanding {
    pub(crate) rule: Arc<str>,
    pub(crate) limit: u64,
    pub(crate) window: Duration,
    pub(crate) remaining: u64,
    pub(crate) reset_after: Duration,
}

impl Outcome {
    pub(crate) const fn of_limiter(verdict: Verdict) -> Self {
        let by = By::Limiter(verdict);
        Self { by }
    }

    pub(crate) fn of_gate(ruling: Ruling) -> Self {
        let by = By::Gate(Arc::new(ruling));
        Self { by }
    }

    #[allow(dead_code, reason = "for the feature `remote`")]
    pub(crate) fn of_server(told: Told) -> Self {
        let by = By::Server(Arc::new(told));
        Self { by }
    }

    /// Whether the request may pass. In shadow mode a handler can also see a no.
    pub fn is_allowed(&self) -> bool {
        match &self.by {
            By::Limiter(verdict) => verdict.is_allowed(),
            By::Gate(ruling) => ruling.is_allowed(),
            By::Server(told) => told.is_allowed,
        }
    }

    /// Who decided.
    pub fn decided_by(&self) -> DecidedBy {
        match &self.by {
            By::Limiter(_) | By::Gate(_) => DecidedBy::Embedded,
            By::Server(told) => told.decided_by,
        }
    }

    /// Why the request is allowed or denied.
    ///
    /// ```
    /// use tollgate::Reason;
    /// use tollgate_tower::Outcome;
    ///
    /// fn is_blocked(outcome: &Outcome) -> bool {
    ///     outcome.reason() == Reason::Blocked
    /// }
    /// ```
    pub fn reason(&self) -> Reason {
        match &self.by {
            By::Limiter(verdict) => verdict.reason(),
            By::Gate(ruling) => ruling.reason(),
            By::Server(told) => told.reason,
        }
    }

    /// The limit shown: 0 for a block, none if nothing matched.
    pub fn limit(&self) -> Option<u64> {
        match &self.by {
            By::Limiter(verdict) => Some(verdict.binding().limit()),
            By::Gate(ruling) => ruling.limit(),
            By::Server(told) => told.limit,
        }
    }

    /// Whether a limit counted the request, or a block denied it. False for every request of a layer means that no rule
    /// matches them, or that the rules that match count by other facts than the layer's key gives: [`header`](crate::header)
    /// says which fact a key is. False, too, for what an `allow` rule exempts.
    pub fn is_limited(&self) -> bool {
        self.limit().is_some() || !self.is_allowed()
    }

    /// What is left of it.
    pub fn remaining(&self) -> Option<u64> {
        match &self.by {
            By::Limiter(verdict) => Some(verdict.binding().remaining()),
            By::Gate(ruling) => ruling.remaining(),
            By::Server(told) => told.remaining,
        }
    }

    /// When it is whole again, or a block is over; on a denial never before the client is told to come back.
    pub fn reset_after(&self) -> Option<Duration> {
        let reset = match &self.by {
            By::Limiter(verdict) => Some(verdict.binding().reset_after()),
            By::Gate(ruling) => match ruling.binding() {
                Some(decision) => Some(decision.reset_after()),
                None if ruling.is_allowed() => None,
                None => ruling.retry_after(),
            },
            By::Server(told) => told.reset_after,
        };
        reset.map(|reset| reset.max(self.asked_wait()))
    }

    /// The least wait that the rule of a denial asks for. A server's reset includes it.
    fn asked_wait(&self) -> Duration {
        let By::Gate(ruling) = &self.by else {
            return Duration::ZERO;
        };
        let is_promised = !ruling.is_allowed() && ruling.retry_after().is_some();
        let rule = ruling.rule().filter(|_| is_promised);
        let asked_s = rule.and_then(|rule| rule.response.retry_after_s);
        asked_s.map_or(Duration::ZERO, |seconds| Duration::from_secs(seconds.into()))
    }

    /// How long a lone client has to wait, exactly; none if it may pass or waiting never helps.
    pub fn retry_after(&self) -> Option<Duration> {
        if self.is_allowed() {
            return None;
        }
        match &self.by {
            By::Limiter(verdict) => verdict.binding().retry_after(),
            By::Gate(ruling) => ruling.retry_after(),
            By::Server(told) => told.retry_after,
        }
    }

    /// The wait to show, in whole seconds: at least one, and at least what the rule asks for. None if the request may
    /// pass or waiting never helps.
    pub fn retry_after_s(&self) -> Option<u64> {
        let exact = self.retry_after()?;
        match &self.by {
            By::Limiter(_) => Some(seconds(exact).max(1)),
            By::Gate(ruling) => ruling.retry_after_s(),
            By::Server(told) => told.retry_after_s.or(Some(seconds(exact).max(1))),
        }
    }

    /// How long an admitted request waits before it goes on (leaky buckets). The layer has waited already.
    pub fn delay(&self) -> Duration {
        let longest = |decisions: &mut dyn Iterator<Item = &Decision>| {
            decisions.map(Decision::delay).max().unwrap_or_default()
        };
        match &self.by {
            By::Limiter(verdict) => match verdict.decisions() {
                [only] => only.delay(),
                several => longest(&mut several.iter()),
            },
            By::Gate(ruling) => longest(&mut ruling.decisions().map(|(_, decision)| decision)),
            By::Server(told) => told.delay,
        }
    }

    /// The rule that decided; a plain limiter has none.
    pub fn rule(&self) -> Option<&str> {
        match &self.by {
            By::Limiter(_) => None,
            By::Gate(ruling) => ruling.rule().map(|rule| rule.name.as_str()),
            By::Server(told) => told.rule.as_deref(),
        }
    }

    /// The status of the answer: 200, 429, 403 for a block, or what the rule asks for.
    pub fn status(&self) -> u16 {
        match &self.by {
            By::Limiter(verdict) if verdict.is_allowed() => 200,
            By::Limiter(_) => 429,
            By::Gate(ruling) => ruling.status(),
            By::Server(told) => told.status,
        }
    }

    /// What the rule has to say to whoever is denied.
    pub fn message(&self) -> Option<&str> {
        match &self.by {
            By::Limiter(_) => None,
            By::Gate(ruling) => {
                let rule = ruling.rule().filter(|_| !ruling.is_allowed())?;
                rule.response.message.as_deref()
            }
            By::Server(told) => told.message.as_deref(),
        }
    }

    /// The name of the server's decision.
    pub fn decision_id(&self) -> Option<&str> {
        match &self.by {
            By::Server(told) => told.decision_id.as_deref(),
            By::Limiter(_) | By::Gate(_) => None,
        }
    }

    /// The revision of the rules in this process.
    pub(crate) fn revision(&self) -> Option<u64> {
        match &self.by {
            By::Gate(ruling) => Some(ruling.revision()),
            By::Limiter(_) | By::Server(_) => None,
        }
    }

    /// When it was decided, by the time of day.
    pub(crate) fn at(&self) -> Timestamp {
        match &self.by {
            By::Limiter(verdict) => verdict.now().wall,
            By::Gate(ruling) => ruling.now().wall,
            By::Server(told) => told.at,
        }
    }
}

/// Whole seconds, rounded up.
pub(crate) fn seconds(exact: Duration) -> u64 {
    exact.as_secs().saturating_add(u64::from(exact.subsec_nanos() > 0))
}
