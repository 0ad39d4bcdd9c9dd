//! What happens in a world, and what must hold in it.

use tollgate_core::Clock as _;
use tollgate_testkit::limit;

use super::world::{Catalog, Fate, LIMITS, REPORT_EVERY, Restarts, STEP, Unit, World};
use crate::{Ending, Journal, extent::is_perhaps_lost, journal::Past};

impl World {
    pub(super) fn spend(&mut self, place: usize) {
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

    pub(super) fn tell(&mut self, place: usize) {
        let process = &self.processes[place];
        if process.shard.has_told(process.shard.since()) {
            let told = self.units.iter_mut();
            let has = |past: &Past| past.ending == Ending::Clean;
            let past = process.journal.processes.iter().filter(|past| has(past));
            let mut names: Vec<&str> = past.map(|past| past.name.as_str()).collect();
            names.push(&process.name);
            let told = told.filter(|unit| names.contains(&unit.process.as_str()));
            told.for_each(|unit| unit.is_lost = false);
            self.beat(place);
        }
    }

    pub(super) fn step(&mut self) {
        self.clock.advance(STEP);
        match self.rng.below(12) {
            0 if self.processes.len() < 4 => self.join(Journal::default()),
            4 if self.ways.restarts != Restarts::None && self.rng.one_in(2) => {
                let is_killed = self.ways.restarts == Restarts::Any && self.rng.one_in(2);
                let place = self.any();
                self.restart(place, if is_killed { Ending::Open } else { Ending::Clean });
            }
            1 if self.processes.len() > 1 && self.ways.fate == Fate::Mortal => {
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
        self.steps += 1;
        for place in 0..self.processes.len() {
            if self.steps.is_multiple_of(REPORT_EVERY) {
                self.report(place);
            }
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
    pub(super) fn is_safe(&self) -> Result<(), String> {
        let now = self.clock.now();
        // With a catalog, those who come know of all who were there.
        let is_remembered = self.is_remembered || self.ways.catalog == Catalog::Shared;
        let open = self
            .processes
            .iter()
            .filter(|one| one.is_here && !one.shard.is_quarantined() && is_remembered);
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
