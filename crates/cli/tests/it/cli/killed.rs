//! Killed in the middle: what is there is what was there, or all of what was to be there.
// Proves: R6, R11

use std::{fmt::Write as _, process::Stdio, time::Duration};

use tollgate_testkit::{Rng, rounds};

use crate::common::Desk;

const RULES: usize = 5_000;
const KILLS: u32 = 20;

fn many(limit: &str) -> String {
    let mut file = String::from("version: 1\nrules:\n");
    for rule in 0..RULES {
        writeln!(
            file,
            "  - {{ name: r{rule}, match: {{ endpoint: /r{rule}/** }}, key: [ip], limit: {limit} }}"
        )
        .unwrap();
    }
    file
}

pub(crate) fn a_killed_apply_leaves_the_old_rules_or_the_new(desk: &Desk) {
    let files = ["5/min", "6/min"].map(many);
    let contents = files.each_ref().map(|file| {
        desk.run_on(&["rules", "apply", "-"], file).fine();
        desk.line("rules export").fine().out
    });
    assert_ne!(contents[0], contents[1]);
    let (mut rng, mut now) = (Rng::new(1), 1);
    for kill in 0..rounds(KILLS) {
        let other = 1 - now;
        desk.write("rules.yaml", &files[other]);
        kill_apply(desk, Duration::from_millis(rng.below(1_500)));
        let found = desk.line("rules export").fine().out;
        let is = contents.iter().position(|content| *content == found);
        now = is.unwrap_or_else(|| panic!("kill {kill} left a mixture"));
    }
    // Nothing is left behind that would be in anybody's way, and no number is there twice.
    desk.run_on(&["rules", "apply", "-"], &many("7/min")).fine();
    let history = desk.line("rules history --json --limit 100").fine().json();
    let revisions = history["revisions"].as_array().unwrap().iter();
    let numbers: Vec<u64> = revisions.map(|each| each["revision"].as_u64().unwrap()).collect();
    assert!(numbers.is_sorted_by(|newer, older| newer > older), "{numbers:?}");
}

/// Starts to apply, and is killed after `pause`; it may have ended before.
fn kill_apply(desk: &Desk, pause: Duration) {
    let mut command = desk.command(&["rules", "apply", "rules.yaml"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    wait(pause);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[expect(
    clippy::disallowed_methods,
    reason = "a process is killed at some moment of real time; nothing is asserted of it"
)]
fn wait(pause: Duration) {
    std::thread::sleep(pause);
}
