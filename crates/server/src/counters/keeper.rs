//! Writing the counters now and then.

use std::{io, sync::Arc, time::Duration};

use tokio::{
    task::spawn_blocking,
    time::{MissedTickBehavior, interval},
};

use tollgate_memory::MemoryStore;

use super::{CountersFile, file::Found};
use crate::{
    engine::{Engine, Time},
    stop::Stop,
};

/// What a process that is killed forgets: what was counted since it last wrote.
pub(crate) const SAVE_EVERY: Duration = Duration::from_secs(10);

/// The counters to go on with; what was found is logged.
pub(crate) fn load(file: &CountersFile, keys: usize, time: &Time) -> io::Result<MemoryStore<Time>> {
    let (store, found) = file.load(keys, time)?;
    match found {
        Found::Nothing => {}
        Found::Counters => {
            let keys = store.stats().keys;
            tracing::info!(keys, "Going on with the counters of the last run.");
        }
        Found::Unreadable { error, aside } => {
            let aside = aside.display();
            tracing::error!(%error, %aside, "The saved counters cannot be read: all start fresh.");
        }
    }
    Ok(store)
}

/// Writes the counters until `stop` turns true. Whoever stops writes them a last time.
pub(crate) async fn keep(engine: Arc<Engine>, file: CountersFile, mut stop: Stop) {
    let mut turn = interval(SAVE_EVERY);
    turn.set_missed_tick_behavior(MissedTickBehavior::Delay);
    turn.tick().await;
    loop {
        tokio::select! {
            _ = turn.tick() => save(&engine, &file).await,
            () = stop.heard() => return,
        }
    }
}

/// Writes them once; a failure is logged and counted, and the file before it stays.
pub(crate) async fn save(engine: &Arc<Engine>, file: &CountersFile) {
    let (writer, store) = (file.clone(), Arc::clone(engine));
    let saved = spawn_blocking(move || writer.save(store.store())).await;
    let saved = saved.unwrap_or_else(|panic| Err(io::Error::other(panic)));
    engine.recorder().counters_saved(saved.as_ref().map(|_| ()));
    if let Err(error) = saved {
        tracing::error!(%error, "Cannot write the counters: a restart would forget what was counted since.");
    }
}
