//! The store.

use std::{
    sync::{
        Arc, Weak,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use tollgate_core::{Action, Charge, Clock, ImmediateStore, Limit, Store, StoreError, Verdict};

use crate::{
    Ending, Health, Journal, LeaseStats, Options, OptionsError, Peer, Stats,
    assert::keep_asserting,
    client::Client,
    exact::Lanes,
    fleet::{Fleet, Manner, Policies},
    heard::Heard,
    journal::Past,
    key::Names,
    lease::{self, Holdings, LeaseClock},
    time::Time,
    verify::{Verifier, keep_verifying},
};

/// Counters that a fleet shares through Redis. `L` is where this node counts by itself.
pub struct RedisStore<L> {
    fleet: Fleet<L>,
}

/// How often what is owed is looked after.
const SETTLE_EVERY: Duration = Duration::from_millis(50);
/// How many counters are settled at once.
const SETTLE_MAX: usize = 256;

impl<L> std::fmt::Debug for RedisStore<L> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RedisStore").finish_non_exhaustive()
    }
}

impl<L: ImmediateStore + 'static> RedisStore<L> {
    /// A store over these servers. Does not wait for them: until they answer, policies do. Must be called
    /// within a tokio runtime.
    ///
    /// # Errors
    ///
    /// What is wrong with the options.
    pub fn start(options: Options, local: L, clock: Arc<dyn Clock>) -> Result<Self, OptionsError> {
        Self::with(options, local, clock, Time::of_redis())
    }

    pub(crate) fn with(
        options: Options,
        local: L,
        clock: Arc<dyn Clock>,
        time: Time,
    ) -> Result<Self, OptionsError> {
        // Breakers and reconnects go by real time, whatever the scripts are told.
        let real = Arc::new(tollgate_core::SystemClock);
        let client = Client::start(&options, real, time.patience())?;
        let lanes = Lanes::new(
            Arc::clone(&client),
            time,
            Arc::clone(&clock),
            (options.deadline, options.journal),
        );
        let lanes = Arc::new(lanes);
        let weak = Arc::downgrade(&lanes);
        let clock_of_leases = match &lanes.time().told {
            Some(clock) => LeaseClock::Told(Arc::clone(clock)),
            None => LeaseClock::System,
        };
        let verifier = Arc::new(Verifier::new(Arc::new(clock_of_leases.clone())));
        let holdings = Holdings::new(options.leases, clock_of_leases, Arc::clone(&verifier));
        let (holdings, heard) = (Arc::new(holdings), Arc::<Heard>::default());
        let verifying = keep_verifying(
            Arc::downgrade(&verifier),
            Arc::downgrade(&client),
            lanes.time().clone(),
        );
        #[expect(
            clippy::disallowed_methods,
            reason = "they end with the store, of which they hold nothing"
        )]
        {
            drop(tokio::spawn(keep_settling(weak.clone())));
            let weak_holdings = Arc::downgrade(&holdings);
            drop(tokio::spawn(keep_asserting(weak.clone(), weak_holdings.clone())));
            drop(tokio::spawn(lease::forgive(
                weak_holdings.clone(),
                Arc::downgrade(&heard),
                client.pushed(),
            )));
            drop(tokio::spawn(lease::keep(weak_holdings, weak)));
            drop(tokio::spawn(verifying));
        }
        let fleet = Fleet {
            lanes,
            client,
            local,
            clock,
            names: Names { prefix: options.prefix, naming: options.naming },
            deadline: options.deadline,
            policies: Policies::default(),
            holdings,
            heard,
            verifier,
            foreign_told_micros: AtomicU64::new(0),
        };
        Ok(Self { fleet })
    }

    /// How the shards are.
    pub fn health(&self) -> Health {
        self.fleet.client.health()
    }

    /// What has happened so far.
    pub fn stats(&self) -> Stats {
        let lanes = &self.fleet.lanes;
        let counts = lanes.counts();
        let [settled, given_back, unsettled] = lanes.ledger.totals();
        let mut failures = self.fleet.client.failures();
        let foreign = failures.iter_mut().find(|(cause, _)| *cause == "foreign");
        if let Some((_, count)) = foreign {
            *count = count.saturating_add(counts.foreign.load(Relaxed));
        }
        Stats {
            calls: counts.calls.load(Relaxed),
            decisions: counts.decisions.load(Relaxed),
            failures,
            late: counts.late.load(Relaxed),
            by_policy: self.fleet.policies.totals(),
            settled,
            given_back,
            owing: u64::try_from(lanes.ledger.len()).unwrap_or(u64::MAX),
            unsettled,
            conflicts: counts.conflicts.load(Relaxed),
            leases: self.lease_stats(),
        }
    }

    fn lease_stats(&self) -> LeaseStats {
        let lanes = &self.fleet.lanes;
        let (touched, forgotten) = lanes.touched.totals();
        let [verified, overshoot] = self.fleet.verifier.totals();
        LeaseStats {
            touched,
            forgotten,
            asserted: lanes.told.keys.load(Relaxed),
            reclaimed: lanes.told.units.load(Relaxed),
            verified,
            overshoot,
            ..self.fleet.holdings.stats()
        }
    }

    /// Where this node counts by itself.
    pub const fn local(&self) -> &L {
        &self.fleet.local
    }

    /// Ends all doubt about counters that servers may have lost: what no process has told counts as never spent. Other nodes
    /// hear of it within a second.
    ///
    /// # Errors
    ///
    /// A server cannot be told; some may have been.
    pub async fn trust(&self) -> Result<(), StoreError> {
        let told = self.fleet.client.trust().await;
        told.map_err(|failure| StoreError::Unreachable(failure.cause().name().into()))
    }

    /// This run of this node, as registers name it.
    pub fn process(&self) -> &str {
        self.fleet.client.process()
    }

    /// How long what this process has spent may count.
    pub fn life(&self) -> Duration {
        Duration::from_micros(self.fleet.client.extent().life())
    }

    /// This limit is in force: what is spent under it may count for so long.
    pub fn expect(&self, limit: &Limit) {
        self.fleet.client.extent().meet(limit);
    }

    /// Processes of the fleet that others have seen: should a server lose its register, they are awaited.
    pub fn hear_of(&self, peers: &[Peer]) {
        self.fleet.client.hear_of(peers);
    }

    /// What this process has spent, and those before it, for the next one of this node: [`Options::journal`].
    pub fn journal(&self, ending: Ending) -> Vec<u8> {
        let (lanes, extent) = (&self.fleet.lanes, self.fleet.client.extent());
        let own = Past {
            name: self.process().to_owned(),
            ending,
            sequence: lanes.sequence().load(Relaxed),
            seen: lanes.touched.latest().max(self.fleet.client.heard_time()),
            gap: extent.gap(),
            life: extent.life(),
            debits: lanes.touched.debits(),
        };
        let before = lanes.inherited.past(own.seen);
        Journal::of(std::iter::once(own).chain(before)).to_bytes()
    }

    /// Settles what is owed, for as long as `patience` lasts; says how many counters were left unsettled.
    ///
    /// What this node leases is given back first.
    pub async fn settle(&self, patience: Duration) -> usize {
        const PAUSE: Duration = Duration::from_millis(5);
        self.fleet.holdings.leave(patience / 2).await;
        let lanes = &self.fleet.lanes;
        let settling = async {
            while lanes.ledger.len() > 0 {
                lanes.settle(lanes.ledger.some(SETTLE_MAX));
                tokio::time::sleep(PAUSE).await;
            }
        };
        // What is left is counted below.
        drop(tokio::time::timeout(patience, settling).await);
        lanes.ledger.len()
    }
}

/// Settles what nobody asks about.
async fn keep_settling(lanes: Weak<Lanes>) {
    loop {
        tokio::time::sleep(SETTLE_EVERY).await;
        let Some(lanes) = lanes.upgrade() else {
            return;
        };
        lanes.settle(lanes.ledger.some(SETTLE_MAX));
    }
}

impl<L: ImmediateStore + 'static> Store for RedisStore<L> {
    async fn charge(&self, charges: &[Charge<'_>]) -> Result<Verdict, StoreError> {
        if let Some(verdict) = self.fleet.holdings.charge(charges) {
            return Ok(verdict);
        }
        // In a box, so that those who are served from memory carry no room for it.
        Ok(Box::pin(self.fleet.decide(charges, Manner::Charge)).await)
    }

    async fn inspect(&self, action: Action, charges: &[Charge<'_>]) -> Result<Verdict, StoreError> {
        match action {
            Action::Peek => Ok(Box::pin(self.fleet.decide(charges, Manner::Look)).await),
            action => Box::pin(self.fleet.change(action, charges)).await,
        }
    }
}
