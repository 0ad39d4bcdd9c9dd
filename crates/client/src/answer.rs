//! What is answered.

use std::{sync::Arc, time::Duration};

use tollgate_core::Reason;

use crate::Fallback;

/// Who decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// The server, for this call.
    Server,
    /// The server, for the same question less than a second ago: it was denied then.
    CachedDenial,
    /// This client, since the server could not be asked in time.
    Fallback(Fallback),
    /// Nobody: the limits are bypassed by hand.
    Bypass,
}

/// May the request pass? And the numbers to show.
///
/// ```
/// use tollgate_client::{Answer, Source};
///
/// let answer = Answer::allowed(Source::Bypass);
/// assert!(answer.is_allowed() && answer.limit().is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub(crate) is_allowed: bool,
    pub(crate) source: Source,
    pub(crate) reason: Reason,
    pub(crate) limit: Option<u64>,
    pub(crate) remaining: Option<u64>,
    pub(crate) reset_after: Option<Duration>,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) retry_after_s: Option<u64>,
    pub(crate) delay: Duration,
    pub(crate) rule: Option<Arc<str>>,
    pub(crate) status: u16,
    pub(crate) message: Option<Box<str>>,
    pub(crate) decision_id: Option<Box<str>>,
    pub(crate) limits: Arc<[Standing]>,
}

/// One limit that was met.
///
/// ```
/// use std::time::Duration;
/// use tollgate_client::Standing;
///
/// let standing = Standing::new("search", 100, Duration::from_secs(60));
/// assert_eq!((&*standing.rule, standing.remaining), ("search", 100));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Standing {
    /// Whose it is.
    pub rule: Arc<str>,
    /// What it holds.
    pub limit: u64,
    /// The length of its window.
    pub window: Duration,
    /// What is left.
    pub remaining: u64,
    /// When it is whole again.
    pub reset_after: Duration,
}

impl Standing {
    /// A limit of which all is left.
    pub fn new(rule: impl Into<Arc<str>>, limit: u64, window: Duration) -> Self {
        Self { rule: rule.into(), limit, window, remaining: limit, reset_after: Duration::ZERO }
    }
}

impl Answer {
    /// It may pass, and nothing is known about limits.
    pub fn allowed(source: Source) -> Self {
        Self {
            is_allowed: true,
            source,
            reason: match source {
                Source::Fallback(_) => Reason::Fallback,
                Source::Server | Source::CachedDenial | Source::Bypass => Reason::Allowed,
            },
            limit: None,
            remaining: None,
            reset_after: None,
            retry_after: None,
            retry_after_s: None,
            delay: Duration::ZERO,
            rule: None,
            status: 200,
            message: None,
            decision_id: None,
            limits: Arc::default(),
        }
    }

    /// Whether the request may pass.
    pub const fn is_allowed(&self) -> bool {
        self.is_allowed
    }

    /// Who decided.
    pub const fn source(&self) -> Source {
        self.source
    }

    /// Why the request is allowed or denied. Over RESP, and from a server that does not say, as far as the numbers tell.
    pub const fn reason(&self) -> Reason {
        self.reason
    }

    /// The limit shown; none if nothing matched or nothing is known.
    pub const fn limit(&self) -> Option<u64> {
        self.limit
    }

    /// What is left of it.
    pub const fn remaining(&self) -> Option<u64> {
        self.remaining
    }

    /// When it is whole again.
    pub const fn reset_after(&self) -> Option<Duration> {
        self.reset_after
    }

    /// How long a lone client has to wait, to the millisecond; none if it may pass or waiting never helps.
    pub const fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// The wait to show a client, in whole seconds: with what the rule asks for, penalties and jitter.
    pub const fn retry_after_s(&self) -> Option<u64> {
        self.retry_after_s
    }

    /// How long an admitted request has to wait before it goes on (leaky buckets).
    pub const fn delay(&self) -> Duration {
        self.delay
    }

    /// The rule that decided.
    pub fn rule(&self) -> Option<&str> {
        self.rule.as_deref()
    }

    /// The HTTP status of the answer: 200, 429, 403 for a block, or what the rule asks for.
    pub const fn status(&self) -> u16 {
        self.status
    }

    /// What the rule has to say to whoever is denied.
    pub fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// The name of the server's decision.
    pub fn decision_id(&self) -> Option<&str> {
        self.decision_id.as_deref()
    }

    /// Every limit that was met.
    pub fn limits(&self) -> &[Standing] {
        &self.limits
    }
}
