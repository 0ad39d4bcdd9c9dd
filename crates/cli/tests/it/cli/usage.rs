//! What is typed wrong, and databases that are not what they should be.
// Proves: R11

use std::process::Stdio;

use crate::common::{Desk, login};

#[test]
fn a_command_that_is_not_understood_is_an_error() {
    let desk = Desk::new();
    desk.line("").with(1).says("Usage: tollgate");
    desk.line("rules").with(1).says("Usage: tollgate rules");
    desk.line("rules vaildate x").with(1).says("a similar subcommand exists: 'validate'");
    desk.line("rules validate").with(1).says("<FILES>...");
    desk.line("rules apply rules.yaml --basis 3").with(1).says("'--base'");
    desk.line("rules rollback last").with(1).says("'last'");
    desk.line("rules history --limit 0").with(1).says("0 is not in 1..=1000");
    desk.line("rules history 3 --limit 5").with(1).says("cannot be used with");
    desk.line("rules rollback 18446744073709551615")
        .with(1)
        .says("is not the number of a revision");
    for line in ["--help", "--version", "rules --help", "help rules diff", "overrides set --help"] {
        let ran = desk.line(line).fine();
        assert_eq!(ran.err, "", "{line}");
    }
}

#[test]
fn whoever_only_looks_makes_no_database() {
    let desk = Desk::new();
    desk.write("rules.yaml", &login("5/min"));
    for line in [
        "rules history",
        "rules history 1",
        "rules export",
        "rules diff rules.yaml",
        "rules rollback 1",
        "overrides list",
        "overrides remove 1",
        "overrides set --key user=a --factor 2x",
    ] {
        let ran = desk.line(line).with(1);
        ran.says("there is no database sqlite:./tollgate-data/tollgate.db")
            .says("rules apply FILE");
    }
    desk.line("rules apply --dry-run rules.yaml").with(2);
    assert!(!desk.path("tollgate-data").exists());
    desk.line("rules apply rules.yaml --data elsewhere").fine();
    assert!(desk.path("elsewhere/tollgate.db").exists());
    desk.line("rules apply rules.yaml --database sqlite:deep/er/rules.db").fine();
    desk.line("rules export --database sqlite:deep/er/rules.db").fine().says("login");
}

#[test]
fn a_wrong_address_is_told_without_its_password() {
    let desk = Desk::new();
    for (url, told) in [
        ("mysql://ann:hunter2@h/d", "\"mysql\" begins with neither sqlite: nor postgres://"),
        ("hunter2", "neither sqlite: nor postgres://"),
        ("", "neither sqlite: nor postgres://"),
        ("sqlite:", "needs the path of a file"),
        ("sqlite:.", "it is a folder, name a file in it"),
        ("postgres://ann:hunter2@127.0.0.1:1/d", "cannot use postgres://ann:***@127.0.0.1:1/d"),
        (
            "postgres://ann:hunter2@nowhere.invalid/d",
            "cannot use postgres://ann:***@nowhere.invalid/d",
        ),
    ] {
        let ran = desk.run(&["rules", "export", "--database", url]).with(1).says(told);
        // The address itself is not in the words where it may be a secret.
        assert!(!ran.err.contains("ann:hunter2"), "{ran:?}");
        let mut command = desk.command(&["rules", "export"]);
        let output = command.env("TOLLGATE_DATABASE", url).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(!String::from_utf8_lossy(&output.stderr).contains("ann:hunter2"));
    }
}

#[test]
fn a_database_that_is_none_is_called_so() {
    let desk = Desk::new();
    desk.write("text.db", "this is no database, it is a text that somebody wrote\n");
    let ran = desk.line("rules export --database sqlite:text.db").with(1);
    ran.says("cannot use sqlite:text.db: the database is damaged").says("restore it from a backup");
    desk.write("rules.yaml", &login("5/min"));
    desk.line("rules apply rules.yaml --database sqlite:text.db").with(1).says("damaged");
    assert!(desk.read("text.db").starts_with("this is no database"), "and it is left alone");
}

#[test]
fn no_cause_is_told_twice() {
    let desk = Desk::new();
    let ran = desk.line("rules export --database postgres://nowhere.invalid/d").with(1);
    let words: Vec<&str> = ran.err.trim_end().split(": ").collect();
    for (place, word) in words.iter().enumerate() {
        assert!(!words[place + 1..].contains(word), "{word:?} is told twice: {}", ran.err);
    }
}

/// `tollgate rules export | head -1` is no reason to panic; a full disk is an error.
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let desk = Desk::new();
    desk.run_on(&["rules", "apply", "-"], &login("5/min")).fine();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = desk.command(&["rules", "export"]);
    let output = command.stdout(Stdio::from(writer)).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = desk.command(&["rules", "export"]);
    let output = command.stdout(full).stderr(Stdio::piped()).output().unwrap();
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("cannot write to the standard output")
    );
    assert_eq!(output.status.code(), Some(1));
}

/// `--port` and the like name no listener, and the nearest letters lead to a setting that has nothing to do with it.
#[test]
fn a_port_leads_to_the_listeners() {
    let desk = Desk::new();
    for line in ["serve --prot 80", "serve --port 80", "serve --listen :80"] {
        let ran = desk.line(line).with(1);
        let ran = ran.says("--http, --grpc, --resp and --admin take HOST:PORT");
        assert!(!ran.err.contains("proxy-protocol"), "{ran:?}");
    }
    desk.line("serve --htpp 127.0.0.1:0").with(1).says("'--http'");
}

/// `doctor`, `config` and `snippet` take every flag of `serve`, and list the few that matter.
#[test]
fn help_lists_the_flags_that_matter() {
    let desk = Desk::new();
    for (command, listed, hidden) in [
        ("snippet", "--grpc-tls-cert", "--jwt-issuer"),
        ("doctor", "--redis", "--jwt-issuer"),
        ("config", "--database", "--keys-max"),
    ] {
        let help = desk.run(&[command, "--help"]).fine();
        let help = help.says(listed).says("`tollgate serve --help` lists all");
        assert!(!help.out.contains(hidden), "{help:?}");
        let flags = help.out.matches("\n      --").count();
        assert!(flags < 15, "{command} lists {flags}");
    }
    desk.line("serve --help").fine().says("--jwt-issuer");
    desk.line("config --keys-max 1234").fine().says("1234");
    desk.line("snippet caddy --keys-max 1234 --no-demo").fine();
}
