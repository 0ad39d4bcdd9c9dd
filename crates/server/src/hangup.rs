//! SIGHUP: read the files again.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Hears SIGHUP. Each that there is hears it.
#[derive(Debug)]
pub(crate) struct Hangup(Option<Signal>);

impl Hangup {
    /// From now on. A hangup that nobody hears ends the process, so the first is made before all else.
    pub(crate) fn listen() -> Self {
        Self(signal(SignalKind::hangup()).ok())
    }

    /// Returns at the next one; never, if they cannot be heard.
    pub(crate) async fn heard(&mut self) {
        let heard = match &mut self.0 {
            Some(signal) => signal.recv().await,
            None => None,
        };
        if heard.is_none() {
            std::future::pending::<()>().await;
        }
    }
}
