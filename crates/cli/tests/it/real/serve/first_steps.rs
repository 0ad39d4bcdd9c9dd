//! A fresh machine: no database, no file, one command.

use std::process::Command;

use tollgate_testkit::program;

use crate::common::Desk;

// Proves: S1
#[test]
fn the_first_429_comes_with_the_sixth_curl() {
    let desk = Desk::new();
    let server = desk.serve(&[]);
    assert_eq!(server.announcement["demo"], true);
    let curl = server.announcement["try"].as_str().unwrap();
    program("curl");
    let mut statuses = Vec::new();
    for _ in 0..6 {
        let ran = Command::new("sh")
            .args(["-c", &format!("{curl} -s -o /dev/null -w '%{{http_code}}'")])
            .output()
            .unwrap();
        statuses.push(String::from_utf8(ran.stdout).unwrap());
    }
    assert_eq!(statuses, ["200", "200", "200", "200", "200", "429"]);
}
