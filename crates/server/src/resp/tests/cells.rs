//! `CL.THROTTLE`, byte for byte.

use tollgate_core::Micros;

use super::rig::{Rig, bulks, numbers};

#[test]
fn the_example_of_the_manual() {
    let rig = Rig::new();
    let ask = bulks("CL.THROTTLE user123 15 30 60");
    assert_eq!(rig.hears(&ask), "*5\r\n:0\r\n:16\r\n:15\r\n:-1\r\n:2\r\n");
    let ask = bulks("cl.throttle user123 15 30 60 1");
    assert_eq!(rig.hears(&ask), "*5\r\n:0\r\n:16\r\n:14\r\n:-1\r\n:4\r\n");
    let three = "HELLO 3\r\nCL.THROTTLE user123 15 30 60 0\r\n";
    let reply = rig.hears(three);
    assert!(reply.ends_with("*5\r\n:0\r\n:16\r\n:14\r\n:-1\r\n:4\r\n"), "{reply}");
}

#[test]
fn a_blocked_key_says_when_to_come_back() {
    let rig = Rig::new();
    let ask = bulks("CL.THROTTLE k 1 1 10");
    assert_eq!(numbers(&rig.hears(&ask)), [0, 2, 1, -1, 10]);
    assert_eq!(numbers(&rig.hears(&ask)), [0, 2, 0, -1, 20]);
    assert_eq!(numbers(&rig.hears(&ask)), [1, 2, 0, 10, 20]);
    rig.clock.advance(Micros::from_millis(9_500));
    assert_eq!(numbers(&rig.hears(&ask)), [1, 2, 0, 1, 11]);
    rig.clock.advance(Micros::from_millis(500));
    assert_eq!(numbers(&rig.hears(&ask)), [0, 2, 0, -1, 20]);
    let large = bulks("CL.THROTTLE k 1 1 10 3");
    assert_eq!(numbers(&rig.hears(&large)), [1, 2, 0, -1, 20]);
}

#[test]
fn errors_are_those_of_redis_cell() {
    let rig = Rig::new();
    let error = |words: &str| rig.hears(&bulks(words));
    let usage = "-Cell error: Store error: Usage: cl.throttle <key> <max_burst> <count per period> \
                 <period> [<quantity>]\r\n";
    assert_eq!(error("CL.THROTTLE"), usage);
    assert_eq!(error("CL.THROTTLE k 15 30"), usage);
    assert_eq!(error("CL.THROTTLE k 15 30 60 1 1"), usage);
    let zero = "-Cell error: Store error: Zero rates are not supported\r\n";
    assert_eq!(error("CL.THROTTLE k 15 0 60"), zero);
    assert_eq!(error("CL.THROTTLE k 15 30 0"), zero);
    for text in ["x", "1.5", "", "9223372036854775808", "1_000"] {
        let expected = format!("-Cell error: Store error: Couldn't parse as integer: {text}\r\n");
        assert_eq!(error(&format!("CL.THROTTLE k 15 30 {text}")), expected);
        assert_eq!(error(&format!("CL.THROTTLE k 15 {text} 60")), expected);
        assert_eq!(error(&format!("CL.THROTTLE k {text} 30 60")), expected);
        assert_eq!(error(&format!("CL.THROTTLE k 15 30 60 {text}")), expected);
    }
    let below = "-Cell error: Store error: Error while setting key expire\r\n";
    assert_eq!(error("CL.THROTTLE k 15 30 60 -1"), below);
}

#[test]
fn numbers_may_be_spelled_as_rust_spells_them() {
    let rig = Rig::new();
    let reply = rig.hears(&bulks("CL.THROTTLE k +15 030 60 -0"));
    assert_eq!(numbers(&reply), [0, 16, 16, -1, 0]);
    let largest = i64::MAX;
    let ask = format!("CL.THROTTLE k {largest} {largest} {largest} {largest}");
    let reply = rig.hears(&bulks(&ask));
    assert_eq!(numbers(&reply)[..2], [0, largest]);
}

#[test]
fn any_bytes_are_a_key() {
    let rig = Rig::new();
    let ask = b"*5\r\n$11\r\nCL.THROTTLE\r\n$3\r\n\xff\x00\n\r\n$1\r\n0\r\n$1\r\n1\r\n$2\r\n60\r\n";
    let mut replies = Vec::new();
    for _ in 0..2 {
        super::rig::advance(&mut rig.session(), ask, &mut replies);
    }
    let replies = String::from_utf8(replies).unwrap();
    assert_eq!(
        replies,
        "*5\r\n:0\r\n:1\r\n:0\r\n:-1\r\n:60\r\n*5\r\n:1\r\n:1\r\n:0\r\n:60\r\n:60\r\n"
    );
}

#[test]
fn its_keys_are_a_space_of_their_own() {
    let rig = Rig::new();
    for _ in 0..5 {
        rig.hears(&bulks("CL.THROTTLE alice 0 1 60"));
    }
    let reply = rig.hears(&bulks("TG.CHECK user_id alice endpoint /login"));
    assert_eq!(numbers(&reply)[..3], [1, 2, 1]);
    assert_eq!(rig.engine.cells().stats().keys, 1);
}
