//! Writing what waits.

use std::{sync::Arc, time::Duration};

use tokio::time::{MissedTickBehavior, interval, timeout};
use tollgate_catalog::Catalog;
use tollgate_core::{Clock as _, SystemClock};

use super::{Record, book::Most};
use crate::{stop::Stop, telemetry::Recorder};

/// How often what waits is written.
const EVERY: Duration = Duration::from_secs(1);
/// The most rows of one time: a flood fills the record no faster, and those who are turned away fill it slowest.
const EACH_TIME: Most = Most {
    done: 50,
    refused: 10,
};
/// How long a write may take.
const WRITE_MAX: Duration = Duration::from_secs(5);
/// How long what is left may take at the end.
const LAST_MAX: Duration = Duration::from_secs(5);

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
            if is_over {
                self.write_all(&catalog).await;
                recorder.audit_dropped(self.dropped());
                return;
            }
            self.write(&catalog).await;
            recorder.audit_dropped(self.dropped());
        }
    }

    /// Writes all that waits, as far as there is time; the rest is given up.
    pub(super) async fn write_all(&self, catalog: &Catalog) {
        self.hurry();
        let all = async { while self.write(catalog).await == Wrote::Some {} };
        // What is cut off was taken, and may have been written: only what still waits is surely lost.
        drop(timeout(LAST_MAX, all).await);
        self.give_up();
    }

    /// Writes the oldest of what waits; what cannot be written waits on.
    pub(crate) async fn write(&self, catalog: &Catalog) -> Wrote {
        let rows = self.taken(EACH_TIME, SystemClock.now().steady);
        if rows.is_empty() {
            return Wrote::Nothing;
        }
        let written = timeout(WRITE_MAX, catalog.note(rows.clone())).await;
        match written {
            Ok(Ok(())) => return Wrote::Some,
            Ok(Err(error)) => {
                tracing::debug!(%error, "The audit could not be written; it is tried again.");
                self.returned(rows);
            }
            // It may have happened: better twice on record than never.
            Err(_) => self.returned(rows),
        }
        Wrote::Nothing
    }
}

/// Whether another write would bring more on record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrote {
    /// Rows were written.
    Some,
    /// None was: none waits, or none can be written.
    Nothing,
}
