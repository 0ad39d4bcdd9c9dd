//! Whether a server is reached, as the answers tell it.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

use tollgate_client::{BreakerState, Client, Source};
use tollgate_core::{Clock as _, Micros, SystemClock, Timestamp};

/// So many answers in a row without a server are more than a call that came late.
const MISSED_MAX: u32 = 5;
/// A server that comes and goes is said to be lost this often at most.
const QUIET: Micros = Micros::from_secs(10);

/// Logs once when no server answers any more, and once when one answers again: the host goes on either way, so nothing
/// else would say it.
#[derive(Debug, Default)]
pub(super) struct Reach {
    is_lost: AtomicBool,
    /// Answers in a row that no server gave.
    missed: AtomicU32,
    /// When no server was last said to answer, in microseconds; 0 for never.
    lost_us: AtomicU64,
}

impl Reach {
    /// An answer came from here.
    pub(super) fn heard(&self, source: Source, client: &Client) {
        match source {
            Source::Server if self.found() => {
                let servers = addresses(client);
                tracing::info!(servers, "A Tollgate server answers again, and decides.");
            }
            Source::Fallback(_) if self.missed() => self.look(client),
            _ => {}
        }
    }

    /// A server answered: whether that is news.
    fn found(&self) -> bool {
        // Read first: these are written rarely, and every request comes by.
        if self.missed.load(Relaxed) != 0 {
            self.missed.store(0, Relaxed);
        }
        self.is_lost.load(Relaxed) && self.is_lost.swap(false, Relaxed)
    }

    /// No server answered: whether it is time to look why.
    fn missed(&self) -> bool {
        if self.is_lost.load(Relaxed) {
            return false;
        }
        let missed = self.missed.fetch_add(1, Relaxed).saturating_add(1);
        let is_time = missed >= MISSED_MAX;
        if is_time {
            self.missed.store(0, Relaxed);
        }
        is_time
    }

    /// Whether it is news at `now` that no server answers.
    fn lost(&self, now: Timestamp) -> bool {
        let last = Timestamp::from_micros(self.lost_us.load(Relaxed));
        let is_early = last.as_micros() != 0 && now < last.saturating_add(QUIET);
        if is_early || self.is_lost.swap(true, Relaxed) {
            return false;
        }
        self.lost_us.store(now.as_micros(), Relaxed);
        true
    }

    fn look(&self, client: &Client) {
        let status = client.status();
        let is_returning = |breaker| matches!(breaker, BreakerState::Returning(_));
        // It answers a share of the calls, and that share grows.
        if status.servers.iter().any(|server| is_returning(server.breaker))
            || !self.lost(SystemClock.now().steady)
        {
            return;
        }
        let servers = addresses(client);
        if status.untrusted > 0 {
            tracing::warn!(
                servers,
                "The Tollgate server does not trust this caller, so its limits are not in force here: give the client a \
                 token, or add this machine to trusted_callers of the server."
            );
        } else {
            tracing::warn!(
                servers,
                "No Tollgate server answers in time: the client's fallback decides until one does."
            );
        }
    }
}

fn addresses(client: &Client) -> String {
    let servers = client.status().servers;
    let addresses: Vec<&str> = servers.iter().map(|server| &*server.address).collect();
    addresses.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Timestamp {
        Timestamp::from_secs(seconds)
    }

    #[test]
    fn a_loss_is_news_once_and_so_is_the_return() {
        let reach = Reach::default();
        assert!(!reach.found(), "nothing was lost");
        assert!(reach.lost(at(100)));
        assert!(!reach.lost(at(200)), "it is lost already");
        assert!(!reach.missed(), "nothing is left to look for");
        assert!(reach.found());
        assert!(!reach.found());
        assert!(reach.lost(at(300)));
    }

    #[test]
    fn a_server_that_comes_and_goes_does_not_fill_the_log() {
        let reach = Reach::default();
        let mut lines = 0;
        for tenth in 0..1_000 {
            let now = Timestamp::from_micros(1_000_000_000 + tenth * 100_000);
            lines += u32::from(reach.lost(now)) + u32::from(reach.found());
        }
        assert_eq!(lines, 20, "100 s, and two lines in ten");
    }

    #[test]
    fn a_call_that_comes_late_is_no_loss() {
        let reach = Reach::default();
        for _ in 0..100 {
            assert!(!(1..MISSED_MAX).any(|_| reach.missed()));
            reach.found();
        }
        assert!((0..MISSED_MAX).any(|_| reach.missed()));
    }
}
