//! One primary: its connection, its breaker, and what was found out about it.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering::Relaxed},
};

use arc_swap::ArcSwapOption;
use tokio::sync::Notify;
use tollgate_core::{Clock, Micros};

use super::{
    address::Address,
    breaker::Breaker,
    call::Cause,
    link::{Link, Refused},
    term::Term,
};
use crate::{Finding, ShardHealth, Standing};

/// How long a server that serves no slot is kept in mind after somebody was sent there.
const WANTED_FOR: Micros = Micros::from_secs(60);

/// A primary, for as long as anybody may be sent to its address.
pub(crate) struct Shard {
    name: String,
    pub(super) address: Address,
    pub(super) clock: Arc<dyn Clock>,
    /// How long a decision waits.
    pub(super) deadline: Micros,
    link: ArcSwapOption<Link>,
    pub(super) in_flight: AtomicUsize,
    /// What share of the keys is let through, in percent: what the breaker says, to be read at any time.
    share: AtomicU8,
    /// Whether a success would change nothing.
    is_calm: AtomicBool,
    wanted_until: AtomicU64,
    inner: Mutex<Inner>,
    /// Who is there.
    pub(super) term: Term,
    /// Told when the breaker opens, and when nobody holds this any more.
    pub(super) stir: Arc<Notify>,
}

struct Inner {
    breaker: Breaker,
    trouble: Option<Refused>,
    findings: Vec<Finding>,
    probe_key: Vec<u8>,
}

/// What became of the share that is let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// It fell.
    Fell,
    /// It rose, or is what it was.
    Other,
}

/// The share of a shard that is asked for all of its keys.
const FULL: u8 = 100;

impl Shard {
    pub(super) fn new(
        address: Address,
        clock: Arc<dyn Clock>,
        deadline: Micros,
        term: Term,
    ) -> Self {
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
            deadline,
            link: ArcSwapOption::empty(),
            in_flight: AtomicUsize::new(0),
            share: AtomicU8::new(0),
            is_calm: AtomicBool::new(false),
            wanted_until: AtomicU64::new(0),
            inner: Mutex::new(inner),
            term,
            stir: Arc::new(Notify::new()),
        }
    }

    /// `host:port`.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether a key with this hash is asked for here now. If not, the policy of the rule answers.
    pub(crate) fn admits(&self, key_hash: u64) -> bool {
        if self.is_quarantined() {
            return false;
        }
        match self.share.load(Relaxed) {
            FULL => true,
            0 => false,
            share => key_hash % 100 < u64::from(share),
        }
    }

    /// Somebody did not get what was asked for.
    pub(crate) fn failed(&self, cause: Cause) {
        if cause.is_trouble() && self.change(Breaker::failed) == Change::Fell {
            let text = format!("calls failed, the last one because: {}", cause.name());
            let why = Refused { cause, text };
            self.inner().trouble.get_or_insert(why);
        }
    }

    /// Somebody got it.
    pub(crate) fn succeeded(&self) {
        if !self.is_calm.load(Relaxed) {
            self.change(Breaker::succeeded);
        }
    }

    /// Changes the breaker, and publishes what it says.
    pub(super) fn change(&self, event: impl FnOnce(&mut Breaker)) -> Change {
        let mut inner = self.inner();
        let before = inner.breaker.share();
        event(&mut inner.breaker);
        let share = inner.breaker.share();
        self.share.store(share, Relaxed);
        self.is_calm.store(inner.breaker.is_calm(), Relaxed);
        drop(inner);
        if share == before {
            return Change::Other;
        }
        self.tell(before, share);
        if share > before {
            return Change::Other;
        }
        self.stir.notify_one();
        Change::Fell
    }

    /// Says when the shard goes and when it is back, and in between no more than that.
    fn tell(&self, before: u8, share: u8) {
        let shard = self.name.as_str();
        match (before, share) {
            (_, 0) if before == FULL => {
                let trouble = self.health().trouble.unwrap_or_default();
                tracing::warn!(
                    shard,
                    trouble,
                    "a shard of Redis is down: each rule's on_failure answers for its keys"
                );
            }
            (_, FULL) if self.is_quarantined() => {
                tracing::info!(shard, "a shard of Redis is back, and is told what it may have lost")
            }
            (_, FULL) => {
                tracing::info!(shard, "a shard of Redis is up, and asked for all of its keys")
            }
            _ => tracing::debug!(shard, before, share, "percent of keys asked for at this shard"),
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
        let doubt = self.doubt_now();
        let inner = self.inner();
        ShardHealth {
            name: self.name.clone(),
            standing: inner.breaker.standing(),
            trouble: inner.trouble.as_ref().map(|trouble| trouble.text.clone()),
            doubt,
        }
    }

    /// What its breaker says.
    pub(super) fn standing(&self) -> Standing {
        self.inner().breaker.standing()
    }

    pub(super) fn trouble(&self) -> Option<Refused> {
        self.inner().trouble.clone()
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
    pub(super) fn absence(&self) -> Cause {
        let inner = self.inner();
        inner.trouble.as_ref().map_or(Cause::Unreachable, |trouble| match trouble.cause {
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

#[cfg(test)]
impl Shard {
    /// One to which nobody connects.
    pub(super) fn of_nobody(address: Address, place: super::lineage::Place) -> Self {
        let term = Term::new(Arc::default(), place);
        Self::new(address, Arc::new(tollgate_core::SystemClock), Micros::ZERO, term)
    }
}
