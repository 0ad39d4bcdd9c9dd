//! How the client fares.

use crate::BreakerState;

/// How the client fares: what was answered by whom, and how each server is treated.
///
/// ```
/// use tollgate_client::Client;
///
/// let status = Client::new("http://127.0.0.1:7070")?.status();
/// assert_eq!((status.servers.len(), status.checked_percent), (1, 100));
/// assert!(status.to_openmetrics().contains("tollgate_client_answers_total{source=\"server\",outcome=\"denied\"} 0"));
/// # Ok::<(), tollgate_client::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// Every server, in the order in which they were given.
    pub servers: Vec<ServerStatus>,
    /// Answered by a server.
    pub by_server: Outcomes,
    /// Denied without asking, since the same was denied a moment ago.
    pub cached_denials: u64,
    /// Answered here, since no server could be asked in time.
    pub by_fallback: Outcomes,
    /// Of those, how many met no limit that is known here.
    pub unknown: u64,
    /// Let pass, since limits are bypassed by hand.
    pub bypassed: u64,
    /// Questions that were wrong, or whose credentials were.
    pub refused: u64,
    /// Answered by the fallback, since the server does not believe this caller: give it a token.
    pub untrusted: u64,
    /// How many of a hundred calls are checked: fewer than all while limits are bypassed, or return.
    pub checked_percent: u8,
    /// How many callers share the limits, as far as the servers said.
    pub callers: u32,
    /// Denials that are remembered.
    pub denials_kept: usize,
    /// Of how many questions, and shapes of them, the limits are known here.
    pub limits_kept: usize,
}

/// How many were allowed and denied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcomes {
    /// How many may pass.
    pub allowed: u64,
    /// How many may not.
    pub denied: u64,
}

/// How one server fares.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerStatus {
    /// Where it is.
    pub address: String,
    /// Whether it is asked.
    pub breaker: BreakerState,
    /// How often its breaker opened.
    pub opened: u64,
    /// How often it was asked.
    pub calls: u64,
    /// How many of these failed, or came too late.
    pub failures: u64,
    /// How many are under way.
    pub in_flight: u32,
    /// How many connections there are.
    pub connections: u32,
    /// How many callers it sees; 0 as long as it has not said so.
    pub callers: u32,
}
