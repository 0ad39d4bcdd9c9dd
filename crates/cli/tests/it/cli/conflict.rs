//! Two who edit at once: one wins, the other is told what is in the way.
// Proves: R11

use std::thread;

use crate::common::{Desk, login};

pub(crate) fn the_second_of_two_editors_sees_the_difference(desk: &Desk) {
    desk.write("rules.yaml", &login("5/min"));
    desk.line("rules apply rules.yaml --author ann").fine().says("revision 1");
    desk.write("ann.yaml", &login("10/min"));
    desk.write("bob.yaml", &login("20/min"));
    desk.line("rules apply ann.yaml --base 1 --author ann").fine().says("revision 2");
    let lost = desk.line("rules apply bob.yaml --base 1 --author bob").with(1);
    let lost = lost.says("nothing was applied: revision 2 is the newest, by ann");
    lost.says("login: 10/min → 20/min; counters kept").says("--base 2");
    let lost = desk.line("rules apply bob.yaml --base 1 --json").with(1).json();
    assert_eq!(lost["revision"], 2);
    assert_eq!(lost["differences"][0]["name"], "login");
    assert!(desk.line("rules export").fine().out.contains("10/min"));
    desk.line("rules apply bob.yaml --base 2 --author bob").fine().says("revision 3");
}

pub(crate) fn whoever_repeats_what_is_there_has_no_conflict(desk: &Desk) {
    for limit in ["5/min", "6/min"] {
        desk.write("rules.yaml", &login(limit));
        desk.line("rules apply rules.yaml").fine();
    }
    let again = desk.line("rules apply rules.yaml --base 1").fine();
    again.says("nothing changed: revision 2 holds it already");
    desk.line("rules apply rules.yaml --base 99").fine().says("nothing changed");
    desk.write("rules.yaml", &login("7/min"));
    desk.line("rules apply rules.yaml --base 99").with(1).says("revision 2 is the newest");
}

/// Many start from the same revision at the same time: exactly one comes through.
pub(crate) fn of_many_at_once_exactly_one_wins(desk: &Desk) {
    desk.write("rules.yaml", &login("1/min"));
    desk.line("rules apply rules.yaml").fine();
    let codes: Vec<Option<i32>> = thread::scope(|scope| {
        let editors: Vec<_> = (2..8)
            .map(|limit| {
                scope.spawn(move || {
                    let file = login(&format!("{limit}/min"));
                    desk.run_on(&["rules", "apply", "-", "--base", "1"], &file).code
                })
            })
            .collect();
        editors.into_iter().map(|editor| editor.join().unwrap()).collect()
    });
    assert_eq!(codes.iter().filter(|code| **code == Some(0)).count(), 1, "{codes:?}");
    assert!(codes.iter().all(|code| matches!(code, Some(0 | 1))), "{codes:?}");
    let history = desk.line("rules history --json").fine().json();
    assert_eq!(history["revisions"].as_array().unwrap().len(), 2);
}
