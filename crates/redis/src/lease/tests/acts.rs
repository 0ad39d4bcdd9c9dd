//! What happens in a schedule, step by step.

use tollgate_sim::pool::Pool;

use super::{network::Message, node::Holds, world::World};

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
        let deadlines = self.nodes.iter().map(|node| node.clock.when(node.holder.deadline()));
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
        let halves =
            |capacity: u64| (0..64).map(move |bits| capacity >> bits).take_while(|cost| *cost > 0);
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
        let want = self.rng.pick(&[0, 1, 3, capacity / 3, capacity, 2 * capacity]);
        let back = self.rng.pick(&[0, 0, 1, capacity]);
        let doubt = self.doubt(place);
        let node = &mut self.nodes[place];
        let now = node.clock.at(self.now);
        if node.attempt.take().is_some() {
            node.holder.fail(now);
        }
        node.sequence += 1;
        let mut call = node.holder.ask(now, node.sequence, (want, back));
        call.since = doubt;
        self.attempts += 1;
        node.attempt = Some((self.attempts, now));
        let message = Message::Request {
            to: node.lineage,
            attempt: self.attempts,
            call,
            limit: node.limit.clone(),
        };
        let name = node.name.clone();
        self.send(&name, &message);
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
        let its =
            self.admitted.iter().filter(|(admission, node)| node == name && admission.at >= since);
        its.map(|(admission, _)| admission.cost).sum()
    }
}
