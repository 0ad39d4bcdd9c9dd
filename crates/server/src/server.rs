//! A server from start to end.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use tokio::task::JoinSet;
use tollgate_catalog::{Catalog, WatchSettings, Watcher};
use tollgate_core::{Clock as _, SystemClock};
use tollgate_redis::{Ending, Options as RedisOptions};
use tollgate_rules::Live;

use crate::{
    admin::AdminServe,
    announce::{Announcement, Screen},
    assemble,
    authority::Authority,
    config::{Demo, Listeners, Settings},
    counters::Keeper,
    data::DataFolder,
    engine::{Engine, Time},
    error::StartError,
    first_token::{self, FirstToken},
    hangup::Hangup,
    health::Health,
    http::HttpServe,
    identity::{Identifier, JwtKeeper, KeyHasher},
    ports::{BoundPorts, Ports},
    resp::RespServe,
    rls::RlsServe,
    roster::{self, Roster},
    rules::{self, Publisher, RulesFile},
    stop::Stop,
    telemetry::{self, Recorder},
    tls,
    usage::Teller,
};

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// How long the rule database may take to give the first snapshot; then the last good copy serves.
const FIRST_SNAPSHOT_MAX: Duration = Duration::from_secs(5);

/// A server that has its ports and its rules, and answers as soon as it runs.
#[derive(Debug)]
pub struct Server {
    parts: Parts,
    listeners: Listeners,
    ports: Ports,
    certificates: tls::Keeper,
    watcher: Watcher<Publisher>,
    file: Option<RulesFile>,
    data: DataFolder,
    keeper: Keeper,
    first_token: Option<FirstToken>,
    jwt_keys: Option<JwtKeeper>,
    roster: Option<Roster>,
}

/// What the listeners share.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    pub(crate) settings: Arc<Settings>,
    pub(crate) engine: Arc<Engine>,
    pub(crate) authority: Arc<Authority>,
    pub(crate) catalog: Catalog,
    pub(crate) health: Health,
    /// What is kept of an API key.
    pub(crate) hasher: Arc<KeyHasher>,
    /// Who asks.
    pub(crate) identifier: Arc<Identifier>,
}

impl Server {
    /// Takes the ports, reads and checks everything that was set, and only then writes to the data folder and
    /// listens: a server that cannot start leaves no files behind and resets no client.
    ///
    /// # Errors
    ///
    /// [`StartError`]. A rule database that is away is none: the last good copy serves, or nothing is
    /// decided until it is back.
    pub async fn start(settings: Settings) -> Result<Self, StartError> {
        Self::starting(settings).await
    }

    fn starting(settings: Settings) -> Boxed<'static, Result<Self, StartError>> {
        Box::pin(Self::assemble(settings))
    }

    async fn assemble(mut settings: Settings) -> Result<Self, StartError> {
        // Before anything else: a hangup that nobody hears ends the process.
        let hangup = Hangup::listen();
        drop(tls::provider());
        let recorder = Arc::new(Recorder::new(&settings));
        let patience = settings.timers.request;
        let (certificates, handshakes) = tls::Keeper::open(&settings.tls, patience, &recorder)?;
        let jwt = JwtKeeper::of(&settings.identity, &recorder)?;
        let ports = BoundPorts::bind(&settings.listen)?;
        let listeners = ports.addresses();
        settings.listen = listeners;
        let redis = assemble::redis_options(&settings)?;
        let contents = assemble::file_contents(&settings)?;
        if !listeners.are_loopback() || !settings.database.is_sqlite() {
            settings.demo = Demo::Off;
        }
        let data = DataFolder::take(&settings.data)?;
        let (catalog, hasher) = assemble::people(&settings).await?;
        let live = Arc::new(Live::new().with_unknown_tier(settings.identity.unknown_tier));
        let authority =
            Arc::new(Authority::new(settings.token.clone()).asking(settings.admin_rules.auth));
        let publisher = publisher(&settings, &live, &recorder, &authority);
        let (file, file_status) =
            assemble::rules_file(&settings, contents, (&catalog, &recorder), hangup).await?;
        let watching = WatchSettings::new(settings.node.clone()).data(data.path());
        let (mut watcher, status) = Watcher::new(catalog.clone(), Arc::clone(&publisher), watching);
        if let Err(error) = watcher.start(FIRST_SNAPSHOT_MAX).await {
            tracing::error!(%error, "Nothing can be decided until the rule database answers.");
        }
        assemble::fits(&hasher, &catalog, &status).await?;
        let first_token = first_token::issued(&settings, &authority, &catalog).await;
        let keeper = Keeper::new(data.path());
        let redis = roster::remembering(redis, &keeper, &catalog).await;
        let fleet = redis.as_ref().map(RedisOptions::fleet);
        let engine =
            assemble::engine(&settings, redis, &keeper, (live, Time::new(SystemClock), recorder))
                .await?;
        let roster = fleet.map(|fleet| Roster::new(fleet, &catalog, &engine, &settings.node));
        Roster::enter_soon(roster.as_ref()).await;
        let (jwt_keys, verifier) = jwt.unzip();
        let health = Health {
            publisher,
            catalog: status,
            file: file_status,
            certificates: certificates.standings(),
            jwt_keys: JwtKeeper::standing_of(jwt_keys.as_ref()),
            engine: Arc::clone(&engine),
        };
        let parts = Parts {
            identifier: Arc::new(Identifier::new(&engine, &hasher, verifier, &settings.identity)),
            authority,
            settings: Arc::new(settings),
            engine,
            catalog,
            health,
            hasher,
        };
        Ok(Self {
            parts,
            listeners,
            ports: ports.listen(handshakes)?,
            certificates,
            watcher,
            file,
            data,
            keeper,
            first_token,
            jwt_keys,
            roster,
        })
    }

    /// Where it listens, with the ports it was given.
    pub const fn listeners(&self) -> &Listeners {
        &self.listeners
    }

    /// What the operator is told at the start, for where it is printed.
    pub fn announcement(&self, screen: Screen) -> Announcement {
        Announcement::of(self, screen)
    }

    /// The token that was made at the first start.
    pub(crate) const fn first_token(&self) -> Option<&FirstToken> {
        self.first_token.as_ref()
    }

    pub(crate) fn about(&self) -> (&Settings, &Health) {
        (&self.parts.settings, &self.parts.health)
    }

    /// Answers until `shutdown`, then lets open connections finish, within the deadline for that.
    pub async fn run(self, shutdown: impl Future<Output = ()> + Send) {
        self.serving(Box::pin(shutdown)).await;
    }

    /// Boxed here: what a future does is compiled in the crate that polls it, and the listeners belong to this
    /// one, which is optimised for speed.
    fn serving<'a>(self, shutdown: Boxed<'a, ()>) -> Boxed<'a, ()> {
        Box::pin(self.run_until(shutdown))
    }

    async fn run_until(self, shutdown: Boxed<'_, ()>) {
        let (stopper, stopping) = Stop::channel();
        let mut listeners = JoinSet::new();
        let Ports { http, grpc, resp, admin } = self.ports;
        let parts = &self.parts;
        listeners.spawn(http.serve(HttpServe::new(parts), parts, &stopping));
        listeners.spawn(grpc.serve(RlsServe::new(parts, &stopping), parts, &stopping));
        listeners.spawn(resp.serve(RespServe::new(parts), parts, &stopping));
        listeners.spawn(admin.serve(AdminServe::new(parts), parts, &stopping));

        let (late_stopper, drained) = Stop::channel();
        let mut chores = chores(parts, &stopping, &drained);
        let engine = Arc::clone(&parts.engine);
        chores.spawn(self.keeper.clone().run(engine, stopping.clone()));
        let engine = Arc::clone(&parts.engine);
        chores.spawn(engine.watch_overflows(stopping.clone()));
        let (data, authority) = (self.data.path().to_owned(), Arc::clone(&parts.authority));
        chores.spawn(first_token::tidy(data, authority, stopping.clone()));
        if self.certificates.has_work() {
            chores.spawn(self.certificates.run(stopping.clone()));
        }
        if let Some(roster) = self.roster {
            chores.spawn(roster.run(stopping.clone()));
        }
        if let Some(keys) = self.jwt_keys {
            chores.spawn(keys.run(stopping.clone()));
        }
        if let Some(file) = self.file {
            chores.spawn(file.run(stopping.clone()));
        }
        let mut done = stopping.clone();
        chores.spawn(self.watcher.run(async move {
            done.heard().await;
        }));

        shutdown.await;
        tracing::info!("Shutting down: finishing open connections, accepting no new ones.");
        let told_at = parts.engine.time().now().steady;
        stopper.stop();
        let mut cut_off = 0;
        while let Some(late) = listeners.join_next().await {
            cut_off += late.unwrap_or(0);
        }
        if cut_off > 0 {
            tracing::warn!(connections = cut_off, "Some connections did not finish in time.");
        }
        // What the last requests used and did is told, too.
        late_stopper.stop();
        if let Some(fleet) = parts.engine.fleet() {
            let since = parts.engine.time().now().steady.since(told_at);
            let left = parts.settings.timers.drain.saturating_sub(since.into());
            fleet.settle(left).await;
        }
        // After the last answer, so that nothing that was charged is forgotten.
        self.keeper.save(&parts.engine, Ending::Clean).await;
        while chores.join_next().await.is_some() {}
        parts.catalog.close().await;
        drop(self.data);
    }
}

/// Whoever puts in force what the catalog says.
fn publisher(
    settings: &Settings,
    live: &Arc<Live>,
    recorder: &Arc<Recorder>,
    authority: &Arc<Authority>,
) -> Arc<Publisher> {
    let (live, recorder) = (Arc::clone(live), Arc::clone(recorder));
    let publisher = Publisher::new(live, recorder, settings.demo, settings.counting());
    Arc::new(publisher.telling(Arc::clone(authority)))
}

/// What goes on beside the listeners, as long as they do, whatever the settings; some of it until the last request is
/// answered.
fn chores(parts: &Parts, stopping: &Stop, drained: &Stop) -> JoinSet<()> {
    let mut chores = JoinSet::new();
    if let Some(collector) = parts.settings.otlp.clone() {
        let recorder = Arc::clone(parts.engine.recorder());
        chores.spawn(telemetry::push(recorder, collector, stopping.clone()));
    }
    let teller =
        Teller::new(parts.catalog.clone(), Arc::clone(&parts.engine), parts.settings.node.as_str());
    chores.spawn(teller.run(drained.clone()));
    let record = parts.authority.record().clone();
    let recorder = Arc::clone(parts.engine.recorder());
    chores.spawn(record.run(parts.catalog.clone(), recorder, drained.clone()));
    let recorder = Arc::clone(parts.engine.recorder());
    let status = parts.health.catalog.clone();
    chores.spawn(rules::tell(status, recorder, stopping.clone()));
    chores
}

#[cfg(test)]
mod tests {
    use std::{
        collections::BTreeMap,
        fs, io,
        net::TcpStream,
        path::{Path, PathBuf},
        pin::pin,
    };

    use tokio::net::TcpListener;

    use super::Server;
    use crate::config::{Settings, Sources, load};

    /// Every listener on a free port, and `pairs` besides.
    fn settings(pairs: &[(&str, &str)]) -> Settings {
        const SECRET: (&str, &str) =
            ("TOLLGATE_KEY_SECRET", "a secret of more than thirty-two characters");
        let listeners = ["http", "grpc", "resp", "admin"].map(|flag| (flag, "127.0.0.1:0"));
        let all = listeners.iter().chain(pairs);
        let flags = all.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let sources = Sources {
            flags: flags.collect(),
            environment: BTreeMap::from([(SECRET.0.to_owned(), SECRET.1.to_owned())]),
            file: None,
        };
        load(&sources).unwrap().settings
    }

    /// The database holds the start up; no client may be accepted meanwhile, since the start may still fail.
    #[tokio::test]
    async fn no_connection_is_accepted_before_the_rules_were_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let database = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("postgres://u:p@{}/d", database.local_addr().unwrap());
        let http = tollgate_testkit::free_address();
        let settings = settings(&[
            ("data", text(&folder.path().join("data"))),
            ("database", &url),
            ("http", &http.to_string()),
        ]);
        let mut starting = pin!(Server::start(settings));
        // From here on the start makes no step, because nothing polls it.
        tokio::select! {
            biased;
            asked = database.accept() => drop(asked.unwrap()),
            started = &mut starting => panic!("no snapshot was asked for: {started:?}"),
        }
        let refused = TcpStream::connect(http).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);
        drop(database);
        let server = starting.await.unwrap();
        assert_eq!(server.listeners().http, http);
        TcpStream::connect(http).unwrap();
    }

    #[tokio::test]
    async fn a_start_that_fails_writes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| -> PathBuf { folder.path().join(name) };
        let (data, rules) = (path("data"), path("rules.yaml"));
        fs::write(&rules, "version: 1\nrules: [{ name: a }]\n").unwrap();
        for (flag, value) in [
            ("rules", text(&rules)),
            ("rules", "none.yaml"),
            ("redis", "redis://h:1,rediss://h:2"),
            ("redis_ca", "none.pem"),
        ] {
            let mut pairs = vec![("data", text(&data)), (flag, value)];
            if flag == "redis_ca" {
                pairs.push(("redis", "rediss://h"));
            }
            let refused = Server::start(settings(&pairs)).await;
            assert!(refused.is_err(), "{flag} {value}: {refused:?}");
            assert!(!data.exists(), "{flag} {value}");
        }
    }

    fn text(path: &Path) -> &str {
        path.to_str().unwrap()
    }
}
