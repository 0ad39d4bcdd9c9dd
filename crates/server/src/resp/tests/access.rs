//! Who may do what.

use super::rig::{RULES, Rig, TOKEN, bulks, say};
use crate::authority::Door;

const REFUND: &str = "TG.REFUND user_id a endpoint /login cost 1";
const RESET: &str = "TG.RESET user_id a endpoint /login";
const CHECK: &str = "TG.CHECK user_id a endpoint /login";

fn open(token: Option<&str>) -> Rig {
    Rig::with(Some(RULES), token, Door::Open)
}

#[test]
fn neighbours_may_change_counters() {
    for token in [None, Some(TOKEN)] {
        let rig = Rig::with(Some(RULES), token, Door::Loopback);
        for command in [REFUND, RESET] {
            assert!(rig.hears(&bulks(command)).starts_with("*6\r\n:1\r\n"));
        }
    }
}

#[test]
fn strangers_show_a_token_first() {
    let rig = open(Some(TOKEN));
    let mut session = rig.session();
    for command in [REFUND, RESET] {
        let reply = say(&mut session, &bulks(command));
        assert!(reply.starts_with("-NOAUTH a token is needed here"), "{reply}");
    }
    // It may ask, but not for whom it likes.
    let reply = say(&mut session, &bulks(CHECK));
    assert!(reply.starts_with("-FORBIDDEN not-trusted: `user_id` "), "{reply}");
    let reply = say(&mut session, &bulks("TG.CHECK endpoint /search"));
    assert!(reply.starts_with("*6\r\n:1\r\n"), "{reply}");
    let wrong = "-WRONGPASS invalid username-password pair or user is disabled.\r\n";
    for guess in ["AUTH guess", "AUTH default guess", "AUTH default 0123456789abcdeg"] {
        assert_eq!(say(&mut session, &bulks(guess)), wrong);
    }
    assert!(say(&mut session, &bulks(RESET)).starts_with("-NOAUTH"));
    assert_eq!(say(&mut session, &bulks(&format!("AUTH {TOKEN}"))), "+OK\r\n");
    assert!(say(&mut session, &bulks(CHECK)).starts_with("*6\r\n:1\r\n"));
    assert!(say(&mut session, &bulks(RESET)).starts_with("*6\r\n:1\r\n"));
    // A wrong one afterwards takes nothing away, as in Redis.
    assert_eq!(say(&mut session, &bulks("AUTH guess")), wrong);
    assert!(say(&mut session, &bulks(RESET)).starts_with("*6\r\n:1\r\n"));
    assert_eq!(say(&mut session, "RESET\r\n"), "+RESET\r\n");
    assert!(say(&mut session, &bulks(RESET)).starts_with("-NOAUTH"));
}

// Proves: O2
#[test]
fn strangers_who_try_are_on_record() {
    let rig = open(Some(TOKEN));
    let mut session = rig.session();
    for command in [REFUND, RESET, "AUTH guess", "AUTH other", CHECK] {
        say(&mut session, &bulks(command));
    }
    let told = rig.authority.record().told();
    // By reason: no token for the first two, a wrong one for the others.
    assert_eq!(told, ["several several 2", "auth AUTH 2"]);
}

#[test]
fn a_token_may_come_with_the_greeting() {
    let rig = open(Some(TOKEN));
    let mut session = rig.session();
    let hello = say(&mut session, &bulks(&format!("HELLO 3 AUTH default {TOKEN} SETNAME me")));
    assert!(hello.starts_with("%7\r\n"), "{hello}");
    assert!(say(&mut session, &bulks(RESET)).starts_with("*6\r\n:1\r\n"));
    assert_eq!(say(&mut session, "CLIENT GETNAME\r\n"), "$2\r\nme\r\n");
    let refused = rig.hears(&bulks("HELLO 3 AUTH default guess"));
    assert!(refused.starts_with("-WRONGPASS "), "{refused}");
}

#[test]
fn without_a_token_nothing_opens_the_door() {
    let rig = open(None);
    let reply = rig.hears(&bulks(RESET));
    assert!(reply.starts_with("-NOPERM this is refused on a listener"), "{reply}");
    let reply = rig.hears(&bulks(&format!("AUTH {TOKEN}")));
    assert!(reply.starts_with("-ERR AUTH called without any token configured"), "{reply}");
    assert_eq!(rig.hears(&bulks("AUTH a b c")), "-ERR syntax error\r\n");
}
