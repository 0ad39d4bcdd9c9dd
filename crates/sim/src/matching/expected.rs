//! What should become of a request, in words.

use std::fmt;

use tollgate_core::{Limit, Timestamp};

/// What should become of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// It is denied, whatever the counters say.
    Stopped(Reason),
    /// It is held against these limits, in this order.
    Charged {
        /// The limits.
        charges: Vec<Expectation>,
        /// Whether any rule applied, even if it charges nothing.
        has_matched: bool,
    },
}

/// Why a request is denied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The caller is blocked, until then if there is an end.
    Caller(Option<Timestamp>),
    /// The rule of this name blocks it.
    Rule(String),
    /// A rule denies because a fact is missing.
    Missing {
        /// The rule's name.
        rule: String,
        /// The first part of its key that nothing fills.
        field: String,
    },
}

/// One limit that a request should be held against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// The rule's name.
    pub rule: String,
    /// The counter.
    pub key: ReadableKey,
    /// The limit, as [`limit_text`] says it.
    pub limit: String,
    /// Whether an override put the limit there.
    pub is_overridden: bool,
    /// What the request weighs.
    pub cost: u64,
}

/// A counter of a rule by the facts that name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReadableKey {
    /// The one counter of all requests that lack a fact.
    Shared,
    /// The counter of these facts; none at all is the counter of everyone.
    Facts(Vec<(String, String)>),
}

/// Everything that tells one limit from another.
///
/// ```
/// let limit = "5/s".parse()?;
/// assert_eq!(tollgate_sim::matching::limit_text(&limit), "5/s sliding_window warn 80% hard 100%");
/// # Ok::<(), tollgate_core::LimitError>(())
/// ```
pub fn limit_text(limit: &Limit) -> String {
    let burst = match limit.burst() {
        Some(burst) => format!(" burst {burst}"),
        None => String::new(),
    };
    let (algorithm, bands) = (limit.algorithm(), limit.bands());
    let (warn, hard) = (bands.warn_at(), bands.hard_at());
    format!("{limit} {algorithm}{burst} warn {warn}% hard {hard}%")
}

impl fmt::Display for ReadableKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shared => f.write_str("whatever is missing"),
            Self::Facts(facts) if facts.is_empty() => f.write_str("nothing"),
            Self::Facts(facts) => {
                let facts: Vec<String> =
                    facts.iter().map(|(field, value)| format!("{field}={value}")).collect();
                f.write_str(&facts.join(", "))
            }
        }
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rule, key, limit, cost) = (&self.rule, &self.key, &self.limit, self.cost);
        let whose = if self.is_overridden { "override " } else { "" };
        write!(f, "{rule} by {key}: {whose}{limit}, cost {cost}")
    }
}
