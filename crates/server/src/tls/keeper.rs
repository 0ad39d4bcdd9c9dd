//! Follows the files: new ones are in force from the next handshake on.

use std::{path::PathBuf, sync::Arc, time::Duration};

use arc_swap::ArcSwap;
use tokio::{
    task::{JoinHandle, spawn_blocking},
    time::{MissedTickBehavior, interval, timeout},
};
use tollgate_core::{Clock as _, SystemClock};

use super::{
    About, TlsError, TlsListener,
    error::{Flaw, Role},
    material::{Contents, Material},
};
use crate::{
    config::{Tls, TlsFiles},
    hangup::Hangup,
    stop::Stop,
    telemetry::{Protocol, Recorder},
};

/// Looks after the certificates of all listeners.
#[derive(Debug)]
pub(crate) struct Keeper {
    bundles: Vec<Bundle>,
    hangup: Hangup,
}

/// What each listener shakes hands with; none speaks in clear.
#[derive(Clone, Debug, Default)]
pub(crate) struct TlsListeners {
    pub(crate) http: Option<Arc<TlsListener>>,
    pub(crate) grpc: Option<Arc<TlsListener>>,
    pub(crate) resp: Option<Arc<TlsListener>>,
    pub(crate) admin: Option<Arc<TlsListener>>,
}

/// Files, and the listeners that share them.
#[derive(Debug)]
struct Bundle {
    files: TlsFiles,
    listeners: Vec<Arc<TlsListener>>,
    /// What is in force.
    seen: Arc<Contents>,
    reading: Reading<News>,
    /// Looks in a row that found files which cannot be used.
    failures: u32,
    standing: Arc<ArcSwap<Standing>>,
    /// When the end of the certificate was last told of.
    warned_s: Option<u64>,
}

/// What a look found, if it is new.
type News = Result<Option<(Contents, Material)>, TlsError>;

/// How often the files are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// A certificate and its key are replaced one after the other, so what does not fit together is waited
/// for, so many looks.
const FAILURES_BORNE: u32 = 2;
/// How long the files are waited for.
const READ_MAX: Duration = Duration::from_secs(5);

impl Keeper {
    /// Reads all files, or says what is wrong with the first that cannot be used.
    pub(crate) fn open(
        tls: &Tls,
        patience: Duration,
        recorder: &Arc<Recorder>,
    ) -> Result<(Self, TlsListeners), TlsError> {
        let mut keeper = Self { bundles: Vec::new(), hangup: Hangup::listen() };
        let mut add = |protocol, files: &Option<TlsFiles>| {
            let files = files.as_ref();
            let added = files.map(|files| keeper.add(protocol, files, patience, recorder));
            added.transpose()
        };
        let listeners = TlsListeners {
            http: add(Protocol::Http, &tls.http)?,
            grpc: add(Protocol::Grpc, &tls.grpc)?,
            resp: add(Protocol::Resp, &tls.resp)?,
            admin: add(Protocol::Admin, &tls.admin)?,
        };
        let now_s = now_s();
        for bundle in &mut keeper.bundles {
            bundle.warn_of_the_end(now_s);
        }
        Ok((keeper, listeners))
    }

    fn add(
        &mut self,
        protocol: Protocol,
        files: &TlsFiles,
        patience: Duration,
        recorder: &Arc<Recorder>,
    ) -> Result<Arc<TlsListener>, TlsError> {
        let seen = Contents::read(files)?;
        let material = seen.understand(files)?;
        let listener = TlsListener::new(protocol, &material, patience, Arc::clone(recorder));
        let listener = Arc::new(listener.map_err(|why| refused(files, why))?);
        let name = protocol.name();
        let known = self.bundles.iter_mut();
        match known.into_iter().find(|bundle| bundle.files == *files) {
            Some(bundle) => {
                bundle.listeners.push(Arc::clone(&listener));
                let mut standing = Standing::clone(&bundle.standing.load());
                standing.listeners = format!("{}, {name}", standing.listeners);
                bundle.standing.store(Arc::new(standing));
            }
            None => self.bundles.push(Bundle {
                files: files.clone(),
                listeners: vec![Arc::clone(&listener)],
                seen: Arc::new(seen),
                reading: Reading::new(READ_MAX),
                failures: 0,
                standing: Arc::new(ArcSwap::from_pointee(Standing {
                    listeners: name.to_owned(),
                    certificate: files.certificate.clone(),
                    about: material.about,
                    trouble: None,
                })),
                warned_s: None,
            }),
        }
        Ok(listener)
    }

    /// How the certificates are, from now on.
    pub(crate) fn standings(&self) -> Standings {
        let standings = self.bundles.iter();
        Standings(standings.map(|bundle| Arc::clone(&bundle.standing)).collect())
    }

    /// Whether any listener speaks TLS.
    pub(crate) const fn has_work(&self) -> bool {
        !self.bundles.is_empty()
    }

    /// Follows the files until told to stop: once a second, and on SIGHUP.
    pub(crate) async fn run(mut self, mut stop: Stop) {
        let mut turn = interval(LOOK_EVERY);
        turn.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = turn.tick() => {}
                () = self.hangup.heard() => {}
                () = stop.heard() => return,
            }
            let now_s = now_s();
            for bundle in &mut self.bundles {
                tokio::select! {
                    () = bundle.look() => bundle.warn_of_the_end(now_s),
                    () = stop.heard() => return,
                }
            }
        }
    }
}

impl Bundle {
    async fn look(&mut self) {
        let (files, seen) = (self.files.clone(), Arc::clone(&self.seen));
        let news = self.reading.done(move || seen.news(&files)).await;
        let news = news.unwrap_or_else(|| Err(flawed(&self.files, Flaw::Hangs(READ_MAX))));
        let taken = match news {
            Ok(None) => return self.mend(),
            Ok(Some((read, material))) => self.take(read, material),
            Err(error) => Err(error),
        };
        match taken {
            Ok(serial) => {
                let listeners = self.listeners();
                tracing::info!(
                    listeners,
                    serial,
                    "A new certificate is in force; connections go on."
                );
            }
            Err(error) => self.bear(&error),
        }
    }

    /// Puts new contents in force, for all listeners or none. Says the certificate's number.
    fn take(&mut self, read: Contents, material: Material) -> Result<String, TlsError> {
        let renewed = self.listeners.iter().map(|listener| listener.prepare(&material));
        let renewed: Result<Vec<_>, _> = renewed.collect();
        let renewed = renewed.map_err(|why| refused(&self.files, why))?;
        for (listener, config) in self.listeners.iter().zip(renewed) {
            listener.renew(config, &material.about);
        }
        self.seen = Arc::new(read);
        self.failures = 0;
        self.warned_s = None;
        self.note(&Ok(()));
        let Material { about, .. } = material;
        let serial = about.serial.clone();
        self.change(|standing| {
            standing.about = about;
            standing.trouble = None;
        });
        Ok(serial)
    }

    /// The former files are back.
    fn mend(&mut self) {
        if self.failures == 0 {
            return;
        }
        self.failures = 0;
        self.note(&Ok(()));
        self.change(|standing| standing.trouble = None);
    }

    /// Keeps what is in force, and says so, once.
    fn bear(&mut self, error: &TlsError) {
        self.failures = self.failures.saturating_add(1);
        if self.failures < FAILURES_BORNE {
            return;
        }
        let trouble = error.to_string();
        if self.standing.load().trouble.as_ref() == Some(&trouble) {
            return;
        }
        self.note(&Err(()));
        let listeners = self.listeners();
        tracing::error!(listeners, "The former certificate stays in force: {trouble}");
        self.change(|standing| standing.trouble = Some(trouble));
    }

    /// Warns of a certificate that runs out, once a day.
    fn warn_of_the_end(&mut self, now_s: u64) {
        let is_told = |told_s: u64| now_s.saturating_sub(told_s) < DAY_S;
        if self.warned_s.is_some_and(is_told) {
            return;
        }
        if let Some(ending) = self.standing.load().ending(now_s) {
            let listeners = self.listeners();
            tracing::warn!(listeners, "TLS: {ending}.");
            self.warned_s = Some(now_s);
        }
    }

    fn note(&self, outcome: &Result<(), ()>) {
        for listener in &self.listeners {
            listener.recorder.certificate_reloaded(listener.protocol, outcome);
        }
    }

    fn listeners(&self) -> String {
        self.standing.load().listeners.clone()
    }

    fn change(&self, change: impl FnOnce(&mut Standing)) {
        let mut standing = Standing::clone(&self.standing.load());
        change(&mut standing);
        self.standing.store(Arc::new(standing));
    }
}

fn refused(files: &TlsFiles, why: String) -> TlsError {
    flawed(files, Flaw::Refused(why))
}

fn flawed(files: &TlsFiles, flaw: Flaw) -> TlsError {
    TlsError { role: Role::Certificate, path: files.certificate.clone(), flaw }
}

fn now_s() -> u64 {
    SystemClock.now().wall.as_micros() / 1_000_000
}

/// One read at a time, that nobody waits for without end.
#[derive(Debug)]
pub(crate) struct Reading<T> {
    under_way: Option<JoinHandle<T>>,
    patience: Duration,
}

impl<T: Send + 'static> Reading<T> {
    /// None yet; each will be waited for so long.
    pub(crate) const fn new(patience: Duration) -> Self {
        Self { under_way: None, patience }
    }

    /// What was read; none if it hangs. One that hangs is waited for once. After that it is only looked
    /// whether it has come back, and no other is started before, or they would pile up.
    pub(crate) async fn done(&mut self, read: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let patience = match &self.under_way {
            Some(_) => Duration::ZERO,
            None => self.patience,
        };
        let under_way = self.under_way.get_or_insert_with(|| spawn_blocking(read));
        let done = timeout(patience, under_way).await.ok()?;
        self.under_way = None;
        done.ok()
    }
}

/// So long before its end a certificate is told of.
pub(crate) const AHEAD_S: u64 = 30 * DAY_S;
pub(super) const DAY_S: u64 = 24 * 60 * 60;

/// How the certificate of some listeners is.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    /// Whose it is: `http, admin`.
    pub(crate) listeners: String,
    pub(crate) certificate: PathBuf,
    /// What it says.
    pub(crate) about: About,
    /// Why newer files are not in force.
    pub(crate) trouble: Option<String>,
}

/// How all of them are; copies see the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standings(pub(super) Arc<[Arc<ArcSwap<Standing>>]>);

impl Standings {
    /// What somebody should look at.
    pub(crate) fn troubles(&self, now_s: u64) -> Vec<String> {
        let mut troubles = Vec::new();
        for standing in self.0.iter().map(|standing| standing.load()) {
            let listeners = &standing.listeners;
            if let Some(trouble) = &standing.trouble {
                troubles
                    .push(format!("TLS of {listeners}: the former certificate stays: {trouble}"));
            }
            if let Some(ending) = standing.ending(now_s) {
                troubles.push(format!("TLS of {listeners}: {ending}"));
            }
        }
        troubles
    }

    /// What is told of the certificate of a listener.
    pub(crate) fn about(&self, listener: &str) -> Option<About> {
        let standings = self.0.iter().map(|standing| standing.load());
        let mut its = standings.filter(|standing| {
            let mut listeners = standing.listeners.split(", ");
            listeners.any(|name| name == listener)
        });
        its.next().map(|standing| standing.about.clone())
    }
}

impl Standing {
    /// That the certificate does not hold, or not for long, and what to do about it.
    pub(crate) fn ending(&self, now_s: u64) -> Option<String> {
        let About { begins_s, expires_s, .. } = self.about;
        let path = self.certificate.display();
        let remedy = "put a new one in its place, it is read without a restart";
        if now_s < begins_s {
            return Some(format!(
                "the certificate {path} does not hold yet, so clients refuse it: compare the clocks, or {remedy}"
            ));
        }
        if expires_s <= now_s {
            return Some(format!(
                "the certificate {path} has run out, so clients refuse it: {remedy}"
            ));
        }
        let left_s = expires_s.saturating_sub(now_s);
        (left_s < AHEAD_S).then(|| {
            let left = match left_s / DAY_S {
                0 => "less than a day".to_owned(),
                1 => "a day".to_owned(),
                days => format!("{days} days"),
            };
            format!("the certificate {path} runs out in {left}: {remedy}")
        })
    }
}
