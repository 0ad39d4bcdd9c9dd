//! The worked examples on disk say what the models say, and the core agrees.
// Proves: D1, D6, D7, D10, D11, D14

use std::collections::BTreeSet;

use tollgate_core::{AlgorithmName, Now};
use tollgate_sim::golden::{self, Act};
use tollgate_sim::{Duel, model::ModelAnswer};

#[test]
fn the_files_are_what_the_models_say() {
    let made = golden::generate().unwrap();
    assert_eq!(made.len(), golden::FILES.len());
    for (file, (name, text)) in made.iter().zip(golden::FILES) {
        assert_eq!(file.name, *name);
        let hint = "run `cargo run -p tollgate-sim --example golden` if that is intended";
        assert!(file.text == *text, "golden/{name}.txt has changed; {hint}");
    }
}

#[test]
fn the_core_agrees_with_every_line() {
    for vector in golden::load().unwrap() {
        let mut now = Now::at(vector.start);
        let mut duel = Duel::new(vector.limit.clone(), now);
        for step in &vector.steps {
            now = step.now(now);
            let place = format!("golden/{}.txt, line {}", vector.name, step.line);
            match &step.act {
                Act::Charge { cost, answer } => {
                    let decision = duel.step(now, *cost).unwrap();
                    assert_eq!(ModelAnswer::from(decision), *answer, "{place}");
                }
                Act::Refund { cost } => duel.refund(now, *cost).unwrap(),
                Act::Replace { limit } => duel.replace_limit(limit.clone(), now).unwrap(),
            }
        }
    }
}

#[test]
fn every_algorithm_and_every_kind_of_step_is_among_them() {
    let vectors = golden::load().unwrap();
    let names: BTreeSet<&str> = vectors.iter().map(|v| v.limit.algorithm().as_str()).collect();
    assert_eq!(names.len(), AlgorithmName::ALL.len());
    let steps = || vectors.iter().flat_map(|vector| &vector.steps);
    let count = |kind: fn(&Act) -> bool| steps().filter(|step| kind(&step.act)).count();
    assert!(count(|act| matches!(act, Act::Refund { .. })) > 50);
    assert!(count(|act| matches!(act, Act::Replace { .. })) >= 12);
    assert!(count(|act| matches!(act, Act::Charge { answer, .. } if answer.allowed)) > 1_000);
    assert!(count(|act| matches!(act, Act::Charge { answer, .. } if !answer.allowed)) > 500);
    assert!(steps().filter(|step| step.wall_step_micros < 0).count() > 10);
    let bytes: usize = golden::FILES.iter().map(|(_, text)| text.len()).sum();
    assert!(bytes < 300_000);
}

/// A limit is followed by a step at the same moment: a store carries a key over when it is next used.
#[test]
fn a_change_is_felt_at_once() {
    for vector in golden::load().unwrap() {
        for pair in vector.steps.windows(2) {
            if matches!(pair[0].act, Act::Replace { .. }) {
                assert!(pair[1].elapsed.is_zero() && pair[1].wall_step_micros == 0);
            }
        }
    }
}
