//! Who is told of what happens.

use std::{
    fmt,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
};

use arc_swap::ArcSwap;
use tollgate::Ruling;
use tollgate_core::{Clock as _, Micros, SystemClock};
use tollgate_memory::{Stats, Throttled};
use tollgate_rules::{Plan, Snapshot, TierFound};

use super::{
    by_rule::ByRule,
    openmetrics,
    outcome::Outcome,
    overflow::Overflow,
    shared::FleetReading,
    top::TopKeys,
    traffic::{Attempted, Attempts, Protocol, Traffic, Turned},
    unfinished::Unfinished,
    unknown_tiers::UnknownTiers,
};
use crate::{callers::Callers, config::Settings, identity::Reason, tls::Failure};

/// Counts. Called on the way of every decision: be quick.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub(super) node: String,
    pub(super) region: String,
    pub(super) started_us: u64,
    pub(super) by_rule: ArcSwap<ByRule>,
    pub(super) traffic: Traffic,
    pub(super) unknown_tiers: UnknownTiers,
    /// What should have gone on record, and did not for want of room.
    pub(super) unrecorded: AtomicU64,
    /// Those who are not who they say they are, by reason.
    pub(super) refused: [AtomicU64; Reason::ALL.len()],
    pub(super) jwt_keys: Attempts,
    /// Of `CL.THROTTLE`: passed, and limited.
    pub(super) throttles: [AtomicU64; 2],
    pub(super) reloads: Attempts,
    /// The rule database cannot be followed.
    pub(super) is_behind: AtomicBool,
    pub(super) saves: Attempts,
    pub(super) pushes: Attempts,
    overflows: ArcSwap<Vec<Overflow>>,
    store: OnceLock<ReadStore>,
    fleet: OnceLock<ReadFleet>,
    top: TopKeys,
    callers: Arc<Callers>,
}

struct ReadStore(Box<dyn Fn() -> Option<Stats> + Send + Sync>);

struct ReadFleet(Box<dyn Fn() -> Option<FleetReading> + Send + Sync>);

impl Recorder {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            node: settings.node.to_string(),
            region: settings.region.clone(),
            started_us: SystemClock.now().wall.as_micros(),
            ..Self::default()
        }
    }

    /// Where the numbers of the counters are read at each scrape. Only the first is asked.
    pub(crate) fn reads_store(&self, read: impl Fn() -> Option<Stats> + Send + Sync + 'static) {
        // Whoever comes second is not heard.
        drop(self.store.set(ReadStore(Box::new(read))));
    }

    /// Where the numbers of shared counters are read at each scrape. Only the first is asked.
    pub(crate) fn reads_fleet(
        &self,
        read: impl Fn() -> Option<FleetReading> + Send + Sync + 'static,
    ) {
        drop(self.fleet.set(ReadFleet(Box::new(read))));
    }

    /// These rules have more keys than there is room for.
    pub(crate) fn note_overflows(&self, overflows: Vec<Overflow>) {
        self.overflows.store(Arc::new(overflows));
    }

    /// Rules with more keys than there is room for, as of the last look.
    pub(crate) fn overflows(&self) -> Arc<Vec<Overflow>> {
        self.overflows.load_full()
    }

    /// A request was decided.
    #[inline]
    pub(crate) fn decided(&self, plan: &Plan<'_>, ruling: &Ruling) {
        let outcome = Outcome::of(plan, ruling);
        let rule = ruling.rule().map(|rule| &**rule);
        let by_rule = self.by_rule.load();
        by_rule.count(rule, outcome);
        // A denial charges nothing, and most requests meet one limit.
        if let Some(rule) = rule
            && plan.lines().len() > 1
            && ruling.is_allowed()
        {
            by_rule.count_others(rule, ruling);
        }
        if let TierFound::Unknown { stated, policy } = plan.tier() {
            self.unknown_tiers.met(stated, *policy);
        }
        self.top.sees(plan);
    }

    /// A key of `CL.THROTTLE` was charged, or not.
    #[inline]
    pub(crate) fn throttled(&self, answer: &Throttled) {
        let [passed, limited] = &self.throttles;
        let count = if answer.is_limited { limited } else { passed };
        count.fetch_add(1, Relaxed);
    }

    /// So many requests were answered together, and it took so long from their bytes to those of the
    /// answers.
    #[inline]
    pub(crate) fn answered(&self, protocol: Protocol, count: u64, took: Micros) {
        self.traffic.lane(protocol).answered.add(count, took);
    }

    /// Something was turned away.
    pub(crate) fn turned_away(&self, protocol: Protocol, what: Turned) {
        self.traffic.lane(protocol).turned_away(what);
    }

    /// A connection was opened.
    pub(crate) fn opened(&self, protocol: Protocol) {
        self.traffic.lane(protocol).opened();
    }

    /// A connection was closed.
    pub(crate) fn closed(&self, protocol: Protocol) {
        self.traffic.lane(protocol).closed();
    }

    /// A listener holds this many connections at once.
    pub(crate) fn holds_at_most(&self, protocol: Protocol, connections: usize) {
        let connections = u64::try_from(connections).unwrap_or(u64::MAX);
        self.traffic.lane(protocol).holds_at_most(connections);
    }

    /// What requests hold before they have arrived whole.
    #[inline]
    pub(crate) const fn unfinished(&self, protocol: Protocol) -> &Unfinished {
        &self.traffic.lane(protocol).unfinished
    }

    /// A handshake came to nothing.
    pub(crate) fn handshake_failed(&self, protocol: Protocol, failure: Failure) {
        self.traffic.lane(protocol).handshake_failed(failure);
    }

    /// A listener's certificate runs out then, in seconds since 1970.
    pub(crate) fn certificate_expires(&self, protocol: Protocol, at_s: u64) {
        self.traffic.lane(protocol).certificate_expires(at_s);
    }

    /// A listener has a new certificate, or could not use it.
    pub(crate) fn certificate_reloaded<E>(&self, protocol: Protocol, outcome: &Result<(), E>) {
        self.traffic.lane(protocol).reloads.note(outcome);
    }

    /// Somebody is not who it says it is.
    pub(crate) fn identity_refused(&self, reason: Reason) {
        if let Some(count) = self.refused.get(reason.place()) {
            count.fetch_add(1, Relaxed);
        }
    }

    /// Tokens are verified with new keys, or those cannot be used.
    pub(crate) fn jwt_keys_reloaded<E>(&self, outcome: &Result<(), E>) {
        self.jwt_keys.note(outcome);
    }

    /// Other rules are in force.
    pub(crate) fn rules_changed(&self, snapshot: &Snapshot) {
        self.by_rule.rcu(|former| former.succeed(snapshot));
    }

    /// A rules file was read again, or could not be.
    pub(crate) fn rules_reloaded<E>(&self, outcome: Result<(), E>) {
        self.reloads.note(&outcome.map_err(drop));
    }

    /// The rule database is followed to its head, or cannot be.
    pub(crate) fn catalog_followed<E>(&self, outcome: Result<(), E>) {
        let failed = outcome.map_err(drop).is_err();
        self.is_behind.store(failed, Relaxed);
    }

    /// The counters were written to disk, or could not be.
    pub(crate) fn counters_saved<E>(&self, outcome: Result<(), E>) {
        self.saves.note(&outcome.map_err(drop));
    }

    /// So much went on no record, since there was no room for it.
    pub(crate) fn audit_dropped(&self, count: u64) {
        self.unrecorded.fetch_add(count, Relaxed);
    }

    /// Metrics reached the collector, or did not.
    pub(super) fn metrics_pushed<E>(&self, outcome: &Result<(), E>) -> Attempted {
        self.pushes.note(outcome)
    }

    /// The busiest keys of late.
    pub(crate) const fn top(&self) -> &TopKeys {
        &self.top
    }

    /// The callers that have named themselves.
    pub(crate) const fn callers(&self) -> &Arc<Callers> {
        &self.callers
    }

    /// Every metric, as Prometheus reads it.
    pub(crate) fn scrape(&self) -> String {
        openmetrics::text_of(self.read())
    }

    pub(super) fn fleet_reading(&self) -> Option<FleetReading> {
        self.fleet.get().and_then(|fleet| fleet.0())
    }

    pub(super) fn store_stats(&self) -> Option<Stats> {
        self.store.get().and_then(|store| store.0())
    }
}

impl fmt::Debug for ReadFleet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReadFleet")
    }
}

impl fmt::Debug for ReadStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReadStore")
    }
}
