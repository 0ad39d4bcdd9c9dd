//! Many nodes, one key, one server at a time, and a network that does what networks do.

use std::collections::VecDeque;

use tollgate_core::Limit;
use tollgate_sim::{
    Rng,
    pool::{Admission, Charged, Guard, Pool},
};

use super::{
    calls::START,
    failover::QUARANTINE,
    network::Message,
    node::{Holds, Make, Node, NodeClock},
};

/// What may go wrong in a schedule.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Faults {
    /// Messages are lost, doubled and late.
    pub(super) network: bool,
    /// Nodes crash and pause.
    pub(super) nodes: bool,
    pub(super) drift: bool,
    pub(super) failover: bool,
    pub(super) change: bool,
}

/// A server that was replaced, and may not know it.
pub(super) struct Former<P> {
    pub(super) pool: P,
    pub(super) lineage: u64,
}

pub(super) struct World<P, H> {
    pub(super) rng: Rng,
    pub(super) faults: Faults,
    pub(super) now: u64,
    pub(super) limits: Vec<(u64, Limit)>,
    pub(super) pool: P,
    pub(super) former: Option<Former<P>>,
    pub(super) lineage: u64,
    /// When the last server took over; zero if it is the first.
    pub(super) failed_at: u64,
    /// What a replica had a while ago.
    pub(super) copies: VecDeque<(u64, P)>,
    pub(super) nodes: Vec<Node<H>>,
    pub(super) make: Make<H>,
    pub(super) guard: Guard,
    /// Due when, on its way to or from which node, and what.
    pub(super) messages: Vec<(u64, String, Message)>,
    pub(super) attempts: u64,
    pub(super) born: u64,
    pub(super) admitted: Vec<(Admission, String)>,
    /// Units that nobody could assert: those of nodes that died before they could.
    pub(super) residual: u64,
    /// What happened, if somebody wants to read it.
    pub(super) story: Option<Vec<String>>,
}

impl<P: Pool, H: Holds> World<P, H> {
    pub(super) fn new(seed: u64, faults: Faults, pool: P, limit: &Limit, make: Make<H>) -> Self {
        let mut rng = Rng::new(seed);
        let now = START + rng.below(3_000_000);
        Self {
            now,
            limits: vec![(0, limit.clone())],
            pool,
            former: None,
            lineage: 1,
            failed_at: 0,
            copies: VecDeque::new(),
            nodes: Vec::new(),
            make,
            guard: Guard::Right,
            messages: Vec::new(),
            attempts: 0,
            born: 0,
            admitted: Vec::new(),
            residual: 0,
            story: None,
            rng,
            faults,
        }
    }

    pub(super) fn tell(&mut self, event: impl FnOnce() -> String) {
        let now = self.now - START;
        if let Some(story) = &mut self.story {
            story.push(format!("{now} {}", event()));
        }
    }

    pub(super) fn limit(&self) -> Limit {
        let (_, limit) = self.limits.last().unwrap();
        limit.clone()
    }

    /// A node that has never been there. It is told what the others know of a failover: one that is not takes absent
    /// counters for fresh ones.
    pub(super) fn start_node(&mut self) {
        self.born += 1;
        let name = format!("n{}", self.born);
        let clock = NodeClock::new(&mut self.rng, self.faults);
        let limit = self.limit();
        self.nodes.push(Node {
            holder: (self.make)(&name, &limit, clock.at(self.now), self.guard),
            name,
            limit,
            clock,
            sequence: 1,
            attempt: None,
            paused_until: 0,
            totals: Default::default(),
            lineage: self.lineage,
            since: self.failed_at,
            notices_at: u64::MAX,
            trusts_from: self.failed_at + QUARANTINE,
            is_asserted: true,
            limit_known_at: u64::MAX,
        });
    }

    /// Goes on to a moment; whatever is due until then happens at its own.
    pub(super) fn go_on_to(&mut self, moment: u64) {
        loop {
            let due = self.messages.iter().map(|message| message.0);
            let notices = self.nodes.iter().map(|node| node.notices_at);
            let changes = self.nodes.iter().map(|node| node.limit_known_at);
            let next = due.chain(notices).chain(changes).min().unwrap_or(u64::MAX);
            if next > moment {
                self.now = self.now.max(moment);
                return;
            }
            self.now = self.now.max(next);
            for place in 0..self.nodes.len() {
                self.notice(place);
                self.learn(place);
            }
            while let Some(place) = self.messages.iter().position(|message| message.0 <= self.now) {
                let (_, name, message) = self.messages.swap_remove(place);
                self.deliver(name, message);
            }
        }
    }

    /// Which server a node talks to, if that is one that answers.
    pub(super) fn server(&mut self, lineage: u64) -> Option<&mut P> {
        if lineage == self.lineage {
            return Some(&mut self.pool);
        }
        let former = self.former.as_mut();
        former.filter(|former| former.lineage == lineage).map(|former| &mut former.pool)
    }

    /// A replica is some calls behind.
    pub(super) fn keep_copy(&mut self) {
        const COPIES: usize = 12;
        if !self.faults.failover {
            return;
        }
        let copy = self.pool.copy();
        self.copies.push_back((self.now, copy));
        if self.copies.len() > COPIES {
            self.copies.pop_front();
        }
    }

    pub(super) fn admit(&mut self, place: usize, cost: u64) {
        let admission = Admission { at: self.now, cost };
        let name = self.nodes[place].name.clone();
        self.tell(|| format!("{name} admits {cost}"));
        self.admitted.push((admission, self.nodes[place].name.clone()));
    }

    /// Counts requests exactly; what is admitted counts at once.
    pub(super) fn charge(&mut self, place: usize, costs: &[u64]) {
        let is_lost = self.faults.network && self.rng.one_in(8);
        self.keep_copy();
        let since = self.doubt(place);
        let node = &mut self.nodes[place];
        node.sequence += 1;
        let (name, limit, now) = (node.name.clone(), node.limit.clone(), self.now);
        let (sequence, lineage) = (node.sequence, node.lineage);
        let Some(server) = self.server(lineage) else {
            return;
        };
        let charged = server.charge(now, &limit, (&name, sequence, since), costs);
        let Charged::Decided { outcomes, total } = charged else {
            return;
        };
        if is_lost {
            return;
        }
        let admitted = costs.iter().zip(outcomes).filter(|(_, outcome)| *outcome);
        let admitted: Vec<u64> = admitted.map(|(cost, _)| *cost).collect();
        let debited = (admitted.iter().sum(), total);
        self.nodes[place].totals.note(&limit, now, debited);
        admitted.iter().for_each(|cost| self.admit(place, *cost));
    }
}
