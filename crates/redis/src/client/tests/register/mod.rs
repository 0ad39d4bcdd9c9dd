//! Who may have spent what was lost: registers and rolls beside a model that knows every unit.

mod acts;
mod return_time;
mod world;

use self::world::{Catalog, Fate, Restarts, STEP, Ways, World};
use crate::Ending;

const STEPS: u32 = 160;
const CATALOGS: [Catalog; 2] = [Catalog::None, Catalog::Shared];

// Proves: C7
#[test]
fn no_counter_is_fresh_of_which_a_lost_unit_counts() {
    for seed in 60..80 {
        for catalog in CATALOGS {
            for restarts in [Restarts::None, Restarts::Any] {
                let ways = Ways { fate: Fate::Mortal, restarts, catalog };
                is_safe(seed, ways);
            }
        }
    }
}

fn is_safe(seed: u64, ways: Ways) {
    let mut world = World::new(seed, ways);
    for step in 0..STEPS {
        world.step();
        if let Err(what) = world.is_safe() {
            panic!("seed {seed}, step {step}: {what}");
        }
    }
}

// Proves: C7
#[test]
fn doubt_is_over_once_all_who_may_have_spent_have_told() {
    for seed in 0..12 {
        for catalog in CATALOGS {
            for restarts in [Restarts::None, Restarts::Clean] {
                doubt_is_over(seed, restarts, catalog);
            }
        }
    }
}

/// Whatever has happened before: nothing is in doubt two seconds after a loss, though each node is restarted with its
/// journal before it, after it, or while it is told.
fn doubt_is_over(seed: u64, restarts: Restarts, catalog: Catalog) {
    let ways = Ways { fate: Fate::Immortal, restarts, catalog };
    let mut world = World::new(seed, ways);
    for _ in 0..STEPS {
        world.step();
    }
    world.lose();
    for round in 0..6 {
        world.clock.advance(STEP);
        if round < 2 && restarts == Restarts::Clean {
            world.restart(0, Ending::Clean);
        }
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

// Proves: C7
#[test]
fn a_process_that_was_killed_is_awaited_though_its_journal_has_some() {
    let ways = Ways { fate: Fate::Immortal, restarts: Restarts::None, catalog: Catalog::None };
    for ending in [Ending::Clean, Ending::Open] {
        let mut world = World::new(7, ways);
        world.spend(0);
        world.clock.advance(STEP);
        world.beat(0);
        world.restart(0, ending);
        world.lose();
        for _ in 0..4 {
            world.clock.advance(STEP);
            world.beat(0);
            world.tell(0);
        }
        let is_in_doubt = world.processes[0].shard.doubt_since() > 0;
        assert_eq!(is_in_doubt, ending == Ending::Open);
    }
}
