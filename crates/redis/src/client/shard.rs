//! One primary: its connection, its breaker, and what was found out about it.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering::Relaxed},
};

use arc_swap::ArcSwapOption;
use redis::Value;
use tokio::sync::Notify;
use tollgate_core::{Clock, Micros};

use super::{
    address::Address,
    breaker::Breaker,
    call::{Call, Cause, Failure},
    link::{Link, Lost, PATIENCE, Refused},
    reply::{Refusal, refusal},
};
use crate::{Finding, ShardHealth, script::Script};

/// Calls that may be under way at one shard.
pub(super) const IN_FLIGHT_MAX: usize = 4_096;
/// How long a server that serves no slot is kept in mind after somebody was sent there.
const WANTED_FOR: Micros = Micros::from_secs(60);

/// A primary, for as long as anybody may be sent to its address.
pub(crate) struct Shard {
    name: String,
    pub(super) address: Address,
    clock: Arc<dyn Clock>,
    link: ArcSwapOption<Link>,
    in_flight: AtomicUsize,
    /// What share of the keys is let through, in percent: what the breaker says, to be read at any time.
    share: AtomicU8,
    /// Whether a success would change nothing.
    is_calm: AtomicBool,
    wanted_until: AtomicU64,
    inner: Mutex<Inner>,
    /// Told when the breaker opens, and when nobody holds this any more.
    pub(super) stir: Arc<Notify>,
}

struct Inner {
    breaker: Breaker,
    trouble: Option<Refused>,
    findings: Vec<Finding>,
    probe_key: Vec<u8>,
}

/// How a call is put to a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// As its owner.
    Owner,
    /// As the one who is about to become it.
    Asking,
}

impl Shard {
    pub(super) fn new(address: Address, clock: Arc<dyn Clock>) -> Self {
        let inner = Inner {
            breaker: Breaker::new(),
            trouble: None,
            findings: Vec::new(),
            probe_key: b"rl:{tollgate}:probe".to_vec(),
        };
        Self {
            name: address.to_string(),
            address,
            clock,
            link: ArcSwapOption::empty(),
            in_flight: AtomicUsize::new(0),
            share: AtomicU8::new(0),
            is_calm: AtomicBool::new(false),
            wanted_until: AtomicU64::new(0),
            inner: Mutex::new(inner),
            stir: Arc::new(Notify::new()),
        }
    }

    /// `host:port`.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether a key with this hash is asked for here now. If not, the policy of the rule answers.
    pub(crate) fn admits(&self, key_hash: u64) -> bool {
        match self.share.load(Relaxed) {
            100 => true,
            0 => false,
            share => key_hash % 100 < u64::from(share),
        }
    }

    /// Somebody did not get what was asked for.
    pub(crate) fn failed(&self, cause: Cause) {
        if cause.is_trouble() {
            self.change(Breaker::failed);
        }
    }

    /// Somebody got it.
    pub(crate) fn succeeded(&self) {
        if !self.is_calm.load(Relaxed) {
            self.change(Breaker::succeeded);
        }
    }

    /// Changes the breaker, and publishes what it says.
    pub(super) fn change(&self, event: impl FnOnce(&mut Breaker)) {
        let mut inner = self.inner();
        let before = inner.breaker.share();
        event(&mut inner.breaker);
        let share = inner.breaker.share();
        self.share.store(share, Relaxed);
        self.is_calm.store(inner.breaker.is_calm(), Relaxed);
        drop(inner);
        if share < before {
            self.stir.notify_one();
        }
        if share != before {
            tracing::info!(
                shard = self.name,
                before,
                share,
                "percent of keys asked for at this shard"
            );
        }
    }

    /// Runs a script here, loading it first if need be.
    pub(super) async fn run(&self, call: &Call, way: Way) -> Result<Value, Refusal> {
        let outcome = self.run_uncounted(call, way).await;
        match &outcome {
            Err(Refusal::Failed(failure)) => self.failed(failure.cause()),
            Err(Refusal::ReadOnly) => self.failed(Cause::Moving),
            // A redirection is an answer too.
            _ => self.succeeded(),
        }
        outcome
    }

    async fn run_uncounted(&self, call: &Call, way: Way) -> Result<Value, Refusal> {
        let not_run = |cause| Refusal::Failed(Failure::NotRun(cause));
        let Some(_place) = Place::take(&self.in_flight) else {
            return Err(not_run(Cause::Crowded));
        };
        let Some(link) = self.link() else {
            return Err(not_run(self.absence()));
        };
        if way == Way::Asking {
            self.wanted();
        }
        match self.send(&link, call, way, None).await {
            // It did not run, so it may be sent again.
            Err(Refusal::NoScript) => self.send(&link, call, way, Some(call.script)).await,
            outcome => outcome,
        }
    }

    /// Sends the call in one piece with whatever must stand before it.
    async fn send(
        &self,
        link: &Link,
        call: &Call,
        way: Way,
        load: Option<&Script>,
    ) -> Result<Value, Refusal> {
        let reply = if way == Way::Owner && load.is_none() {
            link.ask(&call.command(), PATIENCE).await
        } else {
            let mut commands = redis::pipe();
            if let Some(script) = load {
                commands.cmd("SCRIPT").arg("LOAD").arg(script.text());
            }
            if way == Way::Asking {
                commands.cmd("ASKING");
            }
            commands.add_command(call.command());
            let replies = link.ask_all(&commands, PATIENCE).await;
            replies.and_then(|mut replies| {
                // If it could not be loaded, the reason is in the first reply.
                let is_unknown = |reply: &Value| refused(reply) == Some(Refusal::NoScript);
                if load.is_some() && replies.last().is_some_and(is_unknown) {
                    replies.truncate(1);
                }
                replies.pop().ok_or(Lost::Ended)
            })
        };
        match reply {
            Ok(reply) => refused(&reply).map_or(Ok(reply), Err),
            Err(Lost::Ended) => Err(Refusal::Failed(Failure::InDoubt(Cause::Unreachable))),
            Err(Lost::Late) => {
                link.cut();
                Err(Refusal::Failed(Failure::InDoubt(Cause::Silent)))
            }
        }
    }

    /// The connection, if there is one.
    pub(super) fn link(&self) -> Option<Arc<Link>> {
        self.link.load_full().filter(|link| link.is_open())
    }

    /// There is a connection now.
    pub(super) fn attach(&self, link: Arc<Link>) {
        self.link.store(Some(link));
        self.inner().trouble = None;
    }

    /// There is none any more.
    pub(super) fn detach(&self, why: Refused) {
        self.link.store(None);
        self.note(why);
        self.change(Breaker::lost);
    }

    /// What is wrong, for those who ask how things are.
    pub(super) fn note(&self, why: Refused) {
        self.inner().trouble = Some(why);
    }

    /// A probe went well.
    pub(super) fn recovered(&self) {
        let now = self.clock.now().steady;
        self.inner().trouble = None;
        self.change(|breaker| breaker.recovered(now));
    }

    /// Time has passed.
    pub(super) fn tick(&self) {
        let now = self.clock.now().steady;
        self.change(|breaker| breaker.tick(now));
    }

    /// What was found out about it. What is new is logged.
    pub(super) fn report(&self, findings: Vec<Finding>) {
        let mut inner = self.inner();
        for new in findings.iter().filter(|one| !inner.findings.contains(one)) {
            tracing::warn!(shard = new.shard, "{}", new.text);
        }
        inner.findings = findings;
    }

    pub(super) fn findings(&self) -> Vec<Finding> {
        self.inner().findings.clone()
    }

    pub(super) fn health(&self) -> ShardHealth {
        let inner = self.inner();
        ShardHealth {
            name: self.name.clone(),
            standing: inner.breaker.standing(),
            trouble: inner.trouble.as_ref().map(|trouble| trouble.text.clone()),
        }
    }

    /// A key that this shard serves, for probes.
    pub(super) fn probe_key(&self) -> Vec<u8> {
        self.inner().probe_key.clone()
    }

    pub(super) fn probe_by(&self, key: Vec<u8>) {
        self.inner().probe_key = key;
    }

    /// Somebody was sent here.
    pub(super) fn wanted(&self) {
        let until = self.clock.now().steady.saturating_add(WANTED_FOR);
        self.wanted_until.store(until.as_micros(), Relaxed);
    }

    /// Whether it is to be kept though it serves no slot.
    pub(super) fn is_wanted(&self) -> bool {
        self.clock.now().steady.as_micros() < self.wanted_until.load(Relaxed)
    }

    /// Why there is no connection.
    fn absence(&self) -> Cause {
        let inner = self.inner();
        inner
            .trouble
            .as_ref()
            .map_or(Cause::Unreachable, |trouble| match trouble.cause {
                Cause::Forbidden => Cause::Forbidden,
                _ => Cause::Unreachable,
            })
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // Nothing in here is left half done.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Shard {
    fn drop(&mut self) {
        self.stir.notify_one();
    }
}

fn refused(reply: &Value) -> Option<Refusal> {
    match reply {
        Value::ServerError(error) => Some(refusal(error)),
        _ => None,
    }
}

/// A place among those who are under way.
struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    fn take(count: &'a AtomicUsize) -> Option<Self> {
        let place = Self(count);
        (count.fetch_add(1, Relaxed) < IN_FLIGHT_MAX).then_some(place)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}
