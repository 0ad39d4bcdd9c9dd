//! Which value wins.

use std::fs;

use super::{
    super::{Demo, Fields, LogFormat, Owner, ResetAs, Sources, Timers, load},
    TOKEN, loaded, wrong,
};

#[test]
fn nothing_needs_to_be_said() {
    let settings = load(&Sources::default()).unwrap().settings;
    assert_eq!(settings.listen.http.to_string(), "127.0.0.1:7070");
    assert_eq!(settings.listen.resp.to_string(), "127.0.0.1:7072");
    assert_eq!(settings.listen.admin.to_string(), "127.0.0.1:7080");
    assert!(settings.listen.are_loopback());
    let database = settings.database.to_string();
    assert_eq!(database, "sqlite:./tollgate-data/tollgate.db");
    assert_eq!(settings.owner, Owner::Catalog);
    assert_eq!(settings.region, "local");
    assert_eq!(settings.demo, Demo::Offered);
    assert_eq!(settings.keys_max, 1_000_000);
    assert_eq!(settings.overflow_bytes, 16 << 20);
    assert_eq!(settings.timers, Timers::default());
    assert_eq!(settings.wording.fields, Fields::Vendor);
    assert_eq!(settings.wording.reset, ResetAs::Epoch);
    assert!(settings.token.is_none() && settings.otlp.is_none());
    let again = load(&Sources::default()).unwrap().settings;
    assert_ne!(settings.node, again.node, "a random name at every start");
}

#[test]
fn a_flag_wins_over_a_variable_and_that_over_the_file() {
    let file = "region = \"file\"\nnode = \"file\"\nlog_format = \"json\"\nkeys_max = 50_000\nno_demo = true\n";
    let environment = [("TOLLGATE_REGION", "variable"), ("TOLLGATE_NODE", "variable")];
    let loaded = loaded(&[("region", "flag")], &environment, file);
    assert_eq!(loaded.settings.region, "flag");
    assert_eq!(loaded.settings.node.as_str(), "variable");
    assert_eq!(loaded.settings.logs.format, LogFormat::Json);
    assert_eq!(loaded.settings.keys_max, 50_000);
    assert_eq!(loaded.settings.demo, Demo::Off);
    let origin = |name: &str| {
        let shown = loaded.effective.shown();
        let shown = shown.iter().find(|shown| shown.name == name).unwrap();
        shown.origin.to_string()
    };
    assert_eq!(origin("region"), "--region");
    assert_eq!(origin("node"), "TOLLGATE_NODE");
    assert_eq!(origin("keys_max"), "tollgate.toml:4:12");
    assert_eq!(origin("http"), "default");
}

#[test]
fn an_empty_variable_is_none() {
    let loaded = loaded(&[], &[("TOLLGATE_HTTP", "")], "");
    assert_eq!(loaded.settings.listen.http.port(), 7070);
}

#[test]
fn a_token_comes_from_a_file_or_from_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token");
    let path = path.to_str().unwrap();
    let absent = wrong(&[("token_file", path)], &[], "");
    assert!(absent.contains("cannot read the token"), "{absent}");
    fs::write(path, format!("{TOKEN}\n")).unwrap();
    let by_flag =
        loaded(&[("token_file", path)], &[("TOLLGATE_TOKEN", "x".repeat(16).as_str())], "");
    assert!(by_flag.settings.token.unwrap().is(TOKEN));
    let other = "y".repeat(16);
    let in_file = format!("token_file = {path:?}");
    let by_variable = loaded(&[], &[("TOLLGATE_TOKEN", &other)], &in_file);
    assert!(by_variable.settings.token.unwrap().is(&other));
    let both = wrong(&[], &[("TOLLGATE_TOKEN", &other), ("TOLLGATE_TOKEN_FILE", path)], "");
    assert!(both.contains("keep one of them"), "{both}");
}
