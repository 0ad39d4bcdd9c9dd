//! Time that stands still, where the deadlines of a client are not what a test is about.

use std::{
    sync::mpsc::{Sender, channel},
    time::Duration,
};

/// After this long time goes on: a test that waits in vain fails by the deadlines of its client.
const STANDS_MAX: Duration = Duration::from_secs(300);

/// As long as this lives, no time passes for this test's runtime, which must have been started paused: a client gives
/// up a server that is silent for a second, and a machine that stalls for longer is no server that is gone.
#[must_use]
pub(crate) fn standstill() -> Sender<()> {
    let (end, ended) = channel();
    // Paused time goes ahead whenever all tasks wait, but not while a thread works for the runtime.
    drop(tokio::task::spawn_blocking(move || ended.recv_timeout(STANDS_MAX)));
    end
}
