//! Tells a server that took over, or came back, what this node was granted before.

use std::{
    collections::HashMap,
    sync::{
        Weak,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::time::{sleep, timeout};

use crate::{client::Loss, exact::Lanes, slot::Slot, touched::Claim};

/// How often it is looked whether there is anything to tell, though nobody says so.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// Before what could not be told is tried again.
const PAUSE: Duration = Duration::from_millis(20);
/// Counters that are told of in one call.
const TOGETHER_MAX: usize = 64;

/// What was told.
#[derive(Debug, Default)]
pub(crate) struct Asserted {
    pub(crate) keys: AtomicU64,
    /// What Redis had lost of them.
    pub(crate) units: AtomicU64,
}

/// Tells whenever there is something to tell, for as long as anybody holds the lanes.
pub(crate) async fn keep_asserting(lanes: Weak<Lanes>) {
    let Some(changes) = lanes.upgrade().map(|lanes| lanes.client.changes()) else {
        return;
    };
    loop {
        // Whatever it was: it is looked.
        drop(timeout(LOOK_EVERY, changes.notified()).await);
        let Some(lanes) = lanes.upgrade() else {
            return;
        };
        let losses = lanes.client.to_assert();
        if !losses.is_empty() {
            lanes.assert(&losses).await;
            drop(lanes);
            sleep(PAUSE).await;
        }
    }
}

impl Lanes {
    /// Tells the servers of these slots what this node has debited of their counters.
    async fn assert(&self, losses: &[Loss]) {
        let mut claims = self.claims();
        for loss in losses {
            let told = claims.remove(&loss.slot).unwrap_or_default();
            if self.tell(loss.slot, told).await.is_ok() {
                self.client.asserted(*loss);
            }
        }
    }
}
