//! A fresh machine: no database, no file, one command.

use std::process::Command;

use tollgate_core::{Clock as _, Micros, SystemClock};
use tollgate_testkit::program;

use crate::common::{Desk, cleared};

/// How long it takes at least until one of five a minute may come again.
const AGAIN_AFTER: Micros = Micros::from_secs(12);

// Proves: S1
#[test]
fn the_first_429_comes_with_the_sixth_curl() {
    let desk = Desk::new();
    let server = desk.serve(&[]);
    assert_eq!(server.announcement["demo"], true);
    let curl = server.announcement["try"].as_str().unwrap();
    program("curl");
    let begun = SystemClock.now().steady;
    let mut statuses = Vec::new();
    for _ in 0..6 {
        let ran = cleared(&mut Command::new("sh"))
            .args(["-c", &format!("{curl} -s -o /dev/null -w '%{{http_code}}'")])
            .output()
            .unwrap();
        statuses.push(String::from_utf8(ran.stdout).unwrap());
    }
    let sixth = statuses.pop().unwrap();
    assert_eq!(statuses, ["200"; 5]);
    let is_slow = SystemClock.now().steady.since(begun) >= AGAIN_AFTER;
    assert!(sixth == "429" || (is_slow && sixth == "200"), "{sixth}");
}
