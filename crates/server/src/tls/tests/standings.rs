//! When the end of a certificate is told of.

use super::super::{
    About,
    keeper::{AHEAD_S, DAY_S, Standing},
};

const BEGINS_S: u64 = 1_000 * DAY_S;
const EXPIRES_S: u64 = 1_090 * DAY_S;

fn ending(now_s: u64) -> Option<String> {
    let standing = Standing {
        listeners: "http".to_owned(),
        certificate: "server.pem".into(),
        about: About { begins_s: BEGINS_S, expires_s: EXPIRES_S, ..About::default() },
        trouble: None,
    };
    standing.ending(now_s)
}

// Proves: S7
#[test]
fn the_end_is_told_of_from_thirty_days_ahead() {
    assert_eq!(AHEAD_S, 30 * DAY_S);
    assert_eq!(ending(BEGINS_S), None);
    assert_eq!(ending(EXPIRES_S - AHEAD_S), None);
    for (now_s, words) in [
        (EXPIRES_S - AHEAD_S + 1, "runs out in 29 days"),
        (EXPIRES_S - DAY_S, "runs out in a day"),
        (EXPIRES_S - 1, "runs out in less than a day"),
        (EXPIRES_S, "has run out"),
        (EXPIRES_S + AHEAD_S, "has run out"),
        (BEGINS_S - 1, "does not hold yet"),
    ] {
        let told = ending(now_s).unwrap();
        assert!(told.contains(words), "{told}");
        assert!(told.contains("server.pem"), "{told}");
    }
}
