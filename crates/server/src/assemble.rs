//! The parts of a server that is to be started.

use std::{io, sync::Arc};

use tokio::sync::watch;
use tollgate_catalog::{Catalog, Options, WatchStatus};
use tollgate_memory::{CellStore, MemoryStore};
use tollgate_redis::Options as RedisOptions;
use tollgate_rules::{Action, Live};

use crate::{
    config::{Owner, Penalising, Settings},
    counters::{Keeper, Room},
    engine::{self, Engine, Fleet, Penalties, Time},
    error::StartError,
    hangup::Hangup,
    identity::KeyHasher,
    rules::{FileContents, FileStatus, RulesFile},
    telemetry::Recorder,
};

type Counters = (MemoryStore<Time>, CellStore<Time>);

/// Whoever decides, over this node's counters and those that it shares with others.
pub(crate) async fn engine(
    settings: &Settings,
    redis: Option<RedisOptions>,
    keeper: &Keeper,
    (live, time, recorder): (Arc<Live>, Time, Arc<Recorder>),
) -> Result<Arc<Engine>, StartError> {
    let room = Room { keys: settings.keys_max, overflow_bytes: settings.overflow_bytes };
    let loaded = counters(keeper, room, &time);
    let (store, cells) =
        loaded.map_err(|source| StartError::Counters { path: settings.data.clone(), source })?;
    let store = Arc::new(store);
    let fleet = redis.map(|redis| Fleet::start(redis, Arc::clone(&store), &time));
    let fleet = fleet.transpose()?;
    let engine = Engine::new(live, store, time, recorder).with_cells(cells);
    let engine = match settings.penalty {
        Penalising::Off => engine,
        Penalising::On => engine.with_penalties(Penalties::new()),
    };
    let engine = match fleet {
        None => engine,
        Some(fleet) => {
            live_limits(&engine, &fleet);
            fleet.greet().await;
            engine.with_fleet(fleet)
        }
    };
    let engine = Arc::new(engine);
    metered(&engine);
    Ok(engine)
}

/// How long what is spent may count is known before anything is.
fn live_limits(engine: &Engine, fleet: &Fleet) {
    let snapshot = engine.live().snapshot();
    let rules = snapshot.iter().flat_map(|snapshot| snapshot.deciding());
    for rule in rules {
        if let Action::Throttle(throttle) = &rule.action {
            throttle.limits.iter().for_each(|limit| fleet.redis().expect(limit));
        }
    }
}

/// Lets metrics read the counters. Weakly: the engine has the recorder, and neither may keep the other alive.
fn metered(engine: &Arc<Engine>) {
    let counted = Arc::downgrade(engine);
    let stats = move || counted.upgrade().map(|engine| engine.store().stats());
    engine.recorder().reads_store(stats);
    let shared = Arc::downgrade(engine);
    let read = move || shared.upgrade()?.fleet().map(Fleet::reading);
    engine.recorder().reads_fleet(read);
}

fn counters(keeper: &Keeper, room: Room, time: &Time) -> io::Result<Counters> {
    Ok((keeper.load(room, time)?, keeper.load(room, time)?))
}

/// A file is opened now, since one that cannot be will not mend itself; a server may come back.
async fn catalog(settings: &Settings) -> Result<Catalog, StartError> {
    let url = &settings.database;
    let opened = if url.is_sqlite() {
        Catalog::open(url).await
    } else {
        Catalog::lazy(url, Options::default())
    };
    opened.map_err(|source| StartError::Catalog { url: url.clone(), source })
}

/// The catalog, and what API keys are hashed with: nothing is made up where keys were issued.
pub(crate) async fn people(settings: &Settings) -> Result<(Catalog, Arc<KeyHasher>), StartError> {
    let catalog = catalog(settings).await?;
    let print = if settings.database.is_sqlite() {
        let print = catalog.key_print().await;
        print.map_err(|source| StartError::Catalog { url: settings.database.clone(), source })?
    } else {
        None
    };
    let hasher = KeyHasher::open(settings, print.as_deref())?;
    hasher.fits(print.as_deref())?;
    catalog.hash_keys_with(hasher.print());
    Ok((catalog, Arc::new(hasher)))
}

/// Whether the keys in the database are hashed with our secret. Where it has not answered yet this node starts all the
/// same, and is not let issue keys that no other knows.
pub(crate) async fn fits(
    hasher: &KeyHasher,
    catalog: &Catalog,
    status: &watch::Receiver<WatchStatus>,
) -> Result<(), StartError> {
    let has_answered = status.borrow().head.is_some();
    if !has_answered {
        return Ok(());
    }
    match catalog.key_print().await {
        Ok(print) => Ok(hasher.fits(print.as_deref())?),
        Err(error) => {
            tracing::warn!(%error, "Whether all nodes hash API keys with the same secret is not known.");
            Ok(())
        }
    }
}

/// What to connect to Redis with, if counters are shared.
pub(crate) fn redis_options(settings: &Settings) -> Result<Option<RedisOptions>, StartError> {
    let redis = settings.redis.as_ref();
    let options = redis.map(|redis| engine::redis_options(redis, settings.node.as_str()));
    Ok(options.transpose()?)
}

/// The rules of the file that owns them, if one does.
pub(crate) fn file_contents(settings: &Settings) -> Result<Option<FileContents>, StartError> {
    match &settings.owner {
        Owner::File(path) => Ok(Some(FileContents::read(path, settings.counting())?)),
        Owner::Catalog => Ok(None),
    }
}

type WatchedStatus = watch::Receiver<FileStatus>;

/// The file that owns the rules, if one does, applied.
pub(crate) async fn rules_file(
    settings: &Settings,
    contents: Option<FileContents>,
    (catalog, recorder): (&Catalog, &Arc<Recorder>),
    hangup: Hangup,
) -> Result<(Option<RulesFile>, Option<WatchedStatus>), StartError> {
    let (Owner::File(path), Some(contents)) = (&settings.owner, contents) else {
        return Ok((None, None));
    };
    let (file, status) =
        RulesFile::new(path.clone(), catalog.clone(), Arc::clone(recorder), hangup);
    let mut file = file.counted(settings.counting());
    file.store(contents).await?;
    Ok((Some(file), Some(status)))
}
