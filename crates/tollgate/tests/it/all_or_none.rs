//! Several requests pass together or not at all: against a model that only counts.

use std::{collections::HashMap, sync::Arc};

use tollgate::{
    Cost, Gate, ManualClock, MemoryStore, Part, Spend,
    rules::{Live, Query},
};
use tollgate_testkit::Rng;

const RULES: &str = "
version: 1
rules:
  - { name: banned, match: { user: u0 }, action: block, priority: 1 }
  - { name: users, match: { attributes: { on: users } }, key: [user], limit: 40/day, algorithm: fixed_window }
  - { name: orgs, match: { attributes: { on: orgs } }, key: [org], limit: 90/day, algorithm: fixed_window }
  - { name: both, match: { attributes: { on: both } }, key: [user, org], limit: 20/day, algorithm: fixed_window }
  - { name: all, match: { attributes: { all: x } }, key: [], limit: 700/day, algorithm: fixed_window, priority: -1 }
";

/// One request of the model.
#[derive(Clone, Copy, Debug)]
struct Asked {
    user: usize,
    org: usize,
    on: &'static str,
    all: bool,
    cost: u64,
    spend: Spend,
}

const USERS: [&str; 4] = ["u0", "u1", "u2", "u3"];
const ORGS: [&str; 2] = ["o0", "o1"];

impl Asked {
    fn any(rng: &mut Rng) -> Self {
        Self {
            user: if rng.below(40) == 0 { 0 } else { 1 + rng.index(3) },
            org: rng.index(2),
            on: rng.pick(&["users", "orgs", "both", "nothing"]),
            all: rng.below(2) == 0,
            cost: 1 + rng.below(4),
            spend: if rng.below(5) == 0 { Spend::Look } else { Spend::Charge },
        }
    }

    fn part(&self) -> Part<'static> {
        let mut query = Query::new().user(USERS[self.user]).unwrap();
        query.set_org(ORGS[self.org]).unwrap();
        query.add_attribute("on", self.on).unwrap();
        if self.all {
            query.add_attribute("all", "x").unwrap();
        }
        query.set_cost(Cost::new(self.cost));
        Part { query, spend: self.spend }
    }

    fn is_banned(&self) -> bool {
        self.user == 0
    }

    /// The counters it meets, with their limits.
    fn meets(&self) -> Vec<(String, u64)> {
        if self.is_banned() {
            return Vec::new();
        }
        let (user, org) = (USERS[self.user], ORGS[self.org]);
        let own = match self.on {
            "users" => Some((format!("users {user}"), 40)),
            "orgs" => Some((format!("orgs {org}"), 90)),
            "both" => Some((format!("both {user} {org}"), 20)),
            _ => None,
        };
        let all = self.all.then(|| ("all".to_owned(), 700));
        own.into_iter().chain(all).collect()
    }
}

/// What was spent of each counter.
#[derive(Default)]
struct Model(HashMap<String, u64>);

impl Model {
    /// Whether all pass; then those that spend have spent.
    fn take(&mut self, set: &[Asked]) -> bool {
        let spending = |asked: &&Asked| asked.spend == Spend::Charge;
        let mut after = self.0.clone();
        for asked in set.iter().filter(spending) {
            for (counter, _) in asked.meets() {
                *after.entry(counter).or_default() += asked.cost;
            }
        }
        let fits = set.iter().all(|asked| {
            asked.meets().iter().all(|(counter, limit)| {
                let spent = match asked.spend {
                    // Whoever looks sees what there was before this set.
                    Spend::Look => self.0.get(counter).copied().unwrap_or(0) + asked.cost,
                    Spend::Charge => after[counter],
                };
                spent <= *limit
            })
        });
        let passes = fits && !set.iter().any(Asked::is_banned);
        if passes {
            self.0 = after;
        }
        passes
    }

    fn left(&self, counter: &str, limit: u64) -> u64 {
        limit - self.0.get(counter).copied().unwrap_or(0)
    }
}

// Proves: D4, S2
#[test]
fn a_set_passes_as_the_model_says_and_spends_what_it_says() {
    let mut rng = Rng::new(11);
    let (mut passed, mut stopped) = (0, 0);
    for _ in 0..400 {
        let clock = ManualClock::start();
        let live = Arc::new(Live::new());
        live.publish(&RULES.parse().unwrap(), 1);
        let store = MemoryStore::with_capacity(1_000, clock.clone());
        let gate = Gate::new(live, store, clock);
        let mut model = Model::default();
        for _ in 0..200 {
            let set: Vec<Asked> = (0..1 + rng.index(5)).map(|_| Asked::any(&mut rng)).collect();
            let parts: Vec<Part<'_>> = set.iter().map(Asked::part).collect();
            let before = Model(model.0.clone());
            let expected = model.take(&set);
            let told = gate.check_together(&parts, |all| {
                let told = all.iter().map(|(_, ruling)| {
                    let decisions = ruling.decisions();
                    let left: Vec<u64> = decisions.map(|(_, one)| one.remaining()).collect();
                    (ruling.is_allowed(), left)
                });
                told.collect::<Vec<_>>()
            });
            let told = told.unwrap();
            assert_eq!(told.iter().all(|(passes, _)| *passes), expected, "{set:?}");
            let mut running = Model(before.0.clone());
            for (asked, (passes, left)) in set.iter().zip(&told) {
                assert!(*passes || !expected);
                assert!(!(*passes && asked.is_banned()), "{asked:?}");
                if expected && asked.spend == Spend::Charge {
                    assert!(running.take(&[*asked]));
                }
                // Whoever passes alone is told what is left: after it, or before the set if nothing was
                // charged or it only looks.
                let known = match asked.spend {
                    Spend::Charge => &running,
                    Spend::Look => &before,
                };
                if *passes {
                    let meets = asked.meets().into_iter();
                    let expected = meets.map(|(name, limit)| known.left(&name, limit));
                    let expected: Vec<u64> = expected.collect();
                    assert_eq!(*left, expected, "{set:?} {told:?}");
                }
            }
            *(if expected { &mut passed } else { &mut stopped }) += 1;
        }
    }
    assert!(passed > 5_000 && stopped > 20_000, "{passed} passed, {stopped} did not");
}
