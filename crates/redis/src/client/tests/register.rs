//! Who may have spent what was lost: registers and rolls beside a model that knows every unit.
//!
//! The model is a list of all that was ever spent, with process and moment. A unit is lost if the server lost its memory
//! since, and its process has not told: a counter that is not there may be lost if such a unit would still count.

use std::{collections::HashSet, sync::Arc};

use redis::Value;
use tollgate_core::{Clock as _, Limit, ManualClock, Micros, Timestamp};
use tollgate_sim::Rng;
use tollgate_testkit::limit;

use crate::{
    client::{
        address::Address,
        enrolment::Trust,
        lineage::{Lineage, Lineages, Place},
        register::Register,
        roll::Roll,
        shard::Shard,
        term::Term,
    },
    lease::tests::host::{Host, Store},
    script::REGISTER,
    touched::is_perhaps_lost,
};

const LIMITS: [&str; 4] = [
    "3/8s fixed_window",
    "3/20s sliding_window",
    "3/30s token_bucket",
    "3/min fixed_window",
];
const STEP: Micros = Micros::from_millis(500);
const STEPS: u32 = 160;

/// A process of the fleet, with its way to the one server.
struct Process {
    name: String,
    shard: Shard,
    /// The steps until it finds a server that was restarted, and until it has told it everything.
    finds_in: u32,
    tells_in: u32,
    /// Whether it has met the server as it is, and whether it must tell what it knows.
    is_here: bool,
}

/// A unit that was spent.
struct Unit {
    process: String,
    limit: Limit,
    at: Timestamp,
    is_lost: bool,
}

struct World {
    host: Host,
    script: mlua::Function,
    store: Store,
    kept: Store,
    clock: ManualClock,
    rng: Rng,
    run: u32,
    processes: Vec<Process>,
    units: Vec<Unit>,
    names: u32,
    /// Those who knew the fleet when the server lost its memory.
    knowing: HashSet<String>,
    /// Whether one of them has come to it since.
    is_remembered: bool,
    fate: Fate,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Mortal,
    Immortal,
}

impl World {
    fn new(seed: u64, fate: Fate) -> Self {
        let host = Host::new();
        let script = host.load(REGISTER.text());
        let mut world = Self {
            script,
            host,
            store: Store::default(),
            kept: Store::default(),
            clock: ManualClock::at(Timestamp::from_secs(1_750_000_000)),
            rng: Rng::new(seed),
            run: 1,
            processes: Vec::new(),
            units: Vec::new(),
            names: 0,
            knowing: HashSet::new(),
            is_remembered: true,
            fate,
        };
        world.join();
        world
    }

    fn join(&mut self) {
        self.names += 1;
        let name = format!("n{}", self.names);
        let lineages = Lineages::with(Roll::of(name.clone(), String::new()));
        let term = Term::new(Arc::new(lineages), Place::First);
        let clock = Arc::new(self.clock.clone());
        let address = Address::new("server", 1);
        let shard = Shard::new(address, clock, Micros::ZERO, term);
        let process = Process {
            name: name.clone(),
            shard,
            finds_in: 0,
            tells_in: 0,
            is_here: false,
        };
        self.processes.push(process);
        self.beat(self.processes.len() - 1);
        let boot = self.clock.boot();
        for other in &self.processes {
            other.shard.term.lineages.roll.meet(&name, boot);
        }
    }

    /// A process finds out who is there, and enters itself.
    fn beat(&mut self, place: usize) {
        let process = &mut self.processes[place];
        let lineage = Lineage::Told(format!("run{}", self.run), "r".to_owned());
        let now = self.clock.now().wall;
        let digits = |micros: u64| Value::BulkString(micros.to_string().into_bytes());
        let (secs, micros) = (now.as_micros() / 1_000_000, now.as_micros() % 1_000_000);
        let time = Value::Array(vec![digits(secs), digits(micros)]);
        let was_here = process.is_here;
        process.shard.meet(lineage, &time);
        process.is_here = true;
        if !was_here && self.knowing.contains(&process.name) {
            self.is_remembered = true;
        }
        let shard = &process.shard;
        let roll = &shard.term.lineages.roll;
        let (args, server) = {
            let enrolment = shard.enrolment();
            let others = roll.others(enrolment.register.as_ref(), self.clock.boot());
            let args = enrolment.args(&process.name, (roll.extent.life(), Trust::No), &others);
            (args, enrolment.server.clone())
        };
        let args: Vec<Vec<u8>> = args.into_iter().map(String::into_bytes).collect();
        self.store.now = now.as_micros();
        let reply = self
            .host
            .run(&self.script, &mut self.store, &[b"register"], &args);
        let register = Register::read(&reply.unwrap()).unwrap();
        shard.hear(register, &process.name, &server);
    }

    /// The server is restarted: empty, or with what it had some time ago.
    fn lose(&mut self) {
        self.run += 1;
        self.store = Store::default();
        if self.rng.one_in(2) {
            self.store = self.kept.clone();
        }
        for unit in &mut self.units {
            unit.is_lost = true;
        }
        if self.is_remembered {
            // Those who come later know no more than what these tell.
            self.knowing = self.processes.iter().map(|one| one.name.clone()).collect();
        }
        self.is_remembered = false;
        for place in 0..self.processes.len() {
            let (finds_in, tells_in) = (self.rng.below(5), self.rng.below(12));
            let process = &mut self.processes[place];
            process.is_here = false;
            process.finds_in = u32::try_from(finds_in).unwrap();
            process.tells_in = 3 + u32::try_from(tells_in).unwrap();
        }
    }

    fn spend(&mut self, place: usize) {
        let process = &self.processes[place];
        if !process.is_here || process.shard.is_quarantined() {
            return;
        }
        let limit = limit(self.rng.pick(&LIMITS));
        process.shard.term.lineages.roll.extent.meet(&limit);
        self.units.push(Unit {
            process: process.name.clone(),
            limit,
            at: self.clock.now().wall,
            is_lost: false,
        });
    }

    fn tell(&mut self, place: usize) {
        let process = &self.processes[place];
        if process.shard.has_told(process.shard.since()) {
            let told = self.units.iter_mut();
            let told = told.filter(|unit| unit.process == process.name);
            told.for_each(|unit| unit.is_lost = false);
            self.beat(place);
        }
    }

    fn step(&mut self) {
        self.clock.advance(STEP);
        match self.rng.below(12) {
            0 if self.processes.len() < 4 => self.join(),
            1 if self.processes.len() > 1 && self.fate == Fate::Mortal => {
                let place = self.any();
                drop(self.processes.remove(place));
            }
            2 if self.rng.one_in(3) => self.lose(),
            3 => self.kept = self.store.clone(),
            _ => {
                let place = self.any();
                self.spend(place);
            }
        }
        for place in 0..self.processes.len() {
            let process = &mut self.processes[place];
            if !process.is_here && process.finds_in > 0 {
                process.finds_in -= 1;
                continue;
            }
            self.beat(place);
            let process = &mut self.processes[place];
            process.tells_in = process.tells_in.saturating_sub(1);
            if process.tells_in == 0 {
                self.tell(place);
            }
        }
    }

    fn any(&mut self) -> usize {
        let count = u64::try_from(self.processes.len()).unwrap();
        usize::try_from(self.rng.below(count)).unwrap()
    }

    /// A process that lets requests in takes no counter for a fresh one of which a lost unit counts.
    fn is_safe(&self) -> Result<(), String> {
        let now = self.clock.now();
        let open = self
            .processes
            .iter()
            .filter(|one| one.is_here && !one.shard.is_quarantined() && self.is_remembered);
        for process in open {
            let doubt = process.shard.doubt_since();
            for unit in self.units.iter().filter(|unit| unit.is_lost) {
                let counts = is_perhaps_lost(&unit.limit, unit.at.as_micros(), now);
                if counts && !is_perhaps_lost(&unit.limit, doubt, now) {
                    return Err(format!(
                        "{} has no doubt ({doubt}) about what {} spent at {:?}, now {now:?}",
                        process.name, unit.process, unit.at
                    ));
                }
            }
        }
        Ok(())
    }
}

// Proves: C7
#[test]
fn no_counter_is_fresh_of_which_a_lost_unit_counts() {
    for seed in 60..120 {
        let mut world = World::new(seed, Fate::Mortal);
        for step in 0..STEPS {
            world.step();
            if let Err(what) = world.is_safe() {
                panic!("seed {seed}, step {step}: {what}");
            }
        }
    }
}

// Proves: C7
#[test]
fn doubt_is_over_once_all_who_may_have_spent_have_told() {
    for seed in 0..40 {
        let mut world = World::new(seed, Fate::Immortal);
        for _ in 0..STEPS {
            world.step();
        }
        world.lose();
        for _ in 0..4 {
            world.clock.advance(STEP);
            for place in 0..world.processes.len() {
                world.beat(place);
                world.tell(place);
            }
        }
        for process in &world.processes {
            let name = &process.name;
            assert_eq!(process.shard.doubt_since(), 0, "seed {seed}: {name}");
            assert!(!process.shard.is_quarantined(), "seed {seed}: {name}");
        }
    }
}
