//! `TG.CALLER` and `TG.DECIDE`.

// Proves: U4, L2

use super::rig::{Rig, bulks, say};
use crate::{authority::Door, listen::Peer};

const RULES: &str = "
version: 1
rules:
  - { name: burst, match: { endpoint: /burst }, key: [user|ip], limit: { per: 10/s, burst: 20 } }
  - { name: queue, match: { endpoint: /queue }, key: [], limit: { per: 2/s, burst: 3 }, algorithm: leaky_bucket }
  - { name: pair, match: { endpoint: /queue }, key: [ip, user], limit: 5/min }
  - { name: dear, match: { endpoint: /dear }, key: [], limit: 50/min, cost: attributes.bytes / 1024 }
  - { name: closed, match: { endpoint: /closed }, action: block, response: { status: 451, message: closed } }
";

fn rig() -> Rig {
    Rig::with(Some(RULES), None, Door::Loopback)
}

#[test]
fn a_decision_told_in_full_has_twelve_items() {
    let rig = rig();
    assert_eq!(
        rig.hears(&bulks("TG.DECIDE ip 2001:db8::1 endpoint /burst")),
        "*12\r\n:1\r\n:20\r\n:19\r\n:0\r\n:100\r\n$5\r\nburst\r\n:0\r\n:1\r\n\
         *1\r\n*10\r\n$5\r\nburst\r\n:20\r\n:19\r\n:100\r\n$4\r\n10/s\r\n$12\r\ntoken_bucket\r\n:20\r\n$5\r\nip/64\r\n:0\r\n$-1\r\n\
         :200\r\n:-1\r\n$-1\r\n"
    );
    let asked = bulks("TG.DECIDE user_id ann ip 192.0.2.1 endpoint /queue");
    rig.hears(&asked);
    assert_eq!(
        rig.hears(&asked),
        "*12\r\n:1\r\n:4\r\n:2\r\n:0\r\n:1000\r\n$5\r\nqueue\r\n:500\r\n:1\r\n\
         *2\r\n*10\r\n$4\r\npair\r\n:5\r\n:3\r\n:60000\r\n$5\r\n5/min\r\n$14\r\nsliding_window\r\n:-1\r\n$7\r\nuser,ip\r\n:0\r\n$-1\r\n\
         *10\r\n$5\r\nqueue\r\n:4\r\n:2\r\n:1000\r\n$3\r\n2/s\r\n$12\r\nleaky_bucket\r\n:3\r\n$0\r\n\r\n:0\r\n$-1\r\n\
         :200\r\n:-1\r\n$-1\r\n"
    );
    assert_eq!(
        rig.hears(&bulks("TG.DECIDE user_id ann endpoint /closed")),
        "*12\r\n:0\r\n:0\r\n:0\r\n:-1\r\n:0\r\n$6\r\nclosed\r\n:0\r\n:1\r\n*0\r\n:451\r\n:-1\r\n$6\r\nclosed\r\n"
    );
    let three = rig.hears("HELLO 3\r\nTG.DECIDE user_id ann endpoint /other\r\n");
    let nothing =
        "*12\r\n:1\r\n:-1\r\n:-1\r\n:0\r\n:0\r\n_\r\n:0\r\n:1\r\n*0\r\n:200\r\n:-1\r\n_\r\n";
    assert!(three.ends_with(nothing), "{three}");
}

#[test]
fn what_a_request_weighs_is_told() {
    let told = rig().hears(&bulks("TG.DECIDE endpoint /dear attributes.bytes 3000"));
    assert!(told.contains(":50\r\n:47\r\n"), "{told}");
    let end = "$0\r\n\r\n:0\r\n$23\r\nattributes.bytes / 1024\r\n:200\r\n:-1\r\n$-1\r\n";
    assert!(told.ends_with(end), "{told}");
}

/// Whoever asks in between is answered as ever, in order, and charged alike.
#[test]
fn it_charges_as_a_check_does_and_is_gathered_with_them() {
    let rig = rig();
    let (check, decide) = ("TG.CHECK", "TG.DECIDE");
    let facts = "user_id ann endpoint /burst cost 5 request_id";
    let bad = bulks("TG.DECIDE user ann");
    let input: String =
        [(check, 1), (decide, 2), (check, 3), (decide, 4), (decide, 5), (decide, 2)]
            .map(|(verb, id)| bulks(&format!("{verb} {facts} r{id}")))
            .concat();
    let reply = say(&mut rig.session(), &format!("{input}{bad}"));
    let heads: Vec<&str> = reply.split_inclusive("burst\r\n").collect();
    let heads: Vec<&str> = heads
        .iter()
        .filter_map(|part| part.rfind("*6").or(part.rfind("*12")).map(|at| &part[at..]))
        .collect();
    let allowed = |items: u8, left: u8, reset: u16| {
        format!("*{items}\r\n:1\r\n:20\r\n:{left}\r\n:0\r\n:{reset}\r\n$5\r\nburst\r\n")
    };
    assert_eq!(
        heads,
        [
            allowed(6, 15, 500),
            allowed(12, 10, 1_000),
            allowed(6, 5, 1_500),
            allowed(12, 0, 2_000),
            "*12\r\n:0\r\n:20\r\n:0\r\n:500\r\n:2000\r\n$5\r\nburst\r\n".to_owned(),
            allowed(12, 10, 1_000),
        ]
    );
    assert!(
        reply.ends_with("-ERR TG.DECIDE knows no field \"user\": did you mean user_id?\r\n"),
        "{reply}"
    );
    assert_eq!(
        rig.hears("TG.DECIDE user_id\r\n"),
        "-ERR wrong number of arguments for 'tg.decide' command\r\n"
    );
    let rule = rig.hears(&bulks("TG.DECIDE user_id ann rule burst"));
    assert_eq!(rule, "-ERR rule: TG.DECIDE does not take it\r\n");
}

#[test]
fn a_caller_counts_once_as_long_as_it_is_connected() {
    let rig = rig();
    let (mut one, mut two, mut other) = (rig.session(), rig.session(), rig.session());
    assert_eq!(say(&mut one, "TG.CALLER a\r\n"), ":1\r\n");
    assert_eq!(say(&mut two, "TG.CALLER a\r\nTG.CALLER a\r\n"), ":1\r\n:1\r\n");
    assert_eq!(say(&mut other, "tg.caller b\r\n"), ":2\r\n");
    let told = say(&mut one, "TG.DECIDE user_id ann endpoint /closed\r\n");
    assert!(told.ends_with(":0\r\n:2\r\n*0\r\n:451\r\n:-1\r\n$6\r\nclosed\r\n"), "{told}");
    drop(one);
    assert_eq!(say(&mut other, "TG.CALLER b\r\n"), ":2\r\n");
    assert_eq!(say(&mut two, "RESET\r\n"), "+RESET\r\n");
    assert_eq!(say(&mut other, "TG.CALLER b\r\n"), ":1\r\n");
    drop(other);
    assert_eq!(rig.engine.recorder().callers().count(), 0);
}

#[test]
fn what_is_no_name_is_told_so() {
    let rig = rig();
    let long = "x".repeat(65);
    for name in ["\"\"", "\"a b\"", "\"\\xff\"", &long] {
        let reply = rig.hears(&format!("TG.CALLER {name}\r\n"));
        assert!(
            reply.starts_with("-ERR a caller names itself by 1 to 64 visible characters"),
            "{name}: {reply}"
        );
    }
    assert_eq!(
        rig.hears("TG.CALLER\r\n"),
        "-ERR wrong number of arguments for 'tg.caller' command\r\n"
    );
}

/// It is answered, and hears nothing about others.
#[test]
fn a_stranger_is_nobodys_caller() {
    let rig = Rig::with(Some(RULES), None, Door::Open);
    let reply = rig.hears("TG.CALLER a\r\n");
    assert!(reply.starts_with("-FORBIDDEN not-trusted: "), "{reply}");
    assert_eq!(rig.engine.recorder().callers().count(), 0);
    let own = Peer::direct(([192, 0, 2, 1], 40_000).into());
    let mut session = rig.session().with(own);
    assert_eq!(
        say(&mut session, &bulks("TG.DECIDE ip 192.0.2.1 endpoint /burst")),
        "*12\r\n:1\r\n:20\r\n:19\r\n:0\r\n:100\r\n$5\r\nburst\r\n:0\r\n:-1\r\n\
         *1\r\n*10\r\n$5\r\nburst\r\n:20\r\n:19\r\n:100\r\n$-1\r\n$-1\r\n:-1\r\n$0\r\n\r\n:0\r\n$-1\r\n\
         :200\r\n:-1\r\n$-1\r\n"
    );
}
