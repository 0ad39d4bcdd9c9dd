//! Processes over one server, beside a model that knows every unit.
//!
//! The model is a list of all that was ever spent, with process and moment. A unit is lost if the server lost its memory
//! since, and neither its process has told nor one after it that has its journal: a counter that is not there may be lost
//! if such a unit would still count.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
    time::Duration,
};

use redis::Value;
use tollgate_core::{Clock as _, Limit, ManualClock, Micros, Timestamp};
use tollgate_sim::Rng;
use tollgate_testkit::limit;

use crate::{
    Ending, Journal, Peer,
    client::{
        address::Address,
        enrolment::Trust,
        lineage::{Lineage, Lineages, Place},
        register::Register,
        roll::Roll,
        shard::Shard,
        term::Term,
    },
    journal::Past,
    lease::tests::host::{Host, Store},
    script::REGISTER,
};

pub(super) const LIMITS: [&str; 4] =
    ["3/8s fixed_window", "3/20s sliding_window", "3/30s token_bucket", "3/min fixed_window"];
pub(super) const STEP: Micros = Micros::from_millis(500);
/// How often processes report to the catalog, in steps, and how long the last report may be behind.
pub(super) const REPORT_EVERY: u32 = 10;
const UNREPORTED_MAX: Duration = Duration::from_secs(15);

/// A process of the fleet, with its way to the one server.
pub(super) struct Process {
    pub(super) name: String,
    pub(super) shard: Shard,
    /// What it has of those before it.
    pub(super) journal: Journal,
    /// The steps until it finds a server that was restarted, and until it has told it everything.
    pub(super) finds_in: u32,
    pub(super) tells_in: u32,
    /// Whether it has met the server as it is, and whether it must tell what it knows.
    pub(super) is_here: bool,
}

/// A unit that was spent.
pub(super) struct Unit {
    pub(super) process: String,
    pub(super) limit: Limit,
    pub(super) at: Timestamp,
    pub(super) is_lost: bool,
}

pub(super) struct World {
    host: Host,
    script: mlua::Function,
    pub(super) store: Store,
    pub(super) kept: Store,
    pub(super) clock: ManualClock,
    pub(super) rng: Rng,
    run: u32,
    pub(super) processes: Vec<Process>,
    pub(super) units: Vec<Unit>,
    names: u32,
    /// Those who knew the fleet when the server lost its memory.
    knowing: HashSet<String>,
    /// Whether one of them has come to it since.
    pub(super) is_remembered: bool,
    /// When each process last reported, by name, and how long what it spends may count.
    catalog: BTreeMap<String, (Timestamp, Micros)>,
    pub(super) steps: u32,
    pub(super) ways: Ways,
}

/// What happens to processes.
#[derive(Clone, Copy)]
pub(super) struct Ways {
    pub(super) fate: Fate,
    pub(super) restarts: Restarts,
    pub(super) catalog: Catalog,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Mortal,
    Immortal,
}

/// Whether the next process of a node has the journal of the one before.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Restarts {
    None,
    /// Each was stopped, and wrote all of it.
    Clean,
    /// Some were killed, and wrote some of it.
    Any,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Catalog {
    None,
    Shared,
}

impl World {
    pub(super) fn new(seed: u64, ways: Ways) -> Self {
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
            catalog: BTreeMap::new(),
            steps: 0,
            ways,
        };
        world.join(Journal::default());
        world
    }

    pub(super) fn join(&mut self, journal: Journal) {
        self.names += 1;
        let name = format!("n{}", self.names);
        let roll = Roll::of(name.clone(), String::new());
        let boot = self.clock.boot();
        let roll = roll.after(&journal, &self.peers(&name), boot);
        if self.ways.catalog == Catalog::Shared {
            LIMITS.iter().for_each(|text| roll.extent.meet(&limit(text)));
        }
        let term = Term::new(Arc::new(Lineages::with(roll)), Place::First);
        let clock = Arc::new(self.clock.clone());
        let address = Address::new("server", 1);
        let shard = Shard::new(address, clock, Micros::ZERO, term);
        let process = Process {
            name: name.clone(),
            shard,
            journal,
            finds_in: 0,
            tells_in: 0,
            is_here: false,
        };
        self.processes.push(process);
        let place = self.processes.len() - 1;
        self.beat(place);
        self.report(place);
        for other in &self.processes {
            other.shard.term.lineages.roll.meet(&name, boot);
        }
    }

    /// A process ends, and another of its node comes.
    pub(super) fn restart(&mut self, place: usize, ending: Ending) {
        let process = self.processes.remove(place);
        let extent = &process.shard.term.lineages.roll.extent;
        let own = Past {
            name: process.name,
            ending,
            sequence: 0,
            seen: self.clock.now().wall,
            gap: extent.gap(),
            life: extent.life(),
            debits: Vec::new(),
        };
        let past = std::iter::once(own).chain(process.journal.processes);
        self.join(Journal::of(past));
    }

    /// A process reports to the catalog, and hears of all others.
    pub(super) fn report(&mut self, place: usize) {
        if self.ways.catalog == Catalog::None {
            return;
        }
        let process = &self.processes[place];
        let roll = &process.shard.term.lineages.roll;
        let life = Micros::new(roll.extent.life());
        let row = (self.clock.boot(), life);
        roll.hear_of(&self.peers(&process.name), self.clock.boot());
        self.catalog.insert(process.name.clone(), row);
    }

    fn peers(&self, me: &str) -> Vec<Peer> {
        let others = self.catalog.iter().filter(|(name, _)| *name != me);
        let peer = |(name, (at, life)): (&String, &(Timestamp, Micros))| {
            let silent_for = Duration::from(self.clock.boot().since(*at));
            Peer {
                name: name.clone(),
                silent_for: silent_for.saturating_sub(UNREPORTED_MAX),
                life: (*life).into(),
            }
        };
        let counts = |peer: &Peer| peer.silent_for <= peer.life;
        others.map(peer).filter(counts).collect()
    }

    /// A process finds out who is there, and enters itself.
    pub(super) fn beat(&mut self, place: usize) {
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
            let boot = self.clock.boot();
            let args = enrolment.args(&process.name, (roll, Trust::No), boot);
            (args, enrolment.server.clone())
        };
        let args: Vec<Vec<u8>> = args.into_iter().map(String::into_bytes).collect();
        self.store.now = now.as_micros();
        let reply = self.host.run(&self.script, &mut self.store, &[b"register"], &args);
        let register = Register::read(&reply.unwrap()).unwrap();
        shard.hear(register, &process.name, &server);
    }

    /// The server is restarted: empty, or with what it had some time ago.
    pub(super) fn lose(&mut self) {
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
}
