//! `TG.CHECK`, `TG.PEEK`, `TG.REFUND`, `TG.RESET`.

use tollgate::Action;
use tollgate_core::{Cost, Micros};
use tollgate_rules::Query;

use super::rig::{Rig, bulks, numbers};
use crate::{
    authority::Door,
    engine::{Ask, CounterOp, at_once},
};

const LOGIN: &str = "user_id alice endpoint /login";

#[test]
fn a_check_answers_six_items() {
    let rig = Rig::new();
    let check = bulks(&format!("TG.CHECK {LOGIN}"));
    let reply = rig.hears(&check);
    assert_eq!(reply, "*6\r\n:1\r\n:2\r\n:1\r\n:0\r\n:60000\r\n$5\r\nlogin\r\n");
    rig.clock.advance(Micros::new(500));
    assert_eq!(numbers(&rig.hears(&check))[..4], [1, 2, 0, 0]);
    let denied = rig.hears(&check);
    // Rounded up: half a millisecond of the minute is gone.
    assert_eq!(numbers(&denied)[..3], [0, 2, 0]);
    assert!(numbers(&denied)[3] > 0, "{denied}");
    assert!(denied.ends_with("$5\r\nlogin\r\n"), "{denied}");
}

// Proves: D6
#[test]
fn no_reset_of_a_denial_is_before_the_end_of_its_wait() {
    let rig = Rig::new();
    let mut denials = 0;
    for round in 0..400_u64 {
        rig.clock.advance(Micros::new(round * 7_919_000 % 61_000_000));
        for endpoint in ["/login", "/pair", "/search"] {
            let cost = 1 + round % 2;
            let check = format!("TG.CHECK user_id alice endpoint {endpoint} cost {cost}");
            let reply = numbers(&rig.hears(&bulks(&check)));
            if reply[0] == 0 {
                denials += 1;
                assert!(reply[4] >= reply[3], "{check}: {reply:?}");
            }
        }
    }
    assert!(denials > 100, "only {denials} denials");
}

#[test]
fn nothing_matched_in_both_versions() {
    let rig = Rig::new();
    let check = bulks("TG.CHECK user_id alice endpoint /other");
    let nothing = "*6\r\n:1\r\n:-1\r\n:-1\r\n:0\r\n:0\r\n";
    assert_eq!(rig.hears(&check), format!("{nothing}$-1\r\n"));
    let three = rig.hears(&format!("HELLO 3\r\n{check}"));
    assert!(three.ends_with(&format!("{nothing}_\r\n")), "{three}");
}

#[test]
fn a_block_has_no_limit_and_no_end() {
    let rig = Rig::new();
    let reply = rig.hears(&bulks("TG.CHECK user_id alice endpoint /closed"));
    assert_eq!(reply, "*6\r\n:0\r\n:0\r\n:0\r\n:-1\r\n:0\r\n$6\r\nclosed\r\n");
}

#[test]
fn a_cost_that_never_fits_is_never_worth_waiting_for() {
    let rig = Rig::new();
    let reply = rig.hears(&bulks(&format!("TG.CHECK {LOGIN} cost 3")));
    assert_eq!(numbers(&reply)[..4], [0, 2, 0, -1]);
}

#[test]
fn every_field_is_a_fact() {
    let rig = Rig::new();
    let all = "TG.CHECK user_id bob org_id acme api_key k1 ip 192.0.2.1 tier free endpoint /x/../login \
               method post region eu attributes.plan trial cost 1 scope user request_id r1";
    let reply = rig.hears(&bulks(all));
    assert_eq!(reply, "*6\r\n:1\r\n:1\r\n:0\r\n:0\r\n:86400000\r\n$5\r\ntrial\r\n");
    // An empty value is a fact that is missing.
    let reply = rig.hears("TG.CHECK user_id \"\" endpoint /login\r\n");
    assert_eq!(numbers(&reply), [1, -1, -1, 0, 0]);
    let reply = rig.hears(&bulks("TG.CHECK user_id carl endpoint /login scope global"));
    assert_eq!(numbers(&reply), [1, -1, -1, 0, 0]);
}

#[test]
fn peek_refund_and_reset_act_on_what_would_be_charged() {
    let rig = Rig::new();
    let ask = |command: &str, more: &str| {
        let reply = rig.hears(&bulks(&format!("{command} {LOGIN}{more}")));
        assert!(reply.ends_with("$5\r\nlogin\r\n"), "{reply}");
        numbers(&reply)[..3].to_vec()
    };
    assert_eq!(ask("TG.PEEK", ""), [1, 2, 1]);
    assert_eq!(ask("TG.PEEK", ""), [1, 2, 1]);
    assert_eq!(ask("TG.CHECK", " cost 2"), [1, 2, 0]);
    assert_eq!(ask("TG.PEEK", ""), [0, 2, 0]);
    assert_eq!(ask("TG.REFUND", " cost 1"), [1, 2, 1]);
    assert_eq!(ask("TG.CHECK", ""), [1, 2, 0]);
    assert_eq!(ask("TG.RESET", ""), [1, 2, 2]);
    assert_eq!(ask("TG.REFUND", " cost 5 rule login"), [1, 2, 2]);
}

#[test]
fn a_rule_by_name_keeps_the_others_out() {
    let rig = Rig::new();
    let pair = "user_id alice endpoint /pair";
    for _ in 0..3 {
        rig.hears(&bulks(&format!("TG.CHECK {pair}")));
    }
    let denied = rig.hears(&bulks(&format!("TG.CHECK {pair}")));
    assert!(denied.ends_with("pair-day\r\n"), "{denied}");
    let reset = rig.hears(&bulks(&format!("TG.RESET {pair} rule pair")));
    assert_eq!(numbers(&reset)[..3], [1, 5, 5]);
    let denied = rig.hears(&bulks(&format!("TG.CHECK {pair}")));
    assert!(denied.ends_with("pair-day\r\n"), "{denied}");
    let unknown = rig.hears(&bulks(&format!("TG.RESET {pair} rule peer")));
    assert_eq!(unknown, "-ERR there is no rule \"peer\" in force\r\n");
}

// Proves: S6
#[test]
fn what_was_spent_elsewhere_is_spent_here() {
    let rig = Rig::new();
    let query = Query::new().user("alice").unwrap().endpoint("/login").unwrap();
    let elsewhere = Ask::new(query.clone().cost(Cost::new(2)));
    assert!(at_once(rig.engine.check(&elsewhere)).unwrap().unwrap().ruling.is_allowed());
    let check = bulks(&format!("TG.CHECK {LOGIN}"));
    assert_eq!(numbers(&rig.hears(&check))[..3], [0, 2, 0]);
    let deed = CounterOp { action: Action::Reset, rule: None };
    at_once(rig.engine.inspect(deed, &Ask::new(query))).unwrap().unwrap();
    assert_eq!(numbers(&rig.hears(&check))[..3], [1, 2, 1]);
}

// Proves: D15
#[test]
fn a_check_with_a_name_is_charged_once() {
    let rig = Rig::new();
    let check = bulks(&format!("TG.CHECK {LOGIN} request_id r1"));
    let first = rig.hears(&check);
    assert_eq!(rig.hears(&check.repeat(20)), first.repeat(20));
    let other = rig.hears(&bulks("TG.CHECK user_id bob endpoint /login request_id r1"));
    assert!(other.starts_with("-ERR request_id was used for"), "{other}");
    assert_eq!(numbers(&rig.hears(&bulks(&format!("TG.CHECK {LOGIN}"))))[..3], [1, 2, 0]);
}

/// What is said, and how the answer begins.
#[track_caller]
fn says(rig: &Rig, words: &str, expected: &str) {
    let reply = rig.hears(&format!("{words}\r\n"));
    assert!(reply.starts_with(expected), "{words}: {reply}");
    let is_a_line = reply.ends_with("\r\n") && reply.matches('\n').count() == 1;
    assert!(is_a_line, "{reply:?}");
}

#[test]
fn a_field_that_is_unknown_or_misplaced_is_named() {
    let rig = Rig::new();
    let unknown = "-ERR TG.CHECK knows no field";
    for (words, expected) in [
        ("TG.CHECK", "-ERR wrong number of arguments for 'tg.check' command"),
        ("TG.PEEK user_id", "-ERR wrong number of arguments for 'tg.peek' command"),
        ("TG.CHECK user_id a ip", "-ERR \"ip\" has no value"),
        ("TG.CHECK user_id a user_id b", "-ERR user_id is given twice"),
        ("TG.CHECK cost 1", "-ERR no facts: give at least one of user_id"),
        ("TG.CHECK user_id a rule login", "-ERR rule: TG.CHECK does not take it"),
        ("TG.PEEK user_id a request_id r", "-ERR request_id: TG.PEEK does not take it"),
        ("TG.REFUND user_id a", "-ERR cost: a refund says how much it gives back"),
    ] {
        says(&rig, words, expected);
    }
    for (field, meant) in [
        ("usr_id", ": did you mean user_id?"),
        ("user", ": did you mean user_id?"),
        ("attributes", ": did you mean attributes.NAME?"),
        ("zzz", "\r\n"),
    ] {
        let expected = format!("{unknown} {field:?}{meant}");
        says(&rig, &format!("TG.CHECK {field} a"), &expected);
    }
    says(&rig, &format!("TG.CHECK {} a", "x".repeat(60_000)), unknown);
}

#[test]
fn what_is_wrong_with_a_value_is_said_by_its_field() {
    let rig = Rig::new();
    for (words, expected) in [
        ("cost -1", "-ERR cost: \"-1\" is not a whole number"),
        ("cost +1", "-ERR cost: \"+1\" is not a whole number"),
        ("cost \"\"", "-ERR cost: \"\" is not a whole number"),
        ("cost 18446744073709551616", "-ERR cost: "),
        ("scope x", "-ERR scope: unknown scope \"x\""),
        ("ip 300.1.1.1", "-ERR ip: "),
        ("endpoint /../..", "-ERR endpoint: "),
        ("endpoint /api//../login", "-ERR endpoint: path climbs by .. over an empty segment"),
        ("endpoint //x/api/login", "-ERR endpoint: path begins with //"),
        ("endpoint /x#/../api/login", "-ERR endpoint: path holds a # with a slash behind it"),
        ("org_id hot\u{9b}31mX", "-ERR org_id: holds a control character (U+009B)"),
        ("api_key a\u{202e}b", "-ERR api_key: holds a control character (U+202E)"),
        ("region a\u{2028}b", "-ERR region: holds a control character (U+2028)"),
        ("org_id \"a\\nb\"", "-ERR org_id: "),
        ("org_id \"\\xff\"", "-ERR org_id: not UTF-8"),
        ("attributes.a \"\\xff\"", "-ERR \"attributes.a\": not UTF-8"),
    ] {
        says(&rig, &format!("TG.CHECK user_id a {words}"), expected);
    }
    let long = format!("TG.CHECK user_id a request_id {}", "r".repeat(129));
    says(&rig, &long, "-ERR request_id: more than 128 bytes");
}

#[test]
fn without_rules_nothing_is_decided() {
    let rig = Rig::with(None, None, Door::Loopback);
    for command in ["TG.CHECK", "TG.PEEK", "TG.RESET"] {
        let reply = rig.hears(&bulks(&format!("{command} {LOGIN}")));
        assert!(reply.starts_with("-UNAVAILABLE no rules are loaded"), "{reply}");
    }
    assert_eq!(rig.hears("PING\r\n"), "+PONG\r\n");
    let throttled = rig.hears(&bulks("CL.THROTTLE k 15 30 60"));
    assert_eq!(numbers(&throttled), [0, 16, 15, -1, 2]);
}
