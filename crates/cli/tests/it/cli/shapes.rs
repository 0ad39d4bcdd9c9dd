//! The JSON of every command, as docs/reference/cli.md describes it.
// Proves: R11

use serde_json::Value;

use crate::common::{Desk, fields, login};

const TESTS: &str = "tests:\n  - name: t\n    steps: [{ request: { user: a }, expect: deny }]\n";

#[test]
fn files() {
    let desk = Desk::new();
    desk.write("rules.yaml", &(login("5/min") + TESTS));
    desk.write("other.yaml", &login("6/min"));
    desk.write("bad.yaml", "version: 1\nruls: []\n");
    let json = desk.line("rules validate --json rules.yaml bad.yaml").with(1).json();
    assert_eq!(fields(&json), ["files"]);
    let bad = &json["files"][1];
    assert_eq!(fields(bad), ["errors", "file", "note", "problems", "warnings"]);
    let problem = ["column", "help", "length", "line", "message", "note", "severity"];
    assert_eq!(fields(&bad["problems"][0]), problem);
    let json = desk.line("rules test --json rules.yaml").with(1).json();
    assert_eq!(fields(&json), ["failed", "passed", "tests"]);
    let test = &json["tests"][0];
    assert_eq!(fields(test), ["failure", "file", "line", "name", "passed"]);
    assert_eq!(fields(&test["failure"]), ["expected", "got", "line", "request"]);
    let json = desk.line("rules fmt --check --json other.yaml").fine().json();
    assert_eq!(json, serde_json::json!({ "changed": [], "text": null }));
    let json = desk.run_on(&["rules", "fmt", "--json", "-"], &login("5/min")).fine().json();
    assert_eq!(json["text"], login("5/min"));
    let json = desk.line("rules diff --json rules.yaml other.yaml").with(2).json();
    assert_eq!(fields(&json), ["differences", "from", "to"]);
    difference(&json["differences"][0]);
    let json = desk.line("rules apply --json bad.yaml").with(1).json();
    assert_eq!(fields(&json), ["error", "file", "problems"]);
}

#[track_caller]
fn difference(json: &Value) {
    let all = ["counters", "counters_reason", "fields", "kind", "name", "object", "text"];
    assert_eq!(fields(json), all);
    assert_eq!(fields(&json["fields"][0]), ["after", "before", "field"]);
}

#[test]
fn catalog() {
    let desk = Desk::new();
    desk.write("rules.yaml", &login("5/min"));
    let json = desk.line("rules apply --json --dry-run rules.yaml").with(2).json();
    assert_eq!(fields(&json), ["changed", "differences", "revision", "stranded_overrides"]);
    assert_eq!(json["revision"], 0);
    let json = desk.line("rules apply --json rules.yaml").fine().json();
    assert_eq!(
        fields(&json),
        ["changed", "differences", "hash", "nodes", "revision", "stranded_overrides"]
    );
    difference(&json["differences"][0]);
    let json = desk.line("rules history --json").fine().json();
    let info = ["at", "author", "back_to", "changed", "hash", "kind", "reason", "revision"];
    assert_eq!(fields(&json["revisions"][0]), info);
    let json = desk.line("rules history --json 1").fine().json();
    assert!(fields(&json).contains(&"differences"));
    assert_eq!(json["revision"], 1);
    let json = desk.line("rules export --json").fine().json();
    let all = ["default_tier", "hash", "overrides", "revision", "rules", "tiers"];
    assert_eq!(fields(&json), all);
    let json = desk.line("rules rollback --json 0").fine().json();
    let all =
        ["back_to", "changed", "differences", "hash", "nodes", "revision", "stranded_overrides"];
    assert_eq!(fields(&json), all);
}

#[test]
fn overrides() {
    let desk = Desk::new();
    desk.run_on(&["rules", "apply", "-"], &login("5/min")).fine();
    let json =
        desk.line("overrides set --json --rule login --key user=a --factor 2x").fine().json();
    assert_eq!(fields(&json), ["id", "nodes", "override", "sequence", "warnings"]);
    let json = desk.line("overrides list --json").fine().json();
    assert_eq!(fields(&json), ["in_file", "more", "overrides"]);
    let all = ["author", "created_at", "factor", "id", "in_force", "key", "rule"];
    assert_eq!(fields(&json["overrides"][0]), all);
    let json = desk.line("overrides remove --json 1 2").with(1).json();
    assert_eq!(json["removed"], serde_json::json!([1]));
    assert_eq!(json["absent"], serde_json::json!([2]));
    assert_eq!(fields(&json), ["absent", "nodes", "removed", "sequence"]);
}

/// Whatever goes wrong, a program that asked for JSON gets JSON, on the standard output.
#[test]
fn errors() {
    let desk = Desk::new();
    desk.write("broken.yaml", "rules: [");
    for line in [
        "",
        "rules",
        "rules vaildate x",
        "rules validate",
        "rules validate nowhere.yaml",
        "rules fmt broken.yaml",
        "rules test broken.yaml",
        "rules apply broken.yaml",
        "rules diff broken.yaml",
        "rules diff 1 2",
        "rules history",
        "rules history x",
        "rules export 7",
        "rules rollback 7",
        "rules export --database mysql://h/d",
        "overrides list",
        "overrides remove 1",
        "overrides set --key user=a --factor 2x",
    ] {
        let json = desk.line(&format!("{line} --json")).with(1).json();
        assert!(json["error"].is_string(), "{line}: {json}");
    }
}
