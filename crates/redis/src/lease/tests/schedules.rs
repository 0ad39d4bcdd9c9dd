//! Random schedules of many holders: whatever happens, what is admitted keeps the algorithm's own law.
// Proves: C3, C7

use std::rc::Rc;

use tollgate_sim::{
    Rng,
    pool::{Admission, Guard, Pool, breach},
};
use tollgate_testkit::limit;

use super::{
    acts::CHANGE_WITHIN,
    calls::LIMITS,
    lua_pool::{LuaPool, Scripts},
    node::{Holds, Make, model_holder},
    world::{Faults, World},
};

/// What is tried: which scripts, which holders.
pub(super) struct Trial<H> {
    pub(super) scripts: Rc<Scripts>,
    pub(super) make: Make<H>,
    pub(super) guard: Guard,
}

/// Steps of one schedule.
const STEPS: u64 = 120;

impl<H: Holds> Trial<H> {
    /// Runs the schedule of a seed; says what was wrong with it.
    pub(super) fn run(&self, seed: u64) -> Result<(), String> {
        self.run_and_tell(seed, None)
    }

    /// The same; its story goes to `story`.
    fn run_and_tell(&self, seed: u64, story: Option<Vec<String>>) -> Result<(), String> {
        let mut rng = Rng::new(seed);
        let faults = Faults {
            network: rng.one_in(2),
            nodes: rng.one_in(3),
            drift: rng.one_in(2),
            failover: rng.one_in(3),
            change: rng.one_in(4),
        };
        let limit = limit(rng.pick(&LIMITS));
        let pool = LuaPool::new(&self.scripts, &limit);
        let mut world = World::new(rng.next_u64(), faults, pool, &limit, self.make);
        world.guard = self.guard;
        world.story = story;
        world.run(STEPS);
        let found = found(&world);
        if let (Some(_), Some(story)) = (&found, &world.story) {
            println!("{}", story.join("\n"));
        }
        match found {
            None => Ok(()),
            Some(found) => Err(format!(
                "seed {seed}, {}/{} {} {:?}, {faults:?}, spare {}: {found}",
                limit.amount(),
                limit.period(),
                limit.algorithm(),
                limit.burst(),
                world.residual
            )),
        }
    }
}

/// Where a schedule broke the law.
fn found<P: Pool, H: Holds>(world: &World<P, H>) -> Option<String> {
    let all: Vec<Admission> = world
        .admitted
        .iter()
        .map(|(admission, _)| *admission)
        .collect();
    let (_, first) = &world.limits[0];
    let Some((changed_at, second)) = world.limits.get(1) else {
        return breach(first, &all, world.residual);
    };
    // Over a change the more generous of the two; before it the old one, and the new one once it is known everywhere.
    let larger = match first.law().capacity() > second.law().capacity() {
        true => first,
        false => second,
    };
    let known_at = changed_at + CHANGE_WITHIN + 2 * first.period().length().get();
    let early: Vec<Admission> = all
        .iter()
        .filter(|one| one.at < *changed_at)
        .copied()
        .collect();
    let late: Vec<Admission> = all
        .iter()
        .filter(|one| one.at > known_at)
        .copied()
        .collect();
    let whole = breach(larger, &all, world.residual);
    let early = breach(first, &early, world.residual);
    let late = breach(second, &late, world.residual);
    whole.or(early).or(late)
}

#[test]
fn no_schedule_breaks_the_law() {
    let trial = Trial {
        scripts: Scripts::new(),
        make: model_holder,
        guard: Guard::Right,
    };
    for seed in 0..4_000 {
        trial.run(seed).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
#[ignore = "survey"]
fn survey() {
    let trial = Trial {
        scripts: Scripts::new(),
        make: super::real_holder::real_holder,
        guard: Guard::Right,
    };
    if let Ok(seed) = std::env::var("REAL") {
        trial
            .run_and_tell(seed.parse().unwrap(), Some(Vec::new()))
            .unwrap();
    }
    for seed in 0..2_000 {
        if let Err(error) = trial.run(seed) {
            println!("seed real {error}");
        }
    }
}
