//! Commands that need no database.
// Proves: R11

use std::os::unix::fs::{PermissionsExt as _, symlink};

use crate::common::{Desk, login};

const SLOPPY: &str = "version: 1\nrules:\n- {name: login, limit: 5/min,   key: [ip]} # theirs\n";

#[test]
fn a_file_is_validated_with_every_error_and_its_place() {
    let desk = Desk::new();
    desk.write("good.yaml", &login("5/min"));
    let ran = desk.line("rules validate good.yaml").fine();
    assert_eq!(ran.out, "good.yaml: ok\n");
    desk.write(
        "bad.yaml",
        "version: 1\nrules:\n  - name: login\n    key: [usr]\n    limit: 5/mins\n",
    );
    let ran = desk.line("rules validate good.yaml bad.yaml").with(1);
    let ran = ran.says("good.yaml: ok").says("bad.yaml: 2 errors");
    let ran = ran.says("--> bad.yaml:4:11").says("did you mean \"user\"?");
    let ran = ran.says("--> bad.yaml:5:12").says("did you mean \"min\"?");
    assert_eq!(ran.out.matches("2 errors").count(), 1, "counted once: {}", ran.out);
}

// Proves: R4
#[test]
fn a_rank_is_optional_and_validate_says_that_nothing_uses_it() {
    let desk = Desk::new();
    let rules = "rules:\n  - { name: a, key: [ip], limit: 5/min }\n";
    desk.write(
        "plain.yaml",
        &format!("version: 1\ntiers: {{ free: {{ default: 5/h }} }}\n{rules}"),
    );
    let ran = desk.line("rules validate plain.yaml").fine();
    assert!(!ran.out.contains("rank"), "{ran:?}");
    let ranked =
        format!("version: 1\ntiers: {{ free: {{ rank: 1 }}, gold: {{ rank: 2 }} }}\n{rules}");
    desk.write("ranked.yaml", &ranked);
    desk.line("rules validate --deny-warnings ranked.yaml")
        .says("note: nothing uses the rank of a tier yet (free, gold)");
}

#[test]
fn warnings_pass_unless_they_are_denied() {
    let desk = Desk::new();
    desk.write("rules.yaml", "version: 1\nrules:\n  - { name: a, key: [user], limit: 5/min }\n");
    let ran = desk.line("rules validate rules.yaml").fine();
    ran.says("warning: nothing limits requests without user").says("rules.yaml: ok, 1 warning");
    desk.line("rules validate --deny-warnings rules.yaml").with(1);
}

#[test]
fn formatting_is_checked_then_done_once() {
    let desk = Desk::new();
    desk.write("rules.yaml", SLOPPY);
    desk.line("rules fmt --check rules.yaml").with(2).says("would change rules.yaml");
    assert_eq!(desk.read("rules.yaml"), SLOPPY, "a check changes nothing");
    desk.line("rules fmt rules.yaml").fine().says("formatted rules.yaml");
    let formatted = desk.read("rules.yaml");
    assert!(formatted != SLOPPY && formatted.contains("# theirs"), "{formatted}");
    let again = desk.line("rules fmt rules.yaml").fine();
    assert_eq!(again.out, "");
    desk.line("rules fmt --check rules.yaml").fine();
    let piped = desk.run_on(&["rules", "fmt", "-"], SLOPPY).fine();
    assert_eq!(piped.out, formatted);
    desk.run_on(&["rules", "fmt", "--check", "-"], SLOPPY).with(2).says("<stdin>");
}

#[test]
fn formatting_leaves_a_file_alone_that_it_cannot_read() {
    let desk = Desk::new();
    let broken = "version: 1\nrules: [ { name: a\n";
    desk.write("rules.yaml", broken);
    desk.line("rules fmt rules.yaml").with(1).says("cannot format rules.yaml: line ");
    desk.line("rules fmt --check rules.yaml").with(1);
    assert_eq!(desk.read("rules.yaml"), broken);
}

#[test]
fn formatting_keeps_rights_and_links() {
    let desk = Desk::new();
    desk.write("there.yaml", SLOPPY);
    let mode = std::fs::Permissions::from_mode(0o640);
    std::fs::set_permissions(desk.path("there.yaml"), mode).unwrap();
    symlink("there.yaml", desk.path("here.yaml")).unwrap();
    desk.line("rules fmt here.yaml").fine();
    assert!(desk.path("here.yaml").is_symlink());
    assert_ne!(desk.read("there.yaml"), SLOPPY);
    let mode = desk.path("there.yaml").metadata().unwrap().permissions();
    assert_eq!(mode.mode() & 0o777, 0o640);
    let left = std::fs::read_dir(desk.path(".")).unwrap().count();
    assert_eq!(left, 2, "nothing is left behind");
}

const TESTED: &str = "
tests:
  - name: five logins a minute
    steps:
      - { request: { user: ann, endpoint: /login }, times: 5, expect: allow }
      - { at: 1s, request: { user: ann, endpoint: /login }, expect: deny, rule: login }
  - name: others are free
    steps:
      - { request: { user: ann, endpoint: /else }, expect: deny }
";

#[test]
fn tests_in_a_file_run_on_virtual_time() {
    let desk = Desk::new();
    desk.write("rules.yaml", &(login("5/min") + TESTED));
    let ran = desk.line("rules test rules.yaml").with(1);
    let ran = ran.says("ok      five logins a minute").says("FAILED  others are free");
    ran.says("rules.yaml: line 15: expected deny, got allow").says("1 passed, 1 failed");
    desk.line("rules test rules.yaml --only logins").fine().says("1 passed, 0 failed");
    desk.line("rules test rules.yaml --only nope").with(1).says("no test has \"nope\" in its name");
    desk.write("bare.yaml", &login("5/min"));
    desk.line("rules test bare.yaml").fine().says("write some under `tests:`");
    desk.write("bad.yaml", "version: 1\nruls: []\n");
    desk.line("rules test bad.yaml")
        .with(1)
        .says("did you mean \"rules\"?")
        .says("bad.yaml has 1 error");
}

#[test]
fn two_files_are_compared_by_meaning() {
    let desk = Desk::new();
    desk.write("old.yaml", &login("5/min"));
    desk.write("new.yaml", &login("10/min"));
    desk.write("same.yaml", &login("5/60s").replace("/login", "/login/"));
    let ran = desk.line("rules diff old.yaml new.yaml").with(2);
    assert_eq!(ran.out, "login: 5/min → 10/min; counters kept\n");
    let ran = desk.line("rules diff old.yaml same.yaml").fine();
    assert_eq!(ran.out, "no difference between old.yaml and same.yaml\n");
    let ran = desk.run_on(&["rules", "diff", "old.yaml", "-"], &login("1/s")).with(2);
    ran.says("login: 5/min → 1/s");
    desk.line("rules diff nowhere.yaml new.yaml").with(1).says("nowhere.yaml is neither a file");
    assert!(!desk.path("tollgate-data").exists(), "files need no database");
}

#[test]
fn the_standard_input_is_a_file_too() {
    let desk = Desk::new();
    desk.run_on(&["rules", "validate", "-"], &login("5/min")).fine().says("<stdin>: ok");
    desk.run_on(&["rules", "test", "-"], &login("5/min")).fine();
    desk.run_on(&["rules", "validate", "-"], "version: 2\n").with(1).says("--> <stdin>:1:10");
}

#[test]
fn what_cannot_be_read_is_named() {
    let desk = Desk::new();
    for command in ["validate", "fmt", "test", "apply"] {
        let ran = desk.line(&format!("rules {command} nowhere.yaml")).with(1);
        ran.says("cannot open nowhere.yaml: No such file");
        desk.line(&format!("rules {command} .")).with(1).says("cannot read .: Is a directory");
    }
    std::fs::write(desk.path("binary.yaml"), b"version: \xff").unwrap();
    desk.line("rules validate binary.yaml").with(1).says("binary.yaml is not UTF-8: byte 9");
    let long = std::fs::File::create(desk.path("long.yaml")).unwrap();
    long.set_len(1 << 30).unwrap();
    desk.line("rules validate long.yaml").with(1).says("long.yaml has more than");
    assert!(!desk.path("tollgate-data").exists(), "a file that cannot be read makes no database");
}

#[test]
fn the_schema_is_json() {
    let desk = Desk::new();
    for line in ["rules schema", "rules schema --json"] {
        assert!(desk.line(line).fine().json().is_object());
    }
}
