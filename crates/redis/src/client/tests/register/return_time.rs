//! How long requests are kept out after a loss, by the schedule of the keepers, on time that the test moves.

use tollgate_core::{Clock as _, Micros, Timestamp};
use tollgate_sim::Rng;

use super::world::{Catalog, Fate, Restarts, Ways, World};
use crate::{
    Journal, Standing,
    assert::LOOK_EVERY,
    client::{
        breaker::{Breaker, STEP},
        keeper::{CONNECT_PAUSE_MAX, IDLE, PROBE_PAUSE},
    },
};

/// With all processes alive no request is kept out for longer after the first answer of Redis.
const BACK_WITHIN: Micros = Micros::from_secs(3);
const TICK: Micros = Micros::from_millis(10);
/// How long it takes to tell what a process knows, at most.
const TELLING_MAX: Micros = Micros::from_millis(500);

/// What a process does next, and when.
struct Plan {
    connects_at: Timestamp,
    is_here: bool,
    looks_at: Timestamp,
    /// When it begins to tell, or has told, and whether replies of the former server could come meanwhile.
    tells_at: Timestamp,
    telling: Option<(Timestamp, bool)>,
    takes: Micros,
}

impl Plan {
    fn new(rng: &mut Rng, now: Timestamp) -> Self {
        let mut within = |most: Micros| Micros::new(rng.below(most.get() + 1));
        Self {
            connects_at: now.saturating_add(within(CONNECT_PAUSE_MAX.into())),
            is_here: false,
            looks_at: now,
            tells_at: now,
            telling: None,
            takes: within(TELLING_MAX),
        }
    }

    /// As a keeper does, see keeper.rs.
    fn keep(&mut self, world: &mut World, place: usize, now: Timestamp) {
        if !self.is_here {
            world.beat(place);
            world.processes[place].shard.recovered();
            self.is_here = true;
        }
        if now < self.looks_at {
            return;
        }
        world.processes[place].shard.tick();
        let shard = &world.processes[place].shard;
        let (standing, is_quarantined) = (shard.health().standing, shard.is_quarantined());
        if is_quarantined || standing == Standing::Up {
            world.beat(place);
        }
        let pause = match (standing, is_quarantined) {
            (Standing::Up, true) => PROBE_PAUSE,
            (Standing::Up, false) => IDLE,
            _ => STEP / 10,
        };
        self.looks_at = now.saturating_add(pause.into());
    }

    /// As it is told, see assert.rs.
    fn tell(&mut self, world: &mut World, place: usize, now: Timestamp) {
        let shard = &world.processes[place].shard;
        match self.telling {
            None if now >= self.tells_at => {
                self.telling = Some((now.saturating_add(self.takes), shard.is_fresh()));
            }
            Some((until, was_fresh)) if now >= until => {
                self.telling = None;
                self.tells_at = now.saturating_add(LOOK_EVERY.into());
                if !was_fresh {
                    world.tell(place);
                }
            }
            _ => {}
        }
    }
}

fn are_let_in(world: &World) -> bool {
    let last_of_hundred = 99;
    let mut all = world.processes.iter().map(|process| &process.shard);
    all.all(|shard| shard.admits(last_of_hundred) && shard.doubt_since() == 0)
}

/// How long it takes until all processes ask Redis about every key, and doubt none.
fn returns_after(seed: u64) -> Micros {
    let ways = Ways { fate: Fate::Immortal, restarts: Restarts::None, catalog: Catalog::None };
    let mut world = World::new(seed, ways);
    (0..seed % 5).for_each(|_| world.join(Journal::default()));
    for place in 0..world.processes.len() {
        world.spend(place);
        world.beat(place);
    }
    world.lose();
    for process in &world.processes {
        process.shard.change(Breaker::lost);
    }
    world.clock.advance(Micros::from_secs(1));
    let first_answer = world.clock.now().steady;
    let mut rng = Rng::new(seed);
    let count = world.processes.len();
    let plans = (0..count).map(|_| Plan::new(&mut rng, first_answer));
    let mut plans: Vec<Plan> = plans.collect();
    loop {
        let now = world.clock.now().steady;
        for (place, plan) in plans.iter_mut().enumerate() {
            if now >= plan.connects_at {
                plan.keep(&mut world, place, now);
                plan.tell(&mut world, place, now);
            }
        }
        world.is_safe().unwrap();
        let after = now.since(first_answer);
        if are_let_in(&world) {
            return after;
        }
        assert!(after <= BACK_WITHIN, "seed {seed}: requests are still kept out");
        world.clock.advance(TICK);
    }
}

// Proves: C7
#[test]
fn no_request_is_kept_out_for_longer_than_three_seconds() {
    let longest = (0..60).map(returns_after).max().unwrap();
    assert!(longest <= BACK_WITHIN);
}
