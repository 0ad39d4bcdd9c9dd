//! What is enforced when no server can be asked.
// Proves: U4

use std::{sync::Arc, time::Duration};

use tollgate_core::Clock as _;

use super::{
    Fallback, ToldLimit,
    desk_test::{Desk, told},
    local,
    told::Weight,
};
use crate::{Answer, Check, Source, facts::fingerprint};

#[test]
fn nothing_is_enforced_of_which_nothing_is_known() {
    let desk = Desk::new();
    let answer = desk.ask(&Check::new().user("ann"));
    let nothing = Answer::allowed(Source::Fallback(Fallback::Local));
    assert_eq!(answer, nothing);
}

/// The server blocked somebody: so does the fallback, until the server has said something else.
#[test]
fn whoever_was_blocked_stays_blocked() {
    let desk = Desk::new();
    let mallory = Check::new().user("mallory").endpoint("/search").cost(0);
    let blocked = Answer { is_allowed: false, status: 403, ..Answer::allowed(Source::Server) };
    let now = desk.clock.now().steady;
    desk.local.learn_block(fingerprint(&mallory), &blocked, now);
    let answer = desk.ask(&mallory.clone().cost(7));
    assert_eq!((answer.is_allowed(), answer.status()), (false, 403));
    assert_eq!(answer.source(), Source::Fallback(Fallback::Local));
    assert!(desk.ask(&Check::new().user("ann").endpoint("/search")).is_allowed());
    desk.learn(&mallory, &[told("search", "3/min fixed_window", &["user"])]);
    assert!(desk.ask(&mallory).is_allowed());
}

/// An exemption is of whoever has it.
#[test]
fn whoever_is_exempt_does_not_exempt_others() {
    let desk = Desk::new();
    let ann = Check::new().user("ann").endpoint("/search");
    desk.learn(&ann, &[told("search", "3/min fixed_window", &["user"])]);
    let partner = Check::new().user("partner").endpoint("/search");
    desk.learn(&partner, &[]);
    assert_eq!(desk.passing(&partner), 1_000);
    assert_eq!(desk.passing(&Check::new().user("new").endpoint("/search")), 3);
    assert_eq!(desk.passing(&ann), 3);
}

#[test]
fn the_last_limit_is_enforced_with_its_window_and_told_exactly() {
    let desk = Desk::new();
    let ann = Check::new().user("ann").endpoint("/search");
    desk.learn(&ann, &[told("search", "3/min fixed_window", &["user"])]);
    let first = desk.ask(&ann);
    assert_eq!((first.limit(), first.remaining()), (Some(3), Some(2)));
    assert_eq!((first.rule(), first.status()), (Some("search"), 200));
    assert_eq!(desk.passing(&ann), 2);
    desk.clock.advance(Duration::from_millis(20_500));
    let denied = desk.ask(&ann);
    assert_eq!(denied.source(), Source::Fallback(Fallback::Local));
    assert_eq!((denied.is_allowed(), denied.status()), (false, 429));
    let wait = denied.retry_after().unwrap();
    assert_eq!(denied.retry_after_s(), Some(wait.as_secs() + 1));
    assert_eq!((denied.remaining(), denied.rule()), (Some(0), Some("search")));
    let [standing] = denied.limits() else { panic!("{:?}", denied.limits()) };
    assert_eq!((standing.limit, standing.remaining), (3, 0));
    assert_eq!(standing.window, Duration::from_secs(60));
    assert_eq!(standing.reset_after, wait);
    desk.clock.advance(wait - Duration::from_micros(1));
    assert!(!desk.ask(&ann).is_allowed());
    desk.clock.advance(Duration::from_micros(1));
    assert_eq!(desk.passing(&ann), 3);
}

#[test]
fn all_limits_are_charged_or_none() {
    let desk = Desk::new();
    let ann = Check::new().user("ann").org("acme");
    let bob = Check::new().user("bob").org("acme");
    let limits = [told("each", "2/h", &["user"]), told("together", "3/h", &["org"])];
    desk.learn(&ann, &limits);
    desk.learn(&bob, &limits);
    assert_eq!(desk.passing(&ann), 2);
    // What ann was denied took nothing from her organisation.
    assert_eq!(desk.passing(&bob), 1);
    assert_eq!(desk.ask(&bob).rule(), Some("together"));
}

#[test]
fn somebody_new_is_limited_like_those_before() {
    let desk = Desk::new();
    let search = |user| Check::new().user(user).endpoint("/search");
    desk.learn(&search("ann"), &[told("search", "5/h", &["user"])]);
    assert_eq!(desk.passing(&search("new")), 5);
    assert_eq!(desk.passing(&search("ann")), 5, "each has a counter");
    assert_eq!(desk.passing(&Check::new().user("ann").endpoint("/other")), 1_000);
    // That somebody is under no limit is knowledge too.
    desk.learn(&search("vip"), &[]);
    desk.learn(&search("ann"), &[told("search", "5/h", &["user"])]);
    assert_eq!(desk.passing(&search("vip")), 1_000);
}

#[test]
fn the_parts_of_all_callers_make_the_limit() {
    for (limit, callers, part) in [
        ("100/h", 1, 100),
        ("100/h", 3, 33),
        ("100/h", 100, 1),
        ("100/h", 101, 1), // less than one: a bucket that holds one
        ("1/h", 1_000, 1),
        ("50/s burst 20", 8, 2),
        ("5/month", 65_536, 1),
        ("60000/month", 65_536, 1),
    ] {
        let desk = Desk::new();
        let ann = Check::new().user("ann");
        desk.local.set_callers(callers);
        desk.learn(&ann, &[told("r", limit, &["user"])]);
        assert_eq!(desk.passing(&ann), part, "{limit} among {callers}");
    }
}

#[test]
fn a_share_below_one_is_refilled_at_its_rate() {
    let desk = Desk::new();
    let ann = Check::new().user("ann");
    desk.local.set_callers(30);
    desk.learn(&ann, &[told("r", "3/min", &["user"])]);
    assert_eq!(desk.passing(&ann), 1);
    // 3 a minute among 30 is one in ten minutes.
    assert_eq!(desk.ask(&ann).retry_after(), Some(Duration::from_secs(600)));
    desk.clock.advance(Duration::from_secs(600));
    assert_eq!(desk.passing(&ann), 1);
}

#[test]
fn more_or_fewer_callers_change_the_part_and_keep_what_is_used() {
    let desk = Desk::new();
    let ann = Check::new().user("ann");
    desk.learn(&ann, &[told("r", "10/h", &["user"])]);
    assert_eq!(desk.passing(&ann), 10);
    desk.local.set_callers(2);
    assert_eq!(desk.passing(&ann), 0);
    desk.local.set_callers(20);
    assert_eq!(desk.passing(&ann), 0, "carried over into the longer period");
    desk.learn(&ann, &[told("r", "10/h", &["user"])]);
    assert_eq!(desk.passing(&ann), 0);
    desk.local.set_callers(0);
    desk.learn(&ann, &[told("r", "30/h", &["user"])]);
    assert_eq!(desk.passing(&ann), 20, "none is one; a raised limit frees at once");
    desk.learn(&ann, &[told("r", "20/h", &["user"])]);
    assert_eq!(desk.passing(&ann), 0, "a lowered one binds at once");
}

#[test]
fn what_is_too_much_for_the_part_only_may_be_asked_again() {
    let desk = Desk::new();
    let ann = Check::new().user("ann");
    desk.local.set_callers(10);
    desk.learn(&ann, &[told("r", "20/h", &["user"])]);
    let answer = desk.ask(&ann.clone().cost(3));
    assert!(!answer.is_allowed());
    assert_eq!(answer.retry_after(), Some(Duration::from_secs(1)));
    let answer = desk.ask(&ann.clone().cost(21));
    assert_eq!((answer.is_allowed(), answer.retry_after()), (false, None));
    assert_eq!(answer.retry_after_s(), None);
}

#[test]
fn a_leaky_bucket_says_how_long_to_wait() {
    let desk = Desk::new();
    let ann = Check::new().user("ann");
    let limits =
        [told("loose", "100/h", &["user"]), told("even", "2/s leaky_bucket burst 3", &["user"])];
    desk.learn(&ann, &limits);
    let delays: Vec<u128> = (0..3).map(|_| desk.ask(&ann).delay().as_millis()).collect();
    assert_eq!(delays, [0, 500, 1_000]);
}

#[test]
fn what_is_told_again_is_not_written_again() {
    let desk = Desk::new();
    let ann = Check::new().user("ann");
    let limits = || [told("r", "10/h", &["user"])];
    desk.learn(&ann, &limits());
    let before = desk.local.known(fingerprint(&ann)).unwrap();
    desk.learn(&ann, &limits());
    let after = desk.local.known(fingerprint(&ann)).unwrap();
    assert!(Arc::ptr_eq(&before, &after));
    let bob = Check::new().user("bob");
    desk.learn(&bob, &limits());
    let other = desk.local.known(fingerprint(&bob)).unwrap();
    assert!(Arc::ptr_eq(&before, &other), "one for all of one shape");
}

#[test]
fn a_flood_of_users_takes_no_more_room() {
    let desk = Desk::new();
    let limits = [told("r", "10/h", &["user"])];
    for user in 0..100_000 {
        let check = Check::new().user(user.to_string()).endpoint(user.to_string());
        desk.learn(&check, &limits);
    }
    assert_eq!(desk.local.len(), 2 * local::ENTRIES);
}

/// What a request weighs under a rule, it weighs here too.
#[test]
fn a_rule_that_weighs_requests_is_charged_so() {
    let desk = Desk::new();
    let limit = ToldLimit {
        weight: Weight::read(Some("attributes.bytes / 1024")),
        ..told("upload", "100/min fixed_window", &["user"])
    };
    let upload = Check::new().user("ann").attribute("bytes", "10000");
    desk.learn(&upload, &[limit]);
    assert_eq!(desk.passing(&upload), 10);
}

/// The part of a small limit has a longer period, and must not be taken for another limit that has it anyway.
#[test]
fn limits_of_one_rule_stay_apart_however_many_callers_there_are() {
    for (small, large, callers) in [
        ("10/s fixed_window", "100/min fixed_window", 60),
        ("2/min fixed_window", "100/h fixed_window", 60),
        ("5/h fixed_window", "50/day fixed_window", 24),
    ] {
        for limits in [[small, large], [large, small]] {
            let desk = Desk::new();
            let ann = Check::new().user("ann");
            desk.local.set_callers(callers);
            desk.learn(&ann, &limits.map(|limit| told("r", limit, &["user"])));
            assert_eq!(desk.passing(&ann), 1, "{limits:?}");
        }
    }
}
