//! What happens in a schedule, step by step.

use tollgate_core::AlgorithmName;
use tollgate_sim::pool::{Pool, Record};
use tollgate_testkit::limit;

use super::{
    node::Holds,
    world::{Former, Message, World},
};

/// How long a node waits before it believes a server that it did not know; all others are there by then.
pub(super) const QUARANTINE: u64 = 2_000_000;
/// Within this every node has noticed.
const NOTICED_WITHIN: u64 = 1_500_000;
/// Within this every node knows of a changed limit.
pub(super) const CHANGE_WITHIN: u64 = 1_000_000;

impl<P: Pool, H: Holds> World<P, H> {
    pub(super) fn run(&mut self, steps: u64) {
        for _ in 0..self.rng.between(1, 4) {
            self.start_node();
        }
        for _ in 0..steps {
            let moment = self.moment();
            self.go_on_to(moment);
            // What is too much shows when everybody takes all there is.
            if self.rng.one_in(6) {
                self.drain();
            }
            let place = self.rng.below(self.nodes.len() as u64) as usize;
            match self.rng.below(100) {
                0..=24 => self.spend(place),
                25..=34 => self.drain(),
                35..=44 => {
                    let cost = self.rng.between(1, 3);
                    self.exactly(place, &[cost]);
                }
                45..=84 => self.ask(place),
                85..=87 if self.faults.nodes => self.crash(place),
                88..=90 if self.faults.nodes => {
                    let pause = self.rng.below(3_000_000);
                    self.nodes[place].paused_until = self.now + pause;
                }
                91 | 92 if self.nodes.len() < 5 => self.start_node(),
                93 | 94 if self.faults.failover => self.fail_over(),
                95 if self.faults.change => self.change(),
                _ => {}
            }
            if let Some(node) = self.nodes.iter().find(|node| !node.holder.is_conserved()) {
                panic!("{} has made or lost units", node.name);
            }
        }
        // In the end everybody takes what there is.
        self.drain();
    }

    /// The next moment: often one at which something ends, or just beside it.
    fn moment(&mut self) -> u64 {
        let limit = self.limit();
        let leases = self.pool.record(self.now, &limit).leases;
        let mut ends: Vec<u64> = leases.iter().map(|lease| lease.2).collect();
        let deadlines = self
            .nodes
            .iter()
            .map(|node| node.clock.when(node.holder.deadline()));
        ends.extend(deadlines);
        ends.extend(self.messages.iter().map(|message| message.0));
        let period = limit.period().length().get();
        let edge = self.now - self.now % period + period;
        ends.push(edge);
        ends.retain(|end| *end > self.now && *end < self.now + 3 * period.max(2_000_000));
        let rng = &mut self.rng;
        match rng.below(12) {
            0..=3 => self.now,
            4 => self.now + 1,
            5 => self.now + rng.below(2_000),
            6 => self.now + rng.below(60_000),
            7 => self.now + rng.below(period / 4),
            8 => edge + rng.below(400) - 1,
            _ if ends.is_empty() => self.now + rng.below(500_000),
            9 | 10 => rng.pick(&ends) + rng.below(3) - 1,
            _ => rng.pick(&ends) + rng.below(1_500),
        }
    }

    fn is_away(&self, place: usize) -> bool {
        self.nodes[place].paused_until > self.now
    }

    /// Whether a node believes the server that it talks to.
    fn is_trusting(&self, place: usize) -> bool {
        let node = &self.nodes[place];
        node.is_asserted && node.trusts_from <= self.now
    }

    fn take(&mut self, place: usize, cost: u64) -> bool {
        let node = &mut self.nodes[place];
        let is_admitted = node.holder.take(node.clock.at(self.now), cost);
        if is_admitted {
            self.admit(place, cost);
        }
        is_admitted
    }

    fn spend(&mut self, place: usize) {
        if self.is_away(place) {
            return;
        }
        for _ in 0..self.rng.between(1, 6) {
            let cost = self.rng.between(1, 3);
            if !self.take(place, cost) {
                return;
            }
        }
    }

    /// Everybody spends all they have, and somebody takes the rest of the pool.
    fn drain(&mut self) {
        let halves = |capacity: u64| {
            (0..64)
                .map(move |bits| capacity >> bits)
                .take_while(|cost| *cost > 0)
        };
        let capacity = self.limit().law().capacity();
        for place in 0..self.nodes.len() {
            if self.is_away(place) {
                continue;
            }
            for cost in halves(capacity) {
                while self.take(place, cost) {}
            }
        }
        let place = self.rng.below(self.nodes.len() as u64) as usize;
        let costs: Vec<u64> = halves(capacity).collect();
        self.exactly(place, &costs);
    }

    fn exactly(&mut self, place: usize, costs: &[u64]) {
        if !self.is_away(place) && self.is_trusting(place) {
            self.charge(place, costs);
        }
    }

    /// A node asks for a slice, or asks again.
    fn ask(&mut self, place: usize) {
        if self.is_away(place) || !self.is_trusting(place) {
            return;
        }
        let capacity = self.limit().law().capacity();
        let want = self
            .rng
            .pick(&[0, 1, 3, capacity / 3, capacity, 2 * capacity]);
        let back = self.rng.pick(&[0, 0, 1, capacity]);
        let node = &mut self.nodes[place];
        let now = node.clock.at(self.now);
        if node.attempt.take().is_some() {
            node.holder.fail(now);
        }
        node.sequence += 1;
        let mut call = node.holder.ask(now, node.sequence, (want, back));
        call.since = node.since;
        self.attempts += 1;
        node.attempt = Some((self.attempts, now));
        let message = Message::Request {
            to: node.lineage,
            attempt: self.attempts,
            call,
            limit: node.limit.clone(),
        };
        let name = node.name.clone();
        self.send(name, message);
    }

    /// A node is gone, and another one comes.
    fn crash(&mut self, place: usize) {
        let node = self.nodes.swap_remove(place);
        self.tell(|| format!("{} crashes", node.name));
        if !node.is_asserted || node.lineage != self.lineage {
            // What it knew dies with it.
            self.residual += self.spent_by(&node.name, 0);
        }
        self.start_node();
    }

    fn spent_by(&self, name: &str, since: u64) -> u64 {
        let its = self
            .admitted
            .iter()
            .filter(|(admission, node)| node == name && admission.at >= since);
        its.map(|(admission, _)| admission.cost).sum()
    }

    /// A replica that is behind takes over, or an empty server. Some nodes may die with the old one, some talk to it for
    /// a while.
    fn fail_over(&mut self) {
        // One at a time: the nodes of the one before have settled.
        let is_settled =
            |node: &super::node::Node<H>| node.is_asserted && node.trusts_from <= self.now;
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
        self.former = self.rng.one_in(2).then_some(Former {
            pool: old,
            lineage: self.lineage,
        });
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
            let mut call = node
                .totals
                .assertion(&node.limit, &node.name, node.sequence);
            call.since = now;
            let limit = node.limit.clone();
            let reply = self.pool.lease(now, &limit, &call);
            self.tell(|| format!("asserts {call:?}: {reply:?}"));
        }
    }

    /// Another amount or burst, known to everybody after a while.
    fn change(&mut self) {
        let (first, now) = (self.limits[0].1.clone(), self.now);
        if self.limits.len() > 1 {
            return;
        }
        let factor = self.rng.pick(&[50, 75, 150, 200]);
        let percent = |number: u64| (number * factor / 100).max(1);
        let changed = match (first.algorithm(), first.burst()) {
            (AlgorithmName::TokenBucket, Some(burst)) => {
                first.clone().with_burst(percent(burst)).unwrap()
            }
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
