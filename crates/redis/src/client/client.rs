//! The way to Redis as the rest of the crate sees it.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use arc_swap::ArcSwap;
use tokio::sync::Notify;
use tollgate_core::Clock;

use super::{
    access::Access,
    address::Address,
    call::Cause,
    keeper::{self, Means},
    lineage::{Lineages, Place},
    link::{Link, Refused},
    map::Map,
    presence,
    push::{self, Pushes},
    roll::Roll,
    shard::Shard,
    slots::Slots,
    tasks::random,
    term::Term,
    topology,
};
use crate::{
    Finding, Health, Layout, Options, OptionsError, ShardHealth, Standing, extent::Extent,
    slot::Slot,
};

/// Servers that are kept in mind. A Cluster has a thousand at most.
const SHARDS_MAX: usize = 2_048;

/// The way to Redis. Its tasks end once nobody holds it any more.
pub(crate) struct Client {
    pub(super) means: Means,
    pub(super) map: ArcSwap<Map>,
    pub(super) slots: Slots,
    /// Everybody to whom anybody may be sent, by address, so that a shard keeps its breaker and its
    /// connection whatever becomes of the map.
    known: Mutex<BTreeMap<Address, Arc<Shard>>>,
    findings: Mutex<Vec<Finding>>,
    /// What is wrong with the addresses that were given, while nobody has answered.
    seeds: Mutex<BTreeMap<Address, Refused>>,
    live_nodes: AtomicU32,
    pub(super) pushes: Arc<Pushes>,
    failures: [AtomicU64; Cause::ALL.len()],
}

impl Client {
    /// Starts to connect, and does not wait for it. The reply to a call is waited for as long as `patience`
    /// lasts. Must be called within a tokio runtime.
    pub(crate) fn start(
        options: &Options,
        clock: Arc<dyn Clock>,
        patience: Duration,
    ) -> Result<Arc<Self>, OptionsError> {
        let mut access = Access::new(options)?;
        access.patience = patience;
        let me = format!("n{:016x}", random());
        let roll = Roll::of(me, push::channel_of(&options.prefix));
        let roll = roll.after(&options.journal, &options.peers, clock.boot());
        let client = Self::with(access, options, clock, roll);
        presence::announce(&client);
        push::listen(&client);
        Ok(client)
    }

    /// The same for somebody who is no node of the fleet.
    pub(super) fn unannounced(
        options: &Options,
        clock: Arc<dyn Clock>,
    ) -> Result<Arc<Self>, OptionsError> {
        let access = Access::new(options)?;
        Ok(Self::with(access, options, clock, Roll::default()))
    }

    fn with(access: Access, options: &Options, clock: Arc<dyn Clock>, roll: Roll) -> Arc<Self> {
        let means = Means {
            access: Arc::new(access),
            clock,
            deadline: options.deadline.into(),
            prefix: options.prefix.as_str().into(),
            refresh: Arc::new(Notify::new()),
            lineages: Arc::new(Lineages::with(roll)),
        };
        let client = Arc::new(Self {
            means,
            map: ArcSwap::from_pointee(Map::unknown()),
            slots: Slots::new(),
            known: Mutex::default(),
            findings: Mutex::default(),
            seeds: Mutex::default(),
            live_nodes: AtomicU32::new(1),
            pushes: Arc::default(),
            failures: Default::default(),
        });
        topology::follow(&client);
        client
    }

    /// This run of this node, in marks and registers: no other's are taken for ours.
    pub(crate) fn process(&self) -> &str {
        self.means.lineages.roll.me.as_deref().unwrap_or_default()
    }

    /// How far what this process spends reaches.
    pub(crate) fn extent(&self) -> Arc<Extent> {
        Arc::clone(&self.means.lineages.roll.extent)
    }

    /// What Redis turned out to be.
    pub(crate) fn layout(&self) -> Layout {
        self.map.load().layout
    }

    /// Whoever serves a slot now, as far as is known.
    pub(crate) fn shard(&self, slot: Slot) -> Option<Arc<Shard>> {
        self.map.load().shard(slot).cloned()
    }

    /// Nodes of the fleet that are alive, as last heard.
    pub(crate) fn live_nodes(&self) -> u32 {
        self.live_nodes.load(Relaxed).max(1)
    }

    pub(super) fn heard_of(&self, nodes: u32) {
        self.live_nodes.store(nodes, Relaxed);
    }

    /// How Redis and the way to it are.
    pub(crate) fn health(&self) -> Health {
        let map = self.map.load();
        let mut findings = self.own_findings();
        findings.extend(map.shards.iter().flat_map(|shard| shard.findings()));
        let shards = map.shards.iter();
        let mut shards: Vec<_> = shards.map(|shard| self.health_of(&map, shard)).collect();
        if map.layout == Layout::Unknown {
            shards = self.seeds_health();
        }
        shards.sort_by(|one, other| one.name.cmp(&other.name));
        Health { layout: map.layout, shards, live_nodes: self.live_nodes(), findings }
    }

    fn health_of(&self, map: &Map, shard: &Arc<Shard>) -> ShardHealth {
        let health = shard.health();
        let is_whole = shard.since() == 0
            || !shard.is_quarantined() && map.slots_of(shard).all(|slot| self.is_asserted(slot));
        if is_whole {
            return health;
        }
        let text = "it took over or was restarted, and nodes are telling it what it may have lost";
        ShardHealth {
            standing: Standing::Down,
            trouble: health.trouble.or_else(|| Some(text.to_owned())),
            ..health
        }
    }

    /// Calls that failed so far, by cause.
    pub(crate) fn failures(&self) -> Vec<(&'static str, u64)> {
        let counts = Cause::ALL.iter().zip(&self.failures);
        counts.map(|(cause, count)| (cause.name(), count.load(Relaxed))).collect()
    }

    pub(super) fn count(&self, cause: Cause) {
        let place = Cause::ALL.iter().position(|one| *one == cause);
        if let Some(count) = place.and_then(|place| self.failures.get(place)) {
            count.fetch_add(1, Relaxed);
        }
    }

    /// The shard at this address, which is connected from now on. `None` if there are too many.
    pub(super) fn known_or_new(&self, address: &Address) -> Option<Arc<Shard>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shard) = known.get(address) {
            return Some(Arc::clone(shard));
        }
        if known.len() >= SHARDS_MAX {
            return None;
        }
        let clock = Arc::clone(&self.means.clock);
        // Whoever is there from the start is nobody's successor.
        let place = match self.layout() {
            Layout::Unknown => Place::First,
            _ => Place::Successor,
        };
        let term = Term::new(Arc::clone(&self.means.lineages), place);
        let shard = Shard::new(address.clone(), clock, self.means.deadline, term);
        shard.probe_by(format!("{}:{{tollgate}}:probe", self.means.prefix).into_bytes());
        let shard = Arc::new(shard);
        shard.wanted();
        keeper::keep(&shard, self.means.clone());
        known.insert(address.clone(), Arc::clone(&shard));
        Some(shard)
    }

    /// Those to whom there is a connection.
    pub(super) fn connected(&self) -> Vec<(Address, Arc<Link>)> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let open =
            |(address, shard): (&Address, &Arc<Shard>)| Some((address.clone(), shard.link()?));
        known.iter().filter_map(open).collect()
    }

    /// Takes a new map over, and forgets whoever is in it no more.
    pub(super) fn publish(&self, map: Map) {
        let map = Arc::new(map);
        self.slots.hand_over(&self.map.load(), &map);
        self.map.store(Arc::clone(&map));
        self.means.lineages.changed.notify_one();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, shard| {
            shard.is_wanted() || map.shards.iter().any(|one| Arc::ptr_eq(one, shard))
        });
    }

    /// A slot belongs to somebody else, as its former owner says.
    pub(super) fn moved(&self, slot: Slot, shard: &Arc<Shard>) {
        self.slots.pass_on(slot, self.shard(slot).as_ref(), Some(shard));
        self.map.rcu(|map| map.with_owner(slot, shard));
        self.means.lineages.changed.notify_one();
        self.means.refresh.notify_one();
    }

    /// What was found out about the whole. What is new is logged.
    pub(super) fn report(&self, findings: Vec<Finding>) {
        let mut own = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        for new in findings.iter().filter(|one| !own.contains(one)) {
            tracing::warn!(shard = new.shard, "{}", new.text);
        }
        *own = findings;
    }

    /// Nobody has answered yet, and this is why one did not.
    pub(super) fn seed_failed(&self, seed: &Address, why: Refused) {
        let mut seeds = self.seeds.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = seeds.get(seed).is_none_or(|old| old.text != why.text);
        if is_new && self.layout() == Layout::Unknown {
            tracing::warn!(why = why.text, "Redis cannot be used yet");
            seeds.insert(seed.clone(), why);
        }
    }

    fn seeds_health(&self) -> Vec<ShardHealth> {
        let seeds = self.seeds.lock().unwrap_or_else(PoisonError::into_inner);
        let health = |address: &Address| ShardHealth {
            name: address.to_string(),
            standing: Standing::Down,
            trouble: seeds.get(address).map(|why| why.text.clone()),
            doubt: None,
        };
        self.means.access.seeds.iter().map(health).collect()
    }

    /// The primaries in the map, and what is wrong with each.
    pub(super) fn primaries(&self) -> Vec<(Arc<Shard>, Option<Refused>)> {
        let map = self.map.load();
        let shards = map.shards.iter();
        shards.map(|shard| (Arc::clone(shard), shard.trouble())).collect()
    }

    /// Why nobody serves a slot.
    pub(super) fn absence(&self) -> Cause {
        let seeds = self.seeds.lock().unwrap_or_else(PoisonError::into_inner);
        let is_forbidden = seeds.values().any(|why| why.cause == Cause::Forbidden);
        if is_forbidden && self.layout() == Layout::Unknown {
            Cause::Forbidden
        } else {
            Cause::Unreachable
        }
    }

    fn own_findings(&self) -> Vec<Finding> {
        let own = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        own.clone()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.means.refresh.notify_one();
        self.pushes.over.notify_one();
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client")
            .field("layout", &self.layout())
            .field("live_nodes", &self.live_nodes())
            .finish_non_exhaustive()
    }
}
