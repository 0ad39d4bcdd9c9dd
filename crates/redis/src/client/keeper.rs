//! What keeps a shard: connects it, looks at it, probes it while it is down, and lets it come back step by step.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use redis::Value;
use tokio::{
    sync::Notify,
    time::{sleep, timeout},
};
use tollgate_core::{Clock, Micros};

use super::{
    access::Access,
    breaker::STEP,
    call::Cause,
    lineage::Lineages,
    link::{Link, Lost, PATIENCE, Refused},
    reply::{Refusal, refusal},
    shard::Shard,
    survey,
    tasks::{Backoff, spawn},
    term::Identity,
};
use crate::{Standing, script};

/// Between attempts to connect.
const CONNECT_PAUSE: Duration = Duration::from_millis(50);
pub(super) const CONNECT_PAUSE_MAX: Duration = Duration::from_millis(500);
/// Between probes of a shard that is down.
pub(super) const PROBE_PAUSE: Duration = Duration::from_millis(100);
const PROBE_PAUSE_MAX: Duration = Duration::from_secs(1);
/// How long a probe may take.
const PROBE_MAX: Duration = Duration::from_millis(250);
/// After so many probes without any answer the connection is given up: nobody may be at its other end.
const PROBES_UNHEARD_MAX: u32 = 4;
/// How often a server is looked at again, in signs of life: operators mend what they are told of.
const SURVEY_EVERY: u32 = 30;
/// How often a shard is asked for a sign of life while it is up, so that one that nobody asks is known
/// to be there too.
pub(super) const IDLE: Duration = Duration::from_secs(1);

/// What a keeper needs besides its shard.
#[derive(Clone)]
pub(super) struct Means {
    pub(super) access: Arc<Access>,
    pub(super) clock: Arc<dyn Clock>,
    /// How long a decision waits.
    pub(super) deadline: Micros,
    /// What the names of all keys of this fleet begin with.
    pub(super) prefix: Arc<str>,
    /// To be told when it may be worthwhile to look who serves what.
    pub(super) refresh: Arc<Notify>,
    /// Whom this node has met.
    pub(super) lineages: Arc<Lineages>,
}

/// Starts the keeper of a shard. It ends when nobody else holds the shard.
pub(super) fn keep(shard: &Arc<Shard>, means: Means) {
    let keeper = Keeper { shard: Arc::downgrade(shard), stir: Arc::clone(&shard.stir), means };
    let address = shard.address.clone();
    spawn(async move {
        let mut backoff = Backoff::new(CONNECT_PAUSE, CONNECT_PAUSE_MAX);
        while keeper.shard.strong_count() > 0 {
            let why = match Link::open(&keeper.means.access, &address).await {
                Ok(link) => keeper.attend(Arc::new(link), &mut backoff).await,
                Err(why) => why,
            };
            keeper.without(why);
            keeper.pause(backoff.pause()).await;
        }
    });
}

struct Keeper {
    shard: Weak<Shard>,
    stir: Arc<Notify>,
    means: Means,
}

impl Keeper {
    /// There is no connection.
    fn without(&self, why: Refused) {
        if let Some(shard) = self.shard.upgrade() {
            tracing::debug!(shard = shard.name(), why = why.text, "no connection");
            shard.detach(why);
            self.means.refresh.notify_one();
        }
    }

    /// Waits, but not when nobody holds the shard any more.
    async fn pause(&self, pause: Duration) {
        let over = async {
            while self.shard.strong_count() > 0 {
                self.stir.notified().await;
            }
        };
        timeout(pause, over).await.unwrap_or_default();
    }

    /// Looks after a connection until it ends. One that is of use makes the next attempt to connect a
    /// first one.
    async fn attend(&self, link: Arc<Link>, connecting: &mut Backoff) -> Refused {
        self.welcome(&link).await;
        let mut backoff = Backoff::new(PROBE_PAUSE, PROBE_PAUSE_MAX);
        let (mut signs, mut unheard, mut was_let_in) = (0, 0, false);
        while link.is_open() && unheard < PROBES_UNHEARD_MAX {
            let Some(standing) = self.standing() else {
                break;
            };
            let is_opened = was_let_in && standing == Standing::Down;
            was_let_in = standing != Standing::Down;
            match standing {
                Standing::Up => {
                    backoff.reset();
                    self.idle(&link).await;
                    signs += 1;
                    if signs % SURVEY_EVERY == 0 {
                        self.look(&link).await;
                    }
                }
                Standing::Returning(_) => {
                    self.rest(&link, STEP / 10).await;
                    self.step(&link).await;
                }
                // Whatever it was may pass.
                Standing::Down if is_opened => self.rest_down(&link, backoff.pause()).await,
                Standing::Down => match self.probe(&link).await {
                    Ok(()) => {
                        unheard = 0;
                        connecting.reset();
                    }
                    Err(lost) => {
                        unheard = if lost.is_some() { unheard + 1 } else { 0 };
                        self.rest_down(&link, backoff.pause()).await;
                    }
                },
            }
        }
        link.cut();
        Refused { cause: Cause::Unreachable, text: "the connection was lost".to_owned() }
    }

    fn standing(&self) -> Option<Standing> {
        self.shard.upgrade().map(|shard| shard.standing())
    }

    /// Looks at the server and tells it the scripts, finds out who it is, then lets calls in.
    async fn welcome(&self, link: &Arc<Link>) {
        self.look(link).await;
        if let Some(shard) = self.shard.upgrade() {
            shard.doubt();
            // If it does not say now, it is asked again before anything else.
            drop(shard.identify(link, PATIENCE).await);
            shard.attach(Arc::clone(link));
        }
    }

    async fn look(&self, link: &Link) {
        if let Some(shard) = self.shard.upgrade() {
            let clock = self.means.clock.as_ref();
            shard.report(survey::survey(link, shard.name(), clock).await);
        }
    }

    /// Waits until something happens, and makes sure that the server is there, and is who it was.
    async fn idle(&self, link: &Link) {
        let is_awaited = |shard: Arc<Shard>| shard.is_quarantined();
        let pause = match self.shard.upgrade().is_some_and(is_awaited) {
            true => PROBE_PAUSE,
            false => IDLE,
        };
        if self.rest(link, pause).await == Rest::Stirred || !link.is_open() {
            return;
        }
        let Some(shard) = self.shard.upgrade() else {
            return;
        };
        match shard.identify(link, link.patience).await {
            Err(Lost::Late) => link.cut(),
            Ok(Identity::Replica) => self.means.refresh.notify_one(),
            _ => {}
        }
    }

    /// Lets a shard return by a step, if it is time.
    async fn step(&self, link: &Link) {
        if let Some(shard) = self.shard.upgrade() {
            shard.tick();
            if shard.is_quarantined() {
                // Others may have told meanwhile.
                drop(shard.identify(link, PROBE_MAX).await);
            }
        }
    }

    /// Waits, but not beyond the end of the connection or of the shard, nor if the breaker opens.
    async fn rest(&self, link: &Link, pause: Duration) -> Rest {
        tokio::select! {
            () = link.ended() => Rest::Stirred,
            () = self.stir.notified() => Rest::Stirred,
            () = sleep(pause) => Rest::Over,
        }
    }

    /// The same for a shard that is down: there is nothing else to be stirred by.
    async fn rest_down(&self, link: &Link, pause: Duration) {
        tokio::select! {
            () = link.ended() => {}
            () = self.pause(pause) => {}
        }
    }

    /// Runs a script that writes: a server that answers but takes nothing is not back. If it fails, says
    /// whether that was for want of an answer.
    async fn probe(&self, link: &Link) -> Result<(), Option<Lost>> {
        let Some(shard) = self.shard.upgrade() else {
            return Err(None);
        };
        let command = probe_command(&shard.probe_key());
        let identity = shard.identify(link, PROBE_MAX).await;
        drop(shard);
        if identity == Ok(Identity::Replica) {
            self.means.refresh.notify_one();
            return Err(None);
        }
        let answer = link.ask_all(&command, PROBE_MAX).await;
        let Some(shard) = self.shard.upgrade() else {
            return Err(None);
        };
        let last = answer.map(|mut replies| replies.pop());
        let trouble = match last {
            Ok(Some(Value::ServerError(error))) => match refusal(&error) {
                // Whoever sends us elsewhere is well.
                Refusal::Moved(_) | Refusal::Ask(_) | Refusal::TryAgain => None,
                Refusal::Failed(failure) => Some((failure.cause(), error.to_string(), None)),
                Refusal::ReadOnly => Some((Cause::Moving, error.to_string(), None)),
                Refusal::NoScript => Some((Cause::Forbidden, error.to_string(), None)),
            },
            Ok(_) => None,
            Err(lost) => {
                let text = format!("no answer within {PROBE_MAX:?}");
                Some((Cause::Silent, text, Some(lost)))
            }
        };
        let Some((cause, text, lost)) = trouble else {
            if !shard.is_certain() {
                return Err(None);
            }
            // It returns step by step while it is told what it may have lost: until then no request is let in.
            shard.recovered();
            return Ok(());
        };
        shard.note(Refused { cause, text });
        self.means.refresh.notify_one();
        Err(lost)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    Over,
    Stirred,
}

/// A node that nobody counts says that it is alive.
fn probe_command(key: &[u8]) -> redis::Pipeline {
    let script = &script::PRESENCE;
    let mut commands = redis::pipe();
    commands.cmd("SCRIPT").arg("LOAD").arg(script.text());
    let second_micros = 1_000_000;
    commands.cmd("EVALSHA").arg(script.digest()).arg(1).arg(key).arg("probe").arg(second_micros);
    commands
}
