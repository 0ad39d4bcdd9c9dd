//! Answers come in the order of the questions, however the bytes arrive.

use std::fmt::Write as _;

use super::rig::{Rig, advance, bulks, say, say_in_pieces};
use crate::listen::{OUTPUT_BYTES_HIGH, Session as _, Step, Then};

/// A bit of everything.
fn conversation() -> String {
    let mut said = String::new();
    for command in [
        "PING one",
        "TG.CHECK user_id a endpoint /login",
        "TG.CHECK user_id a endpoint /login",
        "TG.CHECK user_id a endpoint /login",
        "TG.CHECK usr a",
        "TG.CHECK user_id b endpoint /login",
        "CL.THROTTLE k 1 1 60",
        "TG.RESET user_id a endpoint /login",
        "TG.CHECK user_id a endpoint /login",
        "HELLO 3",
        "TG.CHECK user_id a endpoint /other",
        "NONSENSE",
        "CL.THROTTLE k 1 1 60",
        "TG.PEEK user_id b endpoint /login",
    ] {
        said += &bulks(command);
    }
    said += "\r\n*0\r\n*-1\r\nTG.CHECK user_id \"b\" endpoint '/login'\r\nping last\n";
    said
}

/// Numbers of clients differ from run to run.
fn without_ids(reply: Vec<u8>) -> String {
    let reply = String::from_utf8(reply).unwrap();
    let (before, after) = reply.split_once("$2\r\nid\r\n:").unwrap();
    let (_, after) = after.split_once("\r\n").unwrap();
    format!("{before}{after}")
}

#[test]
fn every_way_to_split_a_conversation_ends_alike() {
    let said = conversation();
    let whole = say_in_pieces(&mut Rig::new().session(), &[said.as_bytes()]);
    assert_eq!(whole.1, Then::Read);
    let whole = without_ids(whole.0);
    assert!(whole.starts_with("$3\r\none\r\n*6\r\n:1\r\n"), "{whole}");
    assert!(whole.ends_with("$4\r\nlast\r\n"), "{whole}");
    for split in 0..said.len() {
        let (one, two) = said.as_bytes().split_at(split);
        let (reply, _) = say_in_pieces(&mut Rig::new().session(), &[one, two]);
        assert_eq!(without_ids(reply), whole, "split at {split}");
    }
    let bytes: Vec<&[u8]> = said.as_bytes().chunks(1).collect();
    let (reply, _) = say_in_pieces(&mut Rig::new().session(), &bytes);
    assert_eq!(without_ids(reply), whole, "byte by byte");
}

#[test]
fn thousands_in_a_row_are_answered_in_a_row() {
    let rig = Rig::new();
    let (mut said, mut expected) = (String::new(), String::new());
    for number in 0..3_000 {
        said += &bulks("TG.CHECK endpoint /search");
        said += &bulks(&format!("ECHO {number}"));
        let text = number.to_string();
        write!(expected, "${}\r\n{text}\r\n", text.len()).unwrap();
    }
    let (reply, then) = say_in_pieces(&mut rig.session(), &[said.as_bytes()]);
    assert_eq!(then, Then::Read);
    let reply = String::from_utf8(reply).unwrap();
    assert_eq!(reply.matches("*6\r\n:1\r\n").count(), 100);
    assert_eq!(reply.matches("*6\r\n:0\r\n").count(), 2_900);
    let echoes: String = reply
        .split_inclusive("$6\r\nsearch\r\n")
        .filter_map(|part| part.split_once("*6\r\n").map(|(echo, _)| echo))
        .collect();
    let (last, _) = expected.rsplit_once("$4\r\n").unwrap();
    assert_eq!(echoes, last);
}

#[test]
fn a_client_that_does_not_read_is_not_answered_further() {
    let rig = Rig::new();
    let said = bulks(&format!("ECHO {}", "x".repeat(60_000))).repeat(20);
    let mut output = Vec::new();
    let mut session = rig.session();
    let step = advance(&mut session, said.as_bytes(), &mut output);
    assert_eq!(step.then, Then::Again);
    assert_eq!((step.answered, step.taken), (5, 5 * said.len() / 20));
    assert!(output.len() < OUTPUT_BYTES_HIGH + 60_100);
    let stuck = advance(&mut session, &said.as_bytes()[step.taken..], &mut output);
    let nothing = Step { taken: 0, answered: 0, then: Then::Again };
    assert_eq!(stuck, nothing);
    output.clear();
    let rest = advance(&mut session, &said.as_bytes()[step.taken..], &mut output);
    assert_eq!(rest.answered, 5);
}

#[test]
fn bytes_that_are_no_command_end_the_conversation() {
    let rig = Rig::new();
    for (said, heard) in [
        ("*1000000000\r\n", "invalid multibulk length"),
        ("*x\r\n", "invalid multibulk length"),
        ("*1\r\n$2147483647\r\n", "invalid bulk length"),
        ("*1\r\n$-1\r\n", "invalid bulk length"),
        ("*1\r\n*1\r\n$4\r\nPING\r\n", "expected '$', got '*'"),
        ("*1\r\n$4\r\nPINGPONG\r\n", "expected CRLF"),
        ("PING \"open\r\n", "unbalanced quotes in request"),
    ] {
        let check = bulks("TG.CHECK user_id z endpoint /other");
        let said = format!("{check}{check}{said}{check}");
        let mut output = Vec::new();
        let step = advance(&mut rig.session(), said.as_bytes(), &mut output);
        assert_eq!((step.then, step.answered), (Then::Close, 2), "{said:?}");
        let reply = String::from_utf8(output).unwrap();
        let (answers, error) = reply.split_once('-').map_or(("", ""), |_| {
            let at = reply.rfind("-ERR").unwrap();
            reply.split_at(at)
        });
        assert_eq!(answers.matches("*6\r\n").count(), 2, "{reply}");
        assert!(error.starts_with(&format!("-ERR Protocol error: {heard}")), "{reply}");
    }
}

#[test]
fn http_is_not_answered() {
    let rig = Rig::new();
    let mut output = Vec::new();
    let said = b"POST / HTTP/1.1\r\nHost: x\r\n\r\n";
    let step = advance(&mut rig.session(), said, &mut output);
    assert_eq!((step.then, output.is_empty()), (Then::Close, true));
}

#[test]
fn quit_ends_it_and_nothing_after_counts() {
    let rig = Rig::new();
    let mut output = Vec::new();
    let step = advance(&mut rig.session(), b"PING\r\nQUIT\r\nPING\r\n", &mut output);
    assert_eq!((step.then, step.answered), (Then::Close, 2));
    assert_eq!(output, b"+PONG\r\n+OK\r\n");
}

#[test]
fn winding_down_answers_what_is_whole() {
    let rig = Rig::new();
    let mut session = rig.session();
    assert!(session.is_idle());
    session.wind_down();
    let mut output = Vec::new();
    let step = advance(&mut session, b"PING\r\nPING\r\nPI", &mut output);
    assert_eq!((step.then, step.taken, step.answered), (Then::Read, 12, 2));
    assert!(!session.is_idle());
    let step = advance(&mut session, b"PING\r\n", &mut output);
    assert_eq!((step.then, step.answered), (Then::Close, 1));
    assert_eq!(output, b"+PONG\r\n+PONG\r\n+PONG\r\n");
    assert!(session.is_idle());
}

#[test]
fn only_whoever_began_is_told_that_it_took_too_long() {
    let rig = Rig::new();
    let mut session = rig.session();
    let mut output = Vec::new();
    session.too_slow(&mut output);
    assert!(output.is_empty());
    assert_eq!(say(&mut session, ""), "");
    advance(&mut session, b"*2\r\n$4\r\nEC", &mut output);
    assert!(!session.is_idle());
    session.too_slow(&mut output);
    assert!(output.starts_with(b"-ERR Protocol error: the command did not arrive in time\r\n"));
}
