//! The compiled snapshot and the model that looks at every rule, side by side.
// Proves: R1, R2, R3, R4, R12, I2, I3

use std::collections::BTreeMap;

use tollgate_core::RuleId;
use tollgate_rules::{Plan, Query, RuleSet, Snapshot, Stop};
use tollgate_sim::{
    Rng,
    matching::{
        Expected, ReadableKey, Reason, describe, evaluate, limit_text,
        random::{Request, Spelling, World},
    },
};

/// What the snapshot says, in the model's words. Bytes that name a counter have no words.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Stopped(Reason),
    Charged { charges: Vec<(String, String, bool, u64)>, has_matched: bool },
}

fn seen(plan: &Plan<'_>) -> Seen {
    if let Some(stop) = plan.stop() {
        assert!(plan.charges().is_empty(), "a denied request is charged");
        return Seen::Stopped(match stop {
            Stop::Rule(rule) => Reason::Rule(rule.name.to_string()),
            Stop::Missing { rule, field } => {
                Reason::Missing { rule: rule.name.to_string(), field: field.to_string() }
            }
            Stop::Caller(block) => Reason::Caller(block.until),
            other => panic!("no words for {other:?}"),
        });
    }
    let lines = plan.lines().iter().zip(plan.charges());
    let charges = lines.map(|(line, charge)| {
        assert_eq!(charge.limit, &line.limit().limit);
        assert_eq!(charge.cost, line.cost());
        let rule = line.rule().name.to_string();
        (rule, limit_text(charge.limit), line.is_overridden(), charge.cost.get())
    });
    Seen::Charged { charges: charges.collect(), has_matched: plan.has_matched() }
}

fn without_keys(expected: &Expected) -> Seen {
    match expected {
        Expected::Stopped(reason) => Seen::Stopped(reason.clone()),
        Expected::Charged { charges, has_matched } => Seen::Charged {
            charges: charges
                .iter()
                .map(|charge| {
                    let (rule, limit) = (charge.rule.clone(), charge.limit.clone());
                    (rule, limit, charge.is_overridden, charge.cost)
                })
                .collect(),
            has_matched: *has_matched,
        },
    }
}

/// Which counter has which name: one name for each, and one for each name.
#[derive(Default)]
struct Names {
    of_bytes: BTreeMap<(RuleId, Vec<u8>), (String, ReadableKey)>,
    of_facts: BTreeMap<(String, ReadableKey), (RuleId, Vec<u8>)>,
}

impl Names {
    fn learn(&mut self, plan: &Plan<'_>, expected: &Expected) {
        let Expected::Charged { charges, .. } = expected else {
            return;
        };
        for (charge, wanted) in plan.charges().iter().zip(charges) {
            let bytes = (charge.key.rule(), charge.key.values().to_vec());
            let facts = (wanted.rule.clone(), wanted.key.clone());
            let of_bytes = self.of_bytes.entry(bytes.clone()).or_insert(facts.clone());
            assert_eq!(*of_bytes, facts, "two counters share {bytes:?}");
            let of_facts = self.of_facts.entry(facts.clone()).or_insert(bytes.clone());
            assert_eq!(*of_facts, bytes, "one counter has two names: {facts:?}");
        }
    }
}

/// How the snapshot came to be: an answer must not depend on it.
fn compile(rng: &mut Rng, rules: &RuleSet) -> Snapshot {
    if rng.one_in(2) {
        return Snapshot::compile(rules, 2);
    }
    let before = World::new(rng, 10).unwrap();
    Snapshot::compile(&before.rules, 1).succeed(rules, 2)
}

/// The world without whatever can go while they still disagree.
fn shrunk(world: &World, request: &Request) -> World {
    let disagree = |world: &World| {
        let snapshot = Snapshot::compile(&world.rules, 2);
        let directory = world.directory();
        let card = world.card(&directory, &request.query(Spelling::Plain).unwrap());
        let mut query = request.query(Spelling::AsSent).unwrap();
        card.iter().for_each(|card| query.set_key(card));
        let plan = snapshot.plan(&query, &directory, request.wall);
        seen(&plan) != without_keys(&model(world, request))
    };
    let mut world = world.clone();
    for name in world.rules.rules.clone().into_keys() {
        let mut less = world.clone();
        less.rules.rules.remove(&name);
        if disagree(&less) {
            world = less;
        }
    }
    for place in (0..world.rules.overrides.len()).rev() {
        let mut less = world.clone();
        less.rules.overrides.remove(place);
        if disagree(&less) {
            world = less;
        }
    }
    for place in (0..world.api.len()).rev() {
        let mut less = world.clone();
        less.api.remove(place);
        if disagree(&less) {
            world = less;
        }
    }
    world
}

fn model(world: &World, request: &Request) -> Expected {
    let plain = request.query(Spelling::Plain).unwrap();
    evaluate(&world.rules, world.beside(), &plain, request.wall)
}

fn disagreement(world: &World, request: &Request, query: &Query<'_>) -> String {
    let world = shrunk(world, request);
    let snapshot = Snapshot::compile(&world.rules, 2);
    let plan = snapshot.plan(query, &world.directory(), request.wall);
    format!(
        "{}\n{query:?} at {:?}\nmodel: {:#?}\nsnapshot: {:#?}",
        describe(&world),
        request.wall,
        without_keys(&model(&world, request)),
        seen(&plan),
    )
}

/// What came up, to see that every kind of answer did.
#[derive(Debug, Default)]
struct Tally {
    pairs: u64,
    stopped_by_caller: u64,
    stopped_by_rule: u64,
    stopped_by_missing: u64,
    nothing_matched: u64,
    charged_nothing: u64,
    charged_several_rules: u64,
    shared: u64,
    tier_defaults: u64,
    own: u64,
    quotas: u64,
    overridden: u64,
}

impl Tally {
    fn count(&mut self, expected: &Expected) {
        let bump = |counter: &mut u64, is_so: bool| *counter += u64::from(is_so);
        bump(&mut self.pairs, true);
        match expected {
            Expected::Stopped(reason) => {
                bump(&mut self.stopped_by_caller, matches!(reason, Reason::Caller(_)));
                bump(&mut self.stopped_by_rule, matches!(reason, Reason::Rule(_)));
                let is_missing = matches!(reason, Reason::Missing { .. });
                bump(&mut self.stopped_by_missing, is_missing);
            }
            Expected::Charged { charges, has_matched } => {
                bump(&mut self.nothing_matched, !has_matched);
                bump(&mut self.charged_nothing, *has_matched && charges.is_empty());
                let is_several = charges.array_windows().any(|[one, next]| one.rule != next.rule);
                bump(&mut self.charged_several_rules, is_several);
                let is_shared = charges.iter().any(|charge| charge.key == ReadableKey::Shared);
                bump(&mut self.shared, is_shared);
                let is_tier = charges.iter().any(|charge| charge.rule.starts_with("tier:"));
                bump(&mut self.tier_defaults, is_tier);
                let has = |kind: &str| charges.iter().any(|charge| charge.rule.starts_with(kind));
                bump(&mut self.own, has("api-key:"));
                bump(&mut self.quotas, has("quota:"));
                let is_overridden = charges.iter().any(|charge| charge.is_overridden);
                bump(&mut self.overridden, is_overridden);
            }
        }
    }

    /// Every kind is at least one in a hundred.
    fn assert_mixed(self) {
        let pairs = self.pairs;
        let kinds = [
            ("stopped by caller", self.stopped_by_caller),
            ("stopped by rule", self.stopped_by_rule),
            ("stopped by missing", self.stopped_by_missing),
            ("nothing matched", self.nothing_matched),
            ("charged nothing", self.charged_nothing),
            ("charged several rules", self.charged_several_rules),
            ("shared", self.shared),
            ("tier defaults", self.tier_defaults),
            ("limits of API keys", self.own),
            ("quotas", self.quotas),
            ("overridden", self.overridden),
        ];
        for (kind, count) in kinds {
            assert!(count * 100 >= pairs, "{kind}: {count} of {pairs}");
        }
    }
}

fn agree(sets: std::ops::Range<u64>, requests: u64) {
    let mut tally = Tally::default();
    for seed in sets {
        let mut rng = Rng::new(seed);
        let size = rng.pick(&[1, 2, 3, 5, 10, 20, 50, 100, 200]);
        let size = rng.between(1, size);
        let world = World::new(&mut rng, size).unwrap();
        let snapshot = compile(&mut rng, &world.rules);
        let directory = world.directory();
        let mut names = Names::default();
        for _ in 0..requests {
            let request = Request::new(&mut rng);
            let card = world.card(&directory, &request.query(Spelling::Plain).unwrap());
            let mut query = request.query(Spelling::AsSent).unwrap();
            card.iter().for_each(|card| query.set_key(card));
            let plan = snapshot.plan(&query, &directory, request.wall);
            let expected = model(&world, &request);
            let is_same = seen(&plan) == without_keys(&expected);
            assert!(is_same, "seed {seed}\n{}", disagreement(&world, &request, &query));
            names.learn(&plan, &expected);
            tally.count(&expected);
        }
    }
    tally.assert_mixed();
}

#[test]
fn twenty_thousand_requests_are_planned_as_the_model_says() {
    agree(0..500, 40);
}

#[test]
#[ignore = "soak: run by cargo xtask soak"]
fn soak_a_million_requests_are_planned_as_the_model_says() {
    agree(1_000..11_000, 100);
}
