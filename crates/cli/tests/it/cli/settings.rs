//! `tollgate config` and `tollgate serve --check`: what a server would be started with.
// Proves: O6

use crate::common::{Desk, fields};

#[test]
fn every_value_is_shown_with_where_it_came_from() {
    let desk = Desk::new();
    desk.write("tollgate.toml", "# ours\nregion = \"eu\"\nkeys_max = 50_000\n");
    let mut command = desk.command(&["config", "--json", "--node", "n1", "--no-demo"]);
    command.env("TOLLGATE_KEYS_MAX", "60000");
    let output = command.output().unwrap();
    assert!(output.status.success());
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let shown = |name: &str| {
        let settings = json["settings"].as_array().unwrap();
        let one = settings.iter().find(|one| one["setting"] == name).unwrap();
        assert_eq!(fields(one), ["origin", "place", "setting", "value"]);
        let text = |field: &str| one[field].as_str().unwrap_or("null").to_owned();
        (text("value"), text("origin"), text("place"))
    };
    let owned = |value: &str, origin: &str, place: &str| {
        (value.to_owned(), origin.to_owned(), place.to_owned())
    };
    assert_eq!(shown("region"), owned("eu", "file", "tollgate.toml:2:10"));
    assert_eq!(shown("keys_max"), owned("60000", "environment", "TOLLGATE_KEYS_MAX"));
    assert_eq!(shown("node"), owned("n1", "flag", "--node"));
    assert_eq!(shown("no_demo"), owned("true", "flag", "--no-demo"));
    assert_eq!(shown("http"), owned("127.0.0.1:7070", "default", "default"));
    assert_eq!(shown("otlp"), owned("null", "default", "default"));
    let text = desk.line("config").fine().out;
    assert!(text.contains("region "), "{text}");
    assert!(!desk.path("tollgate-data").exists(), "nothing is started");
}

#[test]
fn no_secret_is_shown() {
    let desk = Desk::on("postgres://ann:hunter2@db.example/rules");
    desk.write("token", "correct-horse-battery-staple\n");
    for words in [&["config"][..], &["config", "--json"], &["config", "--token-file", "token"]] {
        let mut command = desk.command(words);
        if words.len() < 3 {
            command.env("TOLLGATE_TOKEN", "correct-horse-battery-staple");
        }
        let output = command.output().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("postgres://ann:***@db.example/rules"), "{text}");
        assert!(!text.contains("hunter2") && !text.contains("correct-horse"), "{text}");
    }
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let desk = Desk::new();
    desk.write("tollgate.toml", "htpp = \"127.0.0.1:1\"\nlog_format = \"xml\"\n");
    let ran = desk.line("serve --admin 0.0.0.0:7080 --redis http://h --idle-timeout 5").with(1);
    let ran = ran
        .says("tollgate.toml:1:1: there is no setting \"htpp\": did you mean \"http\"?")
        .says("tollgate.toml:2:14: log_format is \"xml\": expected text or json")
        .says("--redis: redis is not one that can be used: address 1 begins with neither redis://")
        .says("--idle-timeout: idle_timeout is \"5\": expected a span");
    assert_eq!(ran.out, "");
    let json = desk.line("config --json").with(1).json();
    assert_eq!(fields(&json), ["error", "problems"]);
    assert_eq!(json["problems"][0]["setting"], "htpp");
    assert_eq!(json["problems"][0]["place"], "tollgate.toml:1:1");
}

#[test]
fn a_file_can_be_named() {
    let desk = Desk::new();
    desk.write("other.toml", "region = \"us\"\n");
    desk.line("config --config other.toml").fine().says("other.toml:1:10");
    desk.line("config --config none.toml").with(1).says("--config: there is no file none.toml");
    let mut command = desk.command(&["config"]);
    let output = command.env("TOLLGATE_CONFIG", "other.toml").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("other.toml:1:10"));
}

#[test]
fn a_near_miss_of_a_variable_is_a_warning() {
    let desk = Desk::new();
    let mut command = desk.command(&["config"]);
    let output = command.env("TOLLGATE_REGON", "eu").output().unwrap();
    assert!(output.status.success());
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("TOLLGATE_REGON has no effect: did you mean TOLLGATE_REGION?"), "{told}");
}

#[test]
fn a_check_starts_nothing() {
    let desk = Desk::new();
    desk.write("rules.yaml", "version: 1\nrules: [{ name: a, key: [user], limit: 1/s }]\n");
    desk.line("serve --check --rules rules.yaml")
        .fine()
        .says("are sound")
        .says("memory of requests that have not arrived whole: ");
    assert!(!desk.path("tollgate-data").exists());
    desk.write("rules.yaml", "version: 1\nrules: [{ name: a, key: [user], limt: 1/s }]\n");
    let ran = desk.line("serve --check --rules rules.yaml --data rules.yaml/x").with(1);
    ran.says("the data folder rules.yaml/x cannot be made").says("rules.yaml:2:").says("limt");
    let json = desk.line("serve --check --rules none.yaml --json").with(1).json();
    assert_eq!(fields(&json), ["error", "problems"]);
}
