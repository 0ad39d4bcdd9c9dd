//! Our holders under steady demand without faults: how much of a limit they use, and whom they deny.
// Proves: C3

use std::rc::Rc;

use tollgate_core::{AlgorithmName, Limit};
use tollgate_sim::{
    Rng,
    pool::{Admission, Call, Charged, Guard, Pool, Reply, breach},
};
use tollgate_testkit::limit;

use super::{
    calls::START,
    lua_pool::{LuaPool, Scripts},
    node::Holds,
    real_holder::{RealHolder, real_holder},
};

/// Time goes on in steps of this.
const STEP: u64 = 250;
/// One way to the server.
const LATENCY: u64 = 500;

struct Member {
    name: String,
    holder: RealHolder,
    sequence: u64,
    is_wanting: bool,
    /// When it was sent, and the answer once there is one.
    under_way: Option<(u64, Call, Option<Reply>)>,
}

struct Fleet {
    rng: Rng,
    limit: Limit,
    now: u64,
    pool: LuaPool,
    members: Vec<Member>,
    admitted: Vec<Admission>,
    /// Requests that were denied by the server although nobody else held anything.
    denied_alone: u64,
    denied: u64,
}

impl Fleet {
    fn new(scripts: &Rc<Scripts>, limit: &Limit, members: u64) -> Self {
        let member = |number: u64| {
            let name = format!("n{number}");
            Member {
                holder: real_holder(&name, limit, START, Guard::Right),
                name,
                sequence: 0,
                is_wanting: false,
                under_way: None,
            }
        };
        Self {
            rng: Rng::new(members),
            limit: limit.clone(),
            now: START,
            pool: LuaPool::new(scripts, limit),
            members: (0..members).map(member).collect(),
            admitted: Vec::new(),
            denied_alone: 0,
            denied: 0,
        }
    }

    /// Runs for a while at so many requests a second, spread over all.
    fn run(&mut self, micros: u64, per_second: u64) {
        let end = self.now + micros;
        let mut due = 0;
        while self.now < end {
            self.now += STEP;
            for place in 0..self.members.len() {
                self.refresh(place);
            }
            due += per_second * STEP;
            while due >= 1_000_000 {
                due -= 1_000_000;
                let place = self.rng.below(self.members.len() as u64) as usize;
                self.request(place);
            }
        }
    }

    /// What a node does beside deciding.
    fn refresh(&mut self, place: usize) {
        let (now, member) = (self.now, &mut self.members[place]);
        match member.under_way.take() {
            Some((sent, call, None)) if now >= sent + LATENCY => {
                let reply = self.pool.lease(now, &self.limit, &call);
                member.under_way = Some((sent, call, Some(reply)));
            }
            Some((sent, call, Some(reply))) if now >= sent + 2 * LATENCY => {
                member.holder.hear(&call, &reply, sent, now);
            }
            under_way @ Some(_) => member.under_way = under_way,
            None => {
                let is_due = member.holder.is_due(now);
                let is_low = member.holder.is_low() || member.is_wanting;
                if is_due || (is_low && member.holder.may_ask(now)) {
                    member.is_wanting = false;
                    member.sequence += 1;
                    let call = member.holder.ask(now, member.sequence, (0, 0));
                    member.under_way = Some((now, call, None));
                }
            }
        }
    }

    /// One request, served as the store does: from memory, by a remembered denial, or by the server.
    fn request(&mut self, place: usize) {
        let (now, member) = (self.now, &mut self.members[place]);
        if member.holder.take(now, 1) {
            self.admitted.push(Admission { at: now, cost: 1 });
            return;
        }
        member.holder.in_vain(1);
        if member.holder.is_denied(now, 1) {
            return;
        }
        member.is_wanting = true;
        member.sequence += 1;
        let caller = (member.name.as_str(), member.sequence, 0);
        let charged = self.pool.charge(now, &self.limit, caller, &[1]);
        let Charged::Decided { outcomes, .. } = charged else { panic!("{charged:?}") };
        if outcomes == [true] {
            self.admitted.push(Admission { at: now, cost: 1 });
            return;
        }
        self.denied += 1;
        let record = self.pool.record(now, &self.limit);
        let name = &self.members[place].name;
        let others = record.leases.iter().filter(|lease| lease.0 != *name);
        let is_held = others.map(|lease| lease.3).sum::<u64>() > 0;
        self.denied_alone += u64::from(!is_held);
        let wait = match (is_held, self.limit.algorithm()) {
            (true, _) => 100_000,
            (false, AlgorithmName::FixedWindow) => 1_000_000 - now % 1_000_000,
            (false, _) => 1_000_000 / self.limit.amount(),
        };
        self.members[place].holder.deny(1, now + wait.min(100_000));
    }
}

/// What the same demand is admitted when each request is counted exactly.
fn admitted_exactly(
    scripts: &Rc<Scripts>,
    limit: &Limit,
    micros: u64,
    per_second: u64,
) -> Vec<Admission> {
    let (mut pool, mut now, mut due) = (LuaPool::new(scripts, limit), START, 0);
    let (mut admitted, mut sequence) = (Vec::new(), 0);
    while now < START + micros {
        now += STEP;
        due += per_second * STEP;
        while due >= 1_000_000 {
            due -= 1_000_000;
            sequence += 1;
            let charged = pool.charge(now, limit, ("exact", sequence, 0), &[1]);
            if matches!(charged, Charged::Decided { outcomes, .. } if outcomes == [true]) {
                admitted.push(Admission { at: now, cost: 1 });
            }
        }
    }
    admitted
}

/// Units that were admitted after the first second.
fn late(admitted: &[Admission]) -> u64 {
    let late = admitted.iter().filter(|one| one.at >= START + 1_000_000);
    late.map(|one| one.cost).sum()
}

const STEADY: [&str; 3] = ["1000/s burst 500", "1000/s fixed_window", "1000/s"];

#[test]
fn saturated_keys_are_used_to_99_percent() {
    // From empty to steady, then five seconds that count.
    const SPAN: u64 = 6_000_000;
    const PER_SECOND: u64 = 3_000;
    let scripts = Scripts::new();
    for text in STEADY {
        let limit = limit(text);
        let exactly = late(&admitted_exactly(&scripts, &limit, SPAN, PER_SECOND));
        for members in [1, 3, 10] {
            let mut fleet = Fleet::new(&scripts, &limit, members);
            fleet.run(SPAN, PER_SECOND);
            assert_eq!(breach(&limit, &fleet.admitted, 0), None, "{text}");
            let admitted = late(&fleet.admitted);
            println!("{text}, {members}: {admitted} of {exactly}");
            assert!(admitted * 100 >= exactly * 99, "{text}, {members}: {admitted} of {exactly}");
        }
    }
}

#[test]
fn demand_within_the_limit_is_denied_only_while_others_hold_tokens() {
    let scripts = Scripts::new();
    for text in STEADY {
        let limit = limit(text);
        for members in [1, 3, 10] {
            let mut fleet = Fleet::new(&scripts, &limit, members);
            fleet.run(4_000_000, 450);
            let admitted = fleet.admitted.len();
            println!("{text}, {members}: {admitted}, {} denied", fleet.denied);
            assert_eq!(fleet.denied_alone, 0, "{text}, {members}");
            // Never for long: less than one in a thousand.
            assert!(admitted >= 1_798, "{text}, {members}: {admitted}");
        }
    }
}
