//! What clients and tools say before they come to the point.

use super::rig::{Rig, bulks, say};

/// Said as a client does and as somebody at a terminal does.
fn hear(pairs: &[(&str, &str)]) {
    let rig = Rig::new();
    for (said, heard) in pairs {
        assert_eq!(rig.hears(&bulks(said)), *heard, "{said}");
        assert_eq!(rig.hears(&format!("{said}\r\n")), *heard, "{said}");
    }
}

#[test]
fn small_talk() {
    hear(&[
        ("PING", "+PONG\r\n"),
        ("ping hi", "$2\r\nhi\r\n"),
        ("PING a b", "-ERR wrong number of arguments for 'ping' command\r\n"),
        ("ECHO hi", "$2\r\nhi\r\n"),
        ("ECHO", "-ERR wrong number of arguments for 'echo' command\r\n"),
        ("SELECT 0", "+OK\r\n"),
        ("SELECT 1", "-ERR DB index is out of range\r\n"),
        ("RESET", "+RESET\r\n"),
        ("QUIT", "+OK\r\n"),
        ("CLIENT SETINFO LIB-NAME redis-py", "+OK\r\n"),
        ("CLIENT SETINFO lib-ver 5.0", "+OK\r\n"),
        ("CLIENT SETINFO FOO 5.0", "-ERR Unrecognized option 'FOO'\r\n"),
        ("CLIENT GETNAME", "$-1\r\n"),
        ("CLIENT SETNAME me", "+OK\r\n"),
        ("CLIENT FOO", "-ERR unknown subcommand 'FOO'. Try CLIENT HELP.\r\n"),
        ("CLIENT", "-ERR wrong number of arguments for 'client' command\r\n"),
    ]);
}

#[test]
fn what_tools_ask_and_what_nobody_knows() {
    hear(&[
        ("COMMAND COUNT", ":18\r\n"),
        ("COMMAND INFO get", "*1\r\n*-1\r\n"),
        ("COMMAND DOCS get", "*0\r\n"),
        ("CONFIG GET save", "*2\r\n$4\r\nsave\r\n$0\r\n\r\n"),
        ("CONFIG GET appendonly", "*2\r\n$10\r\nappendonly\r\n$2\r\nno\r\n"),
        ("CONFIG GET maxmemory", "*0\r\n"),
        ("CONFIG SET save x", "-ERR unknown subcommand 'SET'. Try CONFIG HELP.\r\n"),
        ("GET key", "-ERR unknown command 'GET', with args beginning with: 'key' \r\n"),
        ("FOO", "-ERR unknown command 'FOO', with args beginning with: \r\n"),
        ("FOO a b", "-ERR unknown command 'FOO', with args beginning with: 'a' 'b' \r\n"),
        ("HELLO 4", "-NOPROTO unsupported protocol version\r\n"),
        ("HELLO x", "-ERR Protocol version is not an integer or out of range\r\n"),
        ("HELLO 2 FOO", "-ERR Syntax error in HELLO option 'FOO'\r\n"),
        ("HELLO 2 AUTH a", "-ERR Syntax error in HELLO option 'AUTH'\r\n"),
    ]);
}

#[test]
fn the_versions_differ_in_maps_and_nulls() {
    let rig = Rig::new();
    let mut session = rig.session();
    let two = say(&mut session, "HELLO\r\n");
    assert!(two.starts_with("*14\r\n$6\r\nserver\r\n$8\r\ntollgate\r\n$7\r\nversion\r\n"), "{two}");
    assert!(two.contains("$5\r\nproto\r\n:2\r\n$2\r\nid\r\n:"), "{two}");
    let three = say(&mut session, "HELLO 3\r\n");
    assert!(three.starts_with("%7\r\n$6\r\nserver\r\n"), "{three}");
    assert!(three.contains("$5\r\nproto\r\n:3\r\n"), "{three}");
    assert!(three.ends_with("$7\r\nmodules\r\n*0\r\n"), "{three}");
    for (said, heard) in [
        ("CLIENT GETNAME", "_\r\n"),
        ("CONFIG GET save", "%1\r\n$4\r\nsave\r\n$0\r\n\r\n"),
        ("COMMAND INFO get", "*1\r\n_\r\n"),
        ("COMMAND DOCS get", "%0\r\n"),
    ] {
        assert_eq!(say(&mut session, &bulks(said)), heard, "{said}");
    }
    assert!(say(&mut session, "HELLO 2\r\n").starts_with("*14\r\n"));
    assert_eq!(say(&mut session, "CLIENT GETNAME\r\n"), "$-1\r\n");
}

#[test]
fn commands_are_listed_with_their_shapes() {
    let rig = Rig::new();
    let one = rig.hears(&bulks("COMMAND INFO cl.throttle"));
    assert_eq!(
        one,
        "*1\r\n*10\r\n$11\r\ncl.throttle\r\n:-1\r\n*2\r\n+write\r\n+fast\r\n:1\r\n:1\r\n:1\r\n*0\r\n\
         *0\r\n*0\r\n*0\r\n"
    );
    let all = rig.hears("COMMAND\r\n");
    assert!(all.starts_with("*18\r\n*10\r\n"), "{all}");
    assert_eq!(all.matches("*10\r\n").count(), 18);
    let docs = rig.hears(&bulks("COMMAND DOCS tg.check"));
    assert!(docs.starts_with("*2\r\n$8\r\ntg.check\r\n*6\r\n$7\r\nsummary\r\n"), "{docs}");
    assert!(rig.hears("COMMAND LIST\r\n").starts_with("*18\r\n$11\r\ncl.throttle\r\n"));
}

#[test]
fn info_is_told_by_section() {
    let rig = Rig::new();
    rig.hears(&bulks("TG.CHECK user_id alice endpoint /login"));
    rig.hears(&bulks("CL.THROTTLE alice 15 30 60"));
    let all = rig.hears("INFO\r\n");
    for line in [
        "# Server\r\n",
        "tollgate_version:",
        "rules_revision:7\r\n",
        "# Clients\r\nconnected_clients:",
        "# Memory\r\n",
        "# Stats\r\n",
        "evicted_keys:0\r\n",
        "# Keyspace\r\ndb0:keys=2,expires=2,avg_ttl=0\r\n",
        "cells:keys=1\r\n",
    ] {
        assert!(all.contains(line), "{line:?} in {all}");
    }
    let stats = rig.hears("INFO stats\r\n");
    assert!(stats.contains("# Stats") && !stats.contains("# Server"), "{stats}");
    assert_eq!(rig.hears("INFO nothing\r\n"), "$0\r\n\r\n");
    assert_eq!(rig.hears("INFO everything\r\n").len(), rig.hears("INFO\r\n").len());
}

#[test]
fn a_client_is_described() {
    let rig = Rig::new();
    let mut session = rig.session();
    say(&mut session, "CLIENT SETNAME worker\r\n");
    say(&mut session, "CLIENT SETINFO LIB-NAME redis-rs\r\n");
    let line = say(&mut session, "CLIENT INFO\r\n");
    assert!(line.contains(" name=worker ") && line.contains(" lib-name=redis-rs "), "{line}");
    let id = say(&mut session, "CLIENT ID\r\n");
    assert!(line.contains(&format!("id={} ", id.trim_matches([':', '\r', '\n']))), "{line} {id}");
    let spaced = say(&mut session, "CLIENT SETNAME \"a b\"\r\n");
    assert!(spaced.starts_with("-ERR Client names cannot contain spaces"), "{spaced}");
}

#[test]
fn a_long_unknown_command_is_cut_short() {
    let rig = Rig::new();
    let reply = rig.hears(&bulks(&format!("{} {}", "x".repeat(60_000), "y".repeat(60_000))));
    assert!(reply.len() < 400, "{}", reply.len());
}
