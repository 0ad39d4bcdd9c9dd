//! Pushing, now and then.

use std::{sync::Arc, time::Duration};

use tokio::time::{MissedTickBehavior, interval};
use tollgate_core::{Clock as _, SystemClock, Timestamp};

use super::{
    super::{Attempted, Recorder},
    encode::{Origin, request},
};
use crate::{config::Collector, outgoing::Outgoing, stop::Stop};

/// How often metrics are pushed.
const EVERY: Duration = Duration::from_secs(10);

/// How long a collector may take.
const DEADLINE: Duration = Duration::from_secs(5);

/// The longest push. The series have a bound, so it is never reached; and if it is, nothing is sent.
const BODY_BYTES_MAX: usize = 16 << 20;

/// Pushes metrics until told to stop. A collector that is away costs a warning and a metric, nothing else.
pub(crate) async fn push(recorder: Arc<Recorder>, collector: Collector, mut stop: Stop) {
    let mut turn = interval(EVERY);
    turn.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = turn.tick() => once(&recorder, &collector).await,
            () = stop.heard() => return,
        }
    }
}

/// Pushes once. It is logged when pushes begin to fail, and when they go well again.
pub(super) async fn once(recorder: &Recorder, collector: &Collector) {
    let outcome = send(recorder, collector).await;
    match (recorder.metrics_pushed(&outcome), outcome) {
        (Attempted::Mended, _) => tracing::info!(%collector, "Metrics reach the collector again."),
        (Attempted::Broke, Err(why)) => {
            tracing::warn!(%collector, %why, "Metrics do not reach the collector; decisions go on.");
        }
        _ => {}
    }
}

async fn send(recorder: &Recorder, collector: &Collector) -> Result<(), String> {
    let ns = |moment: Timestamp| moment.as_micros().saturating_mul(1_000);
    let origin = Origin {
        node: &recorder.node,
        region: &recorder.region,
        started_ns: recorder.started_us.saturating_mul(1_000),
        now_ns: ns(SystemClock.now().wall),
    };
    let body = request(&recorder.read(), origin).to_string();
    if body.len() > BODY_BYTES_MAX {
        return Err(format!("{} bytes are too many for one push", body.len()));
    }
    let outgoing = Outgoing {
        authority: &collector.authority(),
        path: collector.path(),
        token: None,
        body: &body,
        trust: None,
    };
    let reply = outgoing.post(DEADLINE).await.map_err(|error| error.to_string())?;
    match reply.status {
        200..300 => Ok(()),
        status => Err(format!("the collector answered {status}")),
    }
}
