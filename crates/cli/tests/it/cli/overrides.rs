//! Exceptions for one key.
// Proves: R12

use crate::common::{Desk, login};

/// With rules for overrides to be about.
fn prepare(desk: &Desk) {
    desk.run_on(&["rules", "apply", "-"], &login("5/min")).fine();
}

pub(crate) fn an_override_is_set_listed_and_removed(desk: &Desk) {
    prepare(desk);
    desk.line("overrides list").fine().says("no overrides");
    let mut words = vec!["overrides", "set", "--rule", "login", "--key", "user=acme"];
    words.extend(["--limit", "500/min", "--until", "2199-01-01T00:00:00Z"]);
    words.extend(["--reason", "contract 412", "--author", "ann"]);
    let told = "login [user=acme]: 500/min until 2199-01-01T00:00:00Z (contract 412)";
    desk.run(&words).fine().says(&format!("override 1: {told}"));
    desk.line("overrides list").fine().says(&format!("     1  {told}, by ann"));
    desk.line("overrides set --key user=acme --factor 1.5x --for 2h").fine().says("every rule");
    desk.line("overrides set --rule login --key ip=2001:db8::7 --unlimited")
        .fine()
        .says("login [ip=2001:db8::]: unlimited");
    desk.line("overrides set --rule login --key user=b --limits 10/s,100/h")
        .fine()
        .says("10/s, 100/h");
    desk.line("overrides list --limit 2").fine().says("there are more: --limit shows them");
    let ran = desk.line("overrides list --rule login").fine();
    assert!(!ran.out.contains("every rule"), "{ran:?}");
    desk.line("overrides remove 1 2").fine().says("removed 2 overrides");
    desk.line("overrides remove 1 77").with(1).says("removed 0 overrides; not there: 1, 77");
    let ran = desk.line("overrides list").fine();
    assert!(!ran.out.contains("contract"), "{ran:?}");
    desk.line("overrides list --all").fine().says("by ann, removed by cli");
}

pub(crate) fn an_override_is_replaced_by_its_id(desk: &Desk) {
    prepare(desk);
    desk.line("overrides set --rule login --key user=acme --factor 2x").fine();
    desk.line("overrides set --id 1 --rule login --key user=acme --factor 3x")
        .fine()
        .says("override 1:");
    let listed = desk.line("overrides list --json").fine().json();
    assert_eq!(listed["overrides"].as_array().unwrap().len(), 1);
    assert_eq!(listed["overrides"][0]["factor"], "3x");
    desk.line("overrides set --id 9 --key user=acme --factor 2x")
        .with(1)
        .says("there is no override 9");
}

pub(crate) fn those_of_the_file_are_listed_beside_them(desk: &Desk) {
    prepare(desk);
    let file = login("5/min")
        + "overrides:\n  - { rule: login, key: { user: zoe }, unlimited: true, reason: staff }\n";
    desk.run_on(&["rules", "apply", "-"], &file).fine();
    desk.line("overrides list").fine().says("  file  login [user=zoe]: unlimited (staff)");
    let listed = desk.line("overrides list --json").fine().json();
    assert_eq!(listed["in_file"][0]["key"]["user"], "zoe");
    // The revisions know nothing of the others: going back leaves them alone.
    desk.line("overrides set --rule login --key user=acme --factor 2x").fine();
    desk.line("rules rollback 1").fine().says("override login [user=zoe]: removed");
    desk.line("overrides list").fine().says("login [user=acme]: 2x");
}

/// What is typed, and what is said about it.
const MISFITS: &[(&str, &str)] = &[
    (
        "--rule logni --key user=a --factor 2x",
        "there is no rule \"logni\" (did you mean \"login\"?)",
    ),
    ("--rule login --key usr=a --factor 2x", "(did you mean \"user\"?)"),
    (
        "--rule login --key org=a --factor 2x",
        "the override names no user|ip (rule \"login\" has key:",
    ),
    ("--rule login --key user=a --key ip=192.0.2.1 --factor 2x", "names several of user|ip"),
    ("--rule login --key user=a --key org=b --factor 2x", "the rule does not count by org"),
    ("--rule login --factor 2x", "the override names no user|ip"),
    ("--rule login --key user=a --key user=b --factor 2x", "--key user is given twice"),
    ("--rule login --key user --factor 2x", "write FIELD=VALUE"),
    ("--rule login --key user= --factor 2x", "key user is empty"),
    ("--rule login --key ip=300.1.1.1 --factor 2x", "\"300.1.1.1\" is not an address"),
    ("--rule login --key ip=2001:db8::/56 --factor 2x", "counts addresses by /64, not by /56"),
    ("--rule login --key user=a --limit 5", "100/min"),
    ("--rule login --key user=a --limit 5/sec", "did you mean \"s\"?"),
    ("--rule login --key user=a --limit 0/min", "would let nothing pass"),
    ("--rule login --key user=a --limit 9/h", "rule \"login\" has no limit per h (it has 5/min"),
    ("--rule login --key user=a --limits 9/h,8/h", "two limits per h"),
    ("--rule login --key user=a --factor 2", "write for example 2x"),
    ("--rule login --key user=a --factor 0x", "from 0.001x"),
    ("--rule login --key user=a --factor 2x --until soon", "--until: \"soon\" is not a moment"),
    ("--rule login --key user=a --factor 2x --until 2001-01-01T00:00:00Z", "a moment to come"),
    ("--rule login --key user=a --factor 2x --for 3", "--for: \"3\" is not a span of time"),
    ("--rule login --key user=a --factor 2x --for 3weeks", "write for example 90min"),
    ("--rule login --key user=a --factor 2x --id 99999999999999999999", "--id"),
    (
        "--rule login --key user=a",
        "--limit <LIMIT>|--limits <LIMITS>|--factor <FACTOR>|--unlimited",
    ),
    ("--rule login --key user=a --factor 2x --unlimited", "cannot be used with"),
    ("--rule login --key user=a --limit 1/min --limits 5/s", "cannot be used with"),
];

/// Premise: such an override was written, and the rule's own limit went on to count.
#[test]
fn what_the_algorithm_cannot_hold_is_refused() {
    let desk = Desk::new();
    let rules =
        "version: 1\nrules: [{ name: login, key: [user], limit: 600/h, algorithm: sliding_log }]\n";
    desk.run_on(&["rules", "apply", "-"], rules).fine();
    for change in ["--factor 2x", "--limit 1001/h", "--limits 5/s,5000/h"] {
        for rule in ["--rule login ", ""] {
            desk.line(&format!("overrides set {rule}--key user=a {change}"))
                .with(1)
                .says("sliding_log remembers every request, so its limit is at most 1000");
        }
    }
    desk.line("overrides list --all").fine().says("no overrides");
    desk.line("overrides set --rule login --key user=a --limit 1000/h").fine();
}

/// What would be an error in a file is one here, in the same words, and nothing is written.
#[test]
fn what_does_not_fit_is_refused() {
    let desk = Desk::new();
    prepare(&desk);
    for (line, told) in MISFITS {
        let line = format!("overrides set {line}");
        desk.line(&line).with(1).says(told);
        let json = desk.line(&format!("{line} --json")).with(1).json();
        assert!(json["error"].is_string(), "{json}");
    }
    desk.line("overrides list --all").fine().says("no overrides");
    desk.line("overrides remove nine").with(1).says("'nine'");
    desk.line("overrides list --rule a:b").with(1).says("names are letters, digits");
}

#[test]
fn an_override_that_changes_nothing_is_remarked_upon() {
    let desk = Desk::new();
    prepare(&desk);
    let ran = desk.line("overrides set --key org=acme --factor 2x").fine();
    assert!(ran.err.contains("warning: no rule counts by exactly these facts"), "{ran:?}");
    let json = desk.line("overrides set --key org=acme --factor 2x --json").fine().json();
    assert_eq!(json["warnings"].as_array().unwrap().len(), 1);
}

/// Whoever changes a rule hears which exceptions lose their effect by it, before and after.
pub(crate) fn an_override_that_a_change_strands_is_told(desk: &Desk) {
    prepare(desk);
    desk.line("overrides set --rule login --key user=acme --limit 9/min").fine();
    let told = "override 1 no longer counts, login [user=acme]: 9/min";
    let rehearsed = desk.run_on(&["rules", "apply", "-", "--dry-run"], &login("2/h"));
    assert!(rehearsed.with(2).err.contains(told));
    let kept = desk.run_on(&["rules", "apply", "-"], &login("7/min"));
    assert!(!kept.fine().err.contains("no longer counts"));
    let words = ["rules", "apply", "-", "--json"];
    let applied = desk.run_on(&words, &login("2/h")).fine().json();
    let stranded = applied["stranded_overrides"].as_array().unwrap();
    assert!(stranded[0].as_str().unwrap().starts_with(told), "{applied}");
    let back = desk.line("rules rollback 1").fine();
    assert!(!back.err.contains("no longer counts"), "it counts again");
}

#[test]
fn a_day_lasts_to_its_end_and_both_names_of_a_fact_are_taken() {
    let desk = Desk::new();
    prepare(&desk);
    desk.line("overrides set --rule login --key user_id=acme --limit 9/min --until 2199-05-03")
        .fine()
        .says("login [user=acme]: 9/min until 2199-05-04T00:00:00Z");
    let ran = desk.line("overrides set --key user=b --factor 2x --until friday");
    ran.fine().says("T00:00:00Z");
    desk.line("overrides set --key user=c --factor 2x --ttl 2h")
        .fine()
        .says("every rule [user=c]: 2x until");
    desk.line("overrides set --key user=d --key user_id=d --factor 2x")
        .with(1)
        .says("--key user is given twice");
    desk.line("overrides set --key user=d --factor 2x --until 20.11.2199")
        .with(1)
        .says("or a day such as 2027-01-01 or friday");
}
