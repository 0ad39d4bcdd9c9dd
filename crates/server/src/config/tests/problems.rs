//! What is wrong, and how it is told.

use std::{collections::BTreeMap, fs, time::Duration};

use super::{
    super::{Origin, Owner, SETTINGS, Sources, Takes, rehearse},
    TOKEN, loaded, map, wrong,
};

#[test]
fn every_problem_is_told_at_once_with_its_place() {
    let file = "htpp = \"127.0.0.1:1\"\nkeys_max = 5\nregion = [1]\nrequest_timeout = 10\n";
    let told = wrong(
        &[("log", "loud"), ("ratelimit_fields", "ietf")],
        &[("TOLLGATE_RESP", "7072"), ("TOLLGATE_IDLE_TIMEOUT", "0s")],
        file,
    );
    for line in [
        "tollgate.toml:1:1: there is no setting \"htpp\": did you mean \"http\"?",
        "tollgate.toml:2:12: keys_max is \"5\": expected a whole number from 1000 to 1073741824",
        "tollgate.toml:3:1: region cannot be of type array: write region = \"…\"",
        "tollgate.toml:4:19: request_timeout is \"10\": expected a span from 1ms to 24h",
        "--log: log is \"loud\": expected error, warn, info",
        "--ratelimit-fields: ratelimit_fields is \"ietf\": expected vendor, draft or both",
        "TOLLGATE_RESP: resp is \"7072\": expected an address and a port",
        "TOLLGATE_IDLE_TIMEOUT: idle_timeout is \"0s\": expected a span",
    ] {
        assert!(told.contains(line), "{line:?} is not told:\n{told}");
    }
    assert_eq!(told.lines().count(), 8, "{told}");
}

#[test]
fn a_body_that_could_never_arrive_is_told() {
    let told = wrong(&[("body_bytes_max", "16777216")], &[], "");
    let hint = "unfinished_bytes_max is 67108864 and body_bytes_max is 16777216";
    assert!(told.contains(hint), "{told}");
    assert!(told.contains("to 83886080 or more"), "{told}");
}

#[test]
fn what_is_not_toml_is_told_with_its_place() {
    let told = wrong(&[], &[], "region = \"a\"\nnode = \n");
    assert!(told.starts_with("tollgate.toml:2:"), "{told}");
    assert!(told.contains("this is not TOML"), "{told}");
    let twice = wrong(&[], &[], "node = \"a\"\nnode = \"b\"\n");
    assert!(twice.contains("tollgate.toml:2:1"), "{twice}");
}

#[test]
fn an_address_of_redis_is_checked_and_its_password_is_not_repeated() {
    for text in [
        "x:hunter2",
        "http://u:hunter2@h",
        "redis://u:hunter2@",
        "redis://u:hunter2@h:port",
        "redis://h, redis://u:hunter2 @h",
        "redis://h,redis://:hunter2@h:70000",
        ",",
    ] {
        for told in [
            wrong(&[("redis", text)], &[], ""),
            wrong(&[], &[("TOLLGATE_REDIS", text)], ""),
            wrong(&[], &[], &format!("redis = \"{text}\"")),
        ] {
            assert!(told.contains("redis is not one that can be used"), "{told}");
            assert!(told.contains("expected redis://[USER:PASSWORD@]HOST"), "{told}");
            assert!(!told.contains("hunter2"), "{told}");
        }
    }
}

#[test]
fn what_is_about_redis_needs_redis() {
    let told = wrong(&[("redis_ca", "ca.pem")], &[], "");
    assert!(told.contains("redis_ca is set without redis"), "{told}");
    let told = wrong(&[("redis", "redis://h"), ("redis_ca", "ca.pem")], &[], "");
    assert!(told.contains("no address of redis begins with rediss://"), "{told}");
    let told = wrong(&[("redis", "redis://h"), ("redis_deadline", "2s")], &[], "");
    assert!(told.contains("a span from 1ms to 1s"), "{told}");
    let sealed = loaded(&[("redis", "redis://h,rediss://i:7"), ("redis_ca", "ca.pem")], &[], "");
    let redis = sealed.settings.redis.unwrap();
    assert_eq!(redis.shown(), "redis://h,rediss://i:7");
    assert_eq!(redis.deadline, Duration::from_millis(5));
}

#[test]
fn a_password_for_redis_is_not_shown() {
    let text = "redis://:hunter2@a:1,rediss://bob:hunter2@[::1]:2/0?password=hunter2";
    let loaded = loaded(&[("redis", text)], &[], "");
    let shown = loaded.effective.to_string();
    assert!(shown.contains("redis://:***@a:1,rediss://bob:***@[::1]:2/0"), "{shown}");
    let told = format!("{shown}{:?}", loaded.settings);
    assert!(!told.contains("hunter2"), "{told}");
}

#[test]
fn admin_is_for_this_machine_until_there_is_a_token() {
    for open in ["0.0.0.0:7080", "[::]:7080", "192.168.0.1:7080"] {
        let told = wrong(&[("admin", open)], &[], "");
        assert!(told.contains("--token-file FILE or TOLLGATE_TOKEN"), "{told}");
        let with = loaded(&[("admin", open)], &[("TOLLGATE_TOKEN", TOKEN)], "");
        assert!(with.settings.token.is_some_and(|token| token.is(TOKEN)));
    }
    for closed in ["127.0.0.2:7080", "[::1]:7080", "localhost:7080"] {
        loaded(&[("admin", closed)], &[], "");
    }
    loaded(&[("http", "0.0.0.0:7070"), ("resp", "0.0.0.0:7072")], &[], "");
}

#[test]
fn a_secret_is_never_shown() {
    let told = wrong(&[], &[("TOLLGATE_TOKEN", "hunter2")], "");
    assert!(told.contains("TOLLGATE_TOKEN") && told.contains("at least 16 characters"), "{told}");
    let in_file = wrong(&[], &[], "token = \"hunter2-hunter2-hunter2\"");
    assert!(in_file.contains("token is a secret"), "{in_file}");
    let database = wrong(&[("database", "mysql://ann:hunter2@h/d")], &[], "");
    let otlp = wrong(&[("otlp", "http://ann:hunter2@h/d")], &[], "");
    let url = "postgres://ann:hunter2@db/rules?password=hunter2";
    let loaded = loaded(&[("database", url)], &[("TOLLGATE_TOKEN", TOKEN)], "");
    let shown = loaded.effective.to_string();
    assert!(shown.contains("postgres://ann:***@db/rules") && shown.contains("(set)"), "{shown}");
    let debug = format!("{:?}", loaded.settings);
    for text in [told, in_file, database, otlp, shown, debug] {
        assert!(!text.contains("hunter2") && !text.contains(TOKEN), "{text}");
    }
}

#[test]
fn a_file_owns_rules_in_sqlite_only() {
    let told = wrong(&[("rules", "r.yaml")], &[("TOLLGATE_DATABASE", "postgres://h/d")], "");
    assert!(told.contains("--rules: ") && told.contains("`tollgate rules apply r.yaml`"), "{told}");
    let owner = loaded(&[("rules", "r.yaml"), ("database", "sqlite:x.db")], &[], "").settings.owner;
    assert_eq!(owner, Owner::File("r.yaml".into()));
}

#[test]
fn no_two_listeners_share_an_address() {
    let told = wrong(&[("http", "127.0.0.1:7080")], &[], "");
    assert!(told.contains("--http: admin and http are both 127.0.0.1:7080"), "{told}");
    let any = "127.0.0.1:0";
    loaded(&[("http", any), ("resp", any), ("admin", any)], &[], "");
}

#[test]
fn a_near_miss_of_a_variable_is_a_warning() {
    let environment = [
        ("TOLLGATE_HTPP", "x"),
        ("TOLLGATE_SERVICE_HOST", "10.0.0.1"),
        ("TOLLGATE_PORT_7070_TCP_ADDR", "10.0.0.1"),
        ("TOLLGATE_AUTHOR", "ann"),
    ];
    let warnings = loaded(&[], &environment, "").warnings;
    assert_eq!(warnings, ["TOLLGATE_HTPP has no effect: did you mean TOLLGATE_HTTP?"]);
}

#[test]
fn a_file_that_is_named_must_be_there() {
    let none = || (BTreeMap::new(), BTreeMap::new());
    let (flags, environment) = none();
    let told = Sources::new(flags, environment, Some("no/such.toml")).unwrap_err();
    assert_eq!(told, "--config: there is no file no/such.toml");
    let environment = map(&[("TOLLGATE_CONFIG", "no/such.toml")]);
    let told = Sources::new(BTreeMap::new(), environment, None).unwrap_err();
    assert_eq!(told, "TOLLGATE_CONFIG: there is no file no/such.toml");
}

/// Without it one admin could approve their own change as `loopback`.
// Proves: I5
#[test]
fn approvals_need_everybody_to_say_who_they_are() {
    let on = ("approvals", "on");
    let told = wrong(&[on], &[], "");
    assert!(told.contains("--admin-auth required"), "{told}");
    loaded(&[on, ("admin_auth", "required")], &[], "");
}

#[test]
fn the_table_is_sound() {
    for setting in SETTINGS {
        let twice = SETTINGS.iter().filter(|other| other.name == setting.name);
        assert_eq!(twice.count(), 1, "{}", setting.name);
        assert!(!setting.help.ends_with('.'), "{}", setting.name);
        // What is given for it is read by somebody, or refused: nothing is accepted and not used.
        let nonsense = "\u{1}";
        let variable = setting.variable();
        let told = wrong(&[], &[(&variable, nonsense)], "");
        assert!(told.starts_with(&variable), "{}: {told}", setting.name);
        if let (Some(default), true) = (setting.default, setting.takes != Takes::Secret) {
            loaded(&[], &[(&variable, default)], "");
        }
    }
}

#[test]
fn spans_have_units() {
    for (text, meant) in [
        ("500ms", Duration::from_millis(500)),
        ("10s", Duration::from_secs(10)),
        ("5min", Duration::from_secs(300)),
        ("24h", Duration::from_secs(86_400)),
    ] {
        let settings = loaded(&[("drain_timeout", text)], &[], "").settings;
        assert_eq!(settings.timers.drain, meant);
    }
    for bad in ["", "s", "10", "-1s", "1.5s", "25h", "10 parsecs", "99999999999999999999h", "10m"] {
        wrong(&[("drain_timeout", bad)], &[], "");
    }
}

#[test]
fn a_rehearsal_finds_what_is_in_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let deep = path("a/b/c");
    assert_eq!(rehearse(&loaded(&[("data", &deep)], &[], "").settings), Ok(()));
    assert!(!folder.path().join("a").exists(), "nothing is left behind");
    fs::write(path("file"), "").unwrap();
    fs::write(path("rules.yaml"), "version: 1\nrules: [{ name: a }]\n").unwrap();
    let (data, rules) = (path("file"), path("rules.yaml"));
    let obstacles = rehearse(&loaded(&[("data", &data), ("rules", &rules)], &[], "").settings);
    let obstacles = obstacles.unwrap_err();
    assert!(obstacles[0].contains("is not a folder"), "{obstacles:?}");
    assert!(obstacles[1].contains("rules.yaml has errors"), "{obstacles:?}");
    let none = path("none.yaml");
    let obstacles = rehearse(&loaded(&[("data", &deep), ("rules", &none)], &[], "").settings);
    assert!(obstacles.unwrap_err()[0].contains("cannot read the rules file"));
}

#[test]
fn origins_have_a_word_for_programs() {
    let file = Origin::File { path: "t".into(), line: 1, column: 2 };
    assert_eq!((file.word(), file.to_string().as_str()), ("file", "t:1:2"));
    assert_eq!(Origin::Default.word(), "default");
}
