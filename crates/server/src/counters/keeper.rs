//! Reading the counters at the start, writing them now and then.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tokio::{
    sync::Mutex,
    task::spawn_blocking,
    time::{MissedTickBehavior, interval},
};
use tollgate_memory::{CellStore, MemoryStore};
use tollgate_redis::{Ending, Journal};

use super::{
    file::{CountersFile, Found, Kept, Room},
    journal,
};
use crate::{
    engine::{Engine, Time},
    stop::Stop,
};

/// What a process that is killed forgets: what was counted since it last wrote.
pub(crate) const SAVE_EVERY: Duration = Duration::from_secs(10);

/// Keeps the counters of an engine in a data folder.
#[derive(Clone, Debug)]
pub(crate) struct Keeper {
    data: PathBuf,
    /// One writes at a time: two would write into the same fresh file. Nothing is written after the last word.
    writing: Arc<Mutex<Ending>>,
}

impl Keeper {
    pub(crate) fn new(data: &Path) -> Self {
        Self { data: data.to_owned(), writing: Arc::new(Mutex::new(Ending::Open)) }
    }

    /// The counters to go on with; what was found is logged.
    pub(crate) fn load<K: Kept>(&self, room: Room, time: &Time) -> io::Result<K> {
        let (counters, found) = CountersFile::of::<K>(&self.data).load(room, time)?;
        match found {
            Found::Nothing => {}
            Found::Counters => tracing::info!(file = K::NAME, "Going on with saved counters."),
            Found::Unreadable { error, aside } => {
                let aside = aside.display();
                tracing::error!(%error, %aside, "Saved counters cannot be read: all start fresh.");
            }
        }
        Ok(counters)
    }

    /// Writes the counters until told to stop. Whoever stops writes them a last time.
    pub(crate) async fn run(self, engine: Arc<Engine>, mut stop: Stop) {
        let mut turn = interval(SAVE_EVERY);
        turn.set_missed_tick_behavior(MissedTickBehavior::Delay);
        turn.tick().await;
        loop {
            tokio::select! {
                _ = turn.tick() => self.save(&engine, Ending::Open).await,
                () = stop.heard() => return,
            }
        }
    }

    /// What this node's processes before have spent in Redis; what was found is logged.
    pub(crate) fn load_journal(&self) -> Journal {
        journal::load(&self.data)
    }

    /// Writes them once; a failure is logged and counted, and the file before it stays.
    pub(crate) async fn save(&self, engine: &Arc<Engine>, ending: Ending) {
        let mut last = self.writing.lock().await;
        if *last == Ending::Clean {
            return;
        }
        *last = ending;
        let (data, counted) = (self.data.clone(), Arc::clone(engine));
        let saved = spawn_blocking(move || {
            CountersFile::of::<MemoryStore<Time>>(&data).save(counted.store())?;
            CountersFile::of::<CellStore<Time>>(&data).save(counted.cells())?;
            match counted.fleet() {
                Some(fleet) => journal::save(&data, &fleet.redis().journal(ending)),
                None => Ok(()),
            }
        });
        let saved = saved.await.unwrap_or_else(|panic| Err(io::Error::other(panic)));
        engine.recorder().counters_saved(saved.as_ref().copied());
        if let Err(error) = saved {
            tracing::error!(%error, "Cannot write the counters: a restart would forget what was counted since.");
        }
    }
}

#[cfg(test)]
mod tests {
    use tollgate_rules::Query;

    use super::*;
    use crate::engine::Ask;

    /// A stop may come while the counters are being written.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn saves_at_once_leave_a_whole_file() {
        let rules = "version: 1\nrules: [{ name: a, key: [user], limit: 100/day }]";
        let (engine, _) = Engine::of_rules(rules);
        for user in 0..5_000 {
            let user = format!("user-{user}");
            let ask = Ask::new(Query::new().user(&user).unwrap());
            engine.check(&ask).await.unwrap();
        }
        let folder = tempfile::tempdir().unwrap();
        let keeper = Keeper::new(folder.path());
        let room = Room { keys: 10_000, overflow_bytes: 1 << 20 };
        for _ in 0..20 {
            tokio::join!(
                keeper.save(&engine, Ending::Open),
                keeper.save(&engine, Ending::Open),
                keeper.save(&engine, Ending::Open)
            );
            let store: MemoryStore<Time> = keeper.load(room, engine.time()).unwrap();
            assert_eq!(store.stats().keys, 5_000);
        }
    }
}
