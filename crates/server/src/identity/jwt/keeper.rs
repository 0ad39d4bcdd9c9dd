//! Follows the files of keys: new ones are in force from the next token on.

use std::{path::Path, sync::Arc, time::Duration};

use arc_swap::ArcSwapOption;
use tokio::time::{MissedTickBehavior, interval};

use super::{
    JwtKeysError, Keys, Verifier,
    claims::{Contents, KeysFlaw},
};
use crate::{
    config::{Identity, Jwt, JwtSecret},
    hangup::Hangup,
    stop::Stop,
    telemetry::Recorder,
    tls::Reading,
};

/// Looks after the keys.
#[derive(Debug)]
pub(crate) struct JwtKeeper {
    verifier: Arc<Verifier>,
    recorder: Arc<Recorder>,
    /// What is in force.
    seen: Arc<Contents>,
    reading: Reading<News>,
    /// Looks in a row that found files which cannot be used.
    failures: u32,
    standing: KeysStanding,
    hangup: Hangup,
}

/// Why newer keys are not in force, if they are not; copies see the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeysStanding(Arc<ArcSwapOption<String>>);

type News = Result<Option<(Contents, Keys)>, JwtKeysError>;

/// How often the files are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// A file may be seen half written, so that is waited for, so many looks.
const FAILURES_BORNE: u32 = 2;
/// How long the files are waited for.
const READ_MAX: Duration = Duration::from_secs(5);

impl KeysStanding {
    /// What somebody should look at.
    pub(crate) fn trouble(&self) -> Option<String> {
        let trouble = self.0.load();
        let trouble = trouble.as_deref()?;
        Some(format!("tokens: the former keys stay: {trouble}"))
    }
}

impl JwtKeeper {
    /// As [`JwtKeeper::open`], if tokens are verified at all.
    pub(crate) fn of(
        settings: &Identity,
        recorder: &Arc<Recorder>,
    ) -> Result<Option<(Self, Arc<Verifier>)>, JwtKeysError> {
        let jwt = settings.jwt.as_ref();
        jwt.map(|jwt| Self::open(jwt, recorder)).transpose()
    }

    /// How the keys are, if there are any.
    pub(crate) fn standing_of(keeper: Option<&Self>) -> KeysStanding {
        keeper.map(Self::standing).unwrap_or_default()
    }

    /// Reads all files, or says what is wrong with the first that cannot be used.
    pub(crate) fn open(
        jwt: &Jwt,
        recorder: &Arc<Recorder>,
    ) -> Result<(Self, Arc<Verifier>), JwtKeysError> {
        let (verifier, seen) = Verifier::open(jwt)?;
        let verifier = Arc::new(verifier);
        let keeper = Self {
            verifier: Arc::clone(&verifier),
            recorder: Arc::clone(recorder),
            seen: Arc::new(seen),
            reading: Reading::new(READ_MAX),
            failures: 0,
            standing: KeysStanding::default(),
            hangup: Hangup::listen(),
        };
        Ok((keeper, verifier))
    }

    /// How the keys are, from now on.
    pub(crate) fn standing(&self) -> KeysStanding {
        self.standing.clone()
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
            tokio::select! {
                () = self.look() => {}
                () = stop.heard() => return,
            }
        }
    }

    pub(in crate::identity) async fn look(&mut self) {
        let (jwt, seen) = (self.verifier.jwt.clone(), Arc::clone(&self.seen));
        let news = self.reading.done(move || seen.news(&jwt)).await;
        let hangs = || KeysFlaw::Hangs(READ_MAX).at(any_path(&self.verifier.jwt), "jwt_…_file");
        match news.unwrap_or_else(|| Err(hangs())) {
            Ok(None) => self.mend(),
            Ok(Some((read, keys))) => {
                self.verifier.renew(keys);
                self.seen = Arc::new(read);
                self.mended();
                tracing::info!("New keys verify tokens from now on.");
            }
            Err(error) => self.bear(&error),
        }
    }

    /// The former files are back.
    fn mend(&mut self) {
        if self.failures > 0 {
            self.mended();
        }
    }

    fn mended(&mut self) {
        self.failures = 0;
        self.recorder.jwt_keys_reloaded(&Ok::<(), ()>(()));
        self.standing.0.store(None);
    }

    /// Keeps what is in force, and says so, once.
    fn bear(&mut self, error: &JwtKeysError) {
        self.failures = self.failures.saturating_add(1);
        if self.failures < FAILURES_BORNE {
            return;
        }
        let trouble = error.to_string();
        if self.standing.0.load().as_deref() == Some(&trouble) {
            return;
        }
        self.recorder.jwt_keys_reloaded(&Err::<(), ()>(()));
        tracing::error!("The former keys verify tokens still: {trouble}");
        self.standing.0.store(Some(Arc::new(trouble)));
    }
}

fn any_path(jwt: &Jwt) -> &Path {
    let secret = match &jwt.secret {
        Some(JwtSecret::File(path)) => Some(path.as_path()),
        _ => None,
    };
    let files = [jwt.jwks_file.as_deref(), jwt.key_file.as_deref(), secret];
    let named = files.into_iter().flatten().next();
    named.unwrap_or(Path::new(""))
}
