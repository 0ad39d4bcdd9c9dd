//! Another server, or another limit, in the middle of a schedule.

use tollgate_core::AlgorithmName;
use tollgate_sim::pool::{Pool, Record};
use tollgate_testkit::limit;

use super::{
    node::{Holds, Node},
    world::{Former, World},
};

/// How long a node waits before it believes a server that it did not know; all others are there by then.
pub(super) const QUARANTINE: u64 = 2_000_000;
/// Within this every node has noticed.
const NOTICED_WITHIN: u64 = 1_500_000;
/// Within this every node knows of a changed limit.
pub(super) const CHANGE_WITHIN: u64 = 1_000_000;

impl<P: Pool, H: Holds> World<P, H> {
    /// A replica that is behind takes over, or an empty server. Some nodes may die with the old one, some talk to it for
    /// a while.
    pub(super) fn fail_over(&mut self) {
        // One at a time: the nodes of the one before have settled.
        let is_settled = |node: &Node<H>| node.is_asserted && node.trusts_from <= self.now;
        if !self.nodes.iter().all(is_settled) || self.former.is_some() && self.rng.one_in(2) {
            return;
        }
        let mut next = self.pool.copy();
        let mut copied_at = self.now;
        if self.rng.one_in(3) {
            next.forget();
            copied_at = 0;
        } else if !self.copies.is_empty() {
            let place = self.rng.below(self.copies.len() as u64) as usize;
            let (at, copy) = self.copies.swap_remove_back(place).unwrap();
            (copied_at, next) = (at, copy);
        }
        self.copies.clear();
        let old = std::mem::replace(&mut self.pool, next);
        self.former = self.rng.one_in(2).then_some(Former { pool: old, lineage: self.lineage });
        self.lineage += 1;
        self.failed_at = self.now;
        let behind = self.now - copied_at;
        self.tell(|| format!("fails over to a server that is {behind} behind"));
        if self.rng.one_in(3) && self.nodes.len() > 1 {
            // Nodes die with it.
            let keep = self.rng.below(self.nodes.len() as u64) as usize;
            self.nodes.swap(0, keep);
            self.nodes.truncate(1);
        }
        self.note_residual(copied_at);
        let now = self.now;
        for node in &mut self.nodes {
            node.notices_at = now + self.rng.below(NOTICED_WITHIN);
            // Whoever sleeps longer than the others wait is one of the dead.
            node.paused_until = node.paused_until.min(node.notices_at);
        }
    }

    /// What the dead have spent and the replica has not heard of is asserted by nobody; but it is unknown, if nobody
    /// asserts anything.
    fn note_residual(&mut self, copied_at: u64) {
        let limit = self.limit();
        let is_empty = copied_at == 0 || self.pool.record(self.now, &limit) == Record::default();
        let is_silent = is_empty && self.former.is_none();
        if is_silent && self.nodes.iter().all(|node| node.totals.is_empty()) {
            return;
        }
        let is_dead = |name: &String| self.nodes.iter().all(|node| node.name != *name);
        let lost = self
            .admitted
            .iter()
            .filter(|(admission, name)| admission.at >= copied_at && is_dead(name));
        self.residual += lost.map(|(admission, _)| admission.cost).sum::<u64>();
    }

    /// A node finds another server: it forgets what it holds, and says what it has debited.
    pub(super) fn notice(&mut self, place: usize) {
        let now = self.now;
        let lineage = self.lineage;
        let node = &mut self.nodes[place];
        if node.notices_at > now {
            return;
        }
        node.notices_at = u64::MAX;
        node.holder.burn();
        node.attempt = None;
        (node.lineage, node.since) = (lineage, now);
        node.trusts_from = now + QUARANTINE;
        // Assertions are tried until they arrive: all do before anybody trusts the server.
        if !node.totals.is_empty() {
            node.sequence += 1;
            let mut call = node.totals.assertion(&node.limit, &node.name, node.sequence);
            call.since = now;
            let limit = node.limit.clone();
            let reply = self.pool.lease(now, &limit, &call);
            self.tell(|| format!("asserts {call:?}: {reply:?}"));
        }
    }

    /// Since when a counter that is not there may be a lost one, as registers say once all have told: never, if all who have
    /// spent are alive.
    pub(super) fn doubt(&self, place: usize) -> u64 {
        let is_alive = |name: &String| self.nodes.iter().any(|node| node.name == *name);
        let are_all_alive = self.admitted.iter().all(|(_, name)| is_alive(name));
        if are_all_alive { 0 } else { self.nodes[place].since }
    }

    /// Another amount or burst, known to everybody after a while.
    pub(super) fn change(&mut self) {
        let (first, now) = (self.limits[0].1.clone(), self.now);
        if self.limits.len() > 1 {
            return;
        }
        let factor = self.rng.pick(&[50, 75, 150, 200]);
        let percent = |number: u64| (number * factor / 100).max(1);
        let changed = match (first.algorithm(), first.burst()) {
            (AlgorithmName::TokenBucket, Some(burst)) => first.with_burst(percent(burst)).unwrap(),
            (name, _) => {
                let text = format!("{}/{} {name}", percent(first.amount()), first.period());
                limit(&text)
            }
        };
        if changed.refresh().is_err() {
            return;
        }
        self.limits.push((now, changed));
        for node in &mut self.nodes {
            node.limit_known_at = now + self.rng.below(CHANGE_WITHIN);
        }
    }

    /// A node hears of a changed limit: it forgets what it holds by the old one.
    pub(super) fn learn(&mut self, place: usize) {
        let (now, limit, make, guard) = (self.now, self.limit(), self.make, self.guard);
        let node = &mut self.nodes[place];
        if node.limit_known_at > now {
            return;
        }
        node.limit_known_at = u64::MAX;
        node.attempt = None;
        node.limit = limit;
        node.holder = make(&node.name, &node.limit, node.clock.at(now), guard);
    }
}
