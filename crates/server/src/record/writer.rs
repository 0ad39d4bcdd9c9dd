//! Writing what waits.

use std::{sync::Arc, time::Duration};

use tokio::time::{MissedTickBehavior, interval, timeout};
use tollgate_catalog::Catalog;

use super::Record;
use crate::{stop::Stop, telemetry::Recorder};

/// How often what waits is written.
const EVERY: Duration = Duration::from_secs(1);
/// The most rows of one time: a flood fills the record no faster.
const ROWS_MAX: usize = 50;
/// How long a write may take.
const WRITE_MAX: Duration = Duration::from_secs(5);

impl Record {
    /// Writes what waits, until told to stop, and then what is left.
    pub(crate) async fn run(self, catalog: Catalog, recorder: Arc<Recorder>, mut stop: Stop) {
        let mut turn = interval(EVERY);
        turn.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let is_over = tokio::select! {
                _ = turn.tick() => false,
                () = stop.heard() => true,
            };
            self.write(&catalog).await;
            recorder.audit_dropped(self.dropped());
            if is_over {
                return;
            }
        }
    }

    /// Writes the oldest of what waits; what cannot be written waits on.
    pub(crate) async fn write(&self, catalog: &Catalog) {
        let rows = self.taken(ROWS_MAX);
        if rows.is_empty() {
            return;
        }
        let written = timeout(WRITE_MAX, catalog.note(rows.clone())).await;
        match written {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::debug!(%error, "The audit could not be written; it is tried again.");
                self.returned(rows);
            }
            // It may have happened: better twice on record than never.
            Err(_) => self.returned(rows),
        }
    }
}
