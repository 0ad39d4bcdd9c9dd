//! Random schedules of many holders: whatever happens, what is admitted keeps the algorithm's own law.
// Proves: C3, C7

use std::rc::Rc;

use tollgate_core::Limit;
use tollgate_sim::{
    Rng,
    pool::{Admission, Guard, Pool, breach},
};
use tollgate_testkit::{limit, rounds};

use super::{
    calls::LIMITS,
    failover::CHANGE_WITHIN,
    lua_pool::{LuaPool, Scripts},
    node::{Holds, Make, model_holder},
    real_holder::real_holder,
    world::{Faults, World},
};

/// What is tried: which pool, which holders.
pub(super) struct Trial<P, H> {
    pub(super) pool: Box<dyn Fn(&Limit) -> P>,
    pub(super) make: Make<H>,
    pub(super) guard: Guard,
    /// Other faults than the seed would choose.
    pub(super) faults: Option<Faults>,
    pub(super) limits: &'static [&'static str],
}

/// Steps of one schedule.
const STEPS: u64 = 120;

impl<P: Pool, H: Holds> Trial<P, H> {
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
        let faults = self.faults.unwrap_or(faults);
        let limit = limit(rng.pick(self.limits));
        let pool = (self.pool)(&limit);
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
    let all: Vec<Admission> = world.admitted.iter().map(|(admission, _)| *admission).collect();
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
    let early: Vec<Admission> = all.iter().filter(|one| one.at < *changed_at).copied().collect();
    let late: Vec<Admission> = all.iter().filter(|one| one.at > known_at).copied().collect();
    let whole = breach(larger, &all, world.residual);
    let early = breach(first, &early, world.residual);
    let late = breach(second, &late, world.residual);
    whole.or(early).or(late)
}

/// Pools in which these scripts run.
pub(super) fn lua_pools(scripts: Rc<Scripts>) -> Box<dyn Fn(&Limit) -> LuaPool> {
    Box::new(move |limit| LuaPool::new(&scripts, limit))
}

/// Tries seeds; the first that breaks the law is told with its story.
fn try_all<H: Holds>(make: Make<H>, seeds: std::ops::Range<u64>) {
    let trial = Trial {
        pool: lua_pools(Scripts::new()),
        make,
        guard: Guard::Right,
        faults: None,
        limits: &LIMITS,
    };
    for seed in seeds {
        if let Err(error) = trial.run(seed) {
            drop(trial.run_and_tell(seed, Some(Vec::new())));
            panic!("{error}");
        }
    }
}

fn seeds() -> u64 {
    rounds(1_000).into()
}

#[test]
fn no_schedule_breaks_the_law() {
    try_all(model_holder, 0..seeds());
}

#[test]
fn no_schedule_breaks_the_law_with_our_holder() {
    try_all(real_holder, 0..seeds());
}

/// 120,000 schedules on as many threads as there are.
#[test]
#[ignore = "soak: run by cargo xtask soak"]
fn soak_no_schedule_breaks_the_law() {
    const SEEDS: u64 = 60_000;
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    println!("{} schedules of {STEPS} steps", 2 * SEEDS);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let share = SEEDS * thread / threads..SEEDS * (thread + 1) / threads;
            scope.spawn(move || {
                try_all(model_holder, share.clone());
                try_all(real_holder, share);
            });
        }
    });
}
