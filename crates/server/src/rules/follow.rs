//! Telling how following the catalog goes.

use std::sync::Arc;

use tokio::sync::watch;
use tollgate_catalog::WatchStatus;

use crate::{stop::Stop, telemetry::Recorder};

/// Logs what changes: a new revision, trouble, and its end. Nothing here comes with the traffic.
pub(crate) async fn tell(
    mut status: watch::Receiver<WatchStatus>,
    recorder: Arc<Recorder>,
    mut stop: Stop,
) {
    let mut told = WatchStatus::default();
    loop {
        let now = status.borrow_and_update().clone();
        recorder.catalog_followed(now.trouble.as_ref().map_or(Ok(()), Err));
        difference(&told, &now);
        told = now;
        tokio::select! {
            changed = status.changed() => if changed.is_err() { return },
            () = stop.heard() => return,
        }
    }
}

fn difference(before: &WatchStatus, now: &WatchStatus) {
    if let (Some(revision), true) = (now.revision(), now.revision() != before.revision()) {
        tracing::info!(revision = revision.get(), "Rules are in force.");
    }
    match (&before.trouble, &now.trouble) {
        (was, Some(trouble)) if was.as_ref() != Some(trouble) => {
            tracing::warn!("The rules in force may be old: {trouble}");
        }
        (Some(_), None) => tracing::info!("The rule database is followed again."),
        _ => {}
    }
    if let (true, Some(trouble)) = (now.last_good != before.last_good, &now.last_good) {
        tracing::warn!("The last good copy on disk: {trouble}");
    }
}
