//! What is enforced for questions that nobody has asked yet.
// Proves: U4

use super::{
    ToldLimit, Whom,
    desk_test::{Desk, told},
};
use crate::Check;

const FOR_ALL: &str = "each";
const ITEMS: &str = "items";
const LOGIN: &str = "login";

/// A limit for each user: so many a minute.
fn limit(rule: &str, amount: u64) -> ToldLimit {
    told(rule, &format!("{amount}/min fixed_window"), &["user"])
}

fn asks<'c>(user: &'c str, path: &'c str) -> Check<'c> {
    Check::new().user(user).endpoint(path)
}

/// How many of a thousand pass, each to another path.
fn passing(desk: &Desk, user: &str, under: &str) -> usize {
    let passes = |number: &usize| {
        let path = format!("{under}{number}");
        desk.ask(&asks(user, &path)).is_allowed()
    };
    (0..1_000).filter(passes).count()
}

/// The numbers of things stand in paths.
#[test]
fn a_path_that_is_new_is_limited_like_those_beside_it() {
    let desk = Desk::new();
    let told = [limit(FOR_ALL, 100), limit(ITEMS, 7)];
    desk.learn(&asks("ann", "/items/a"), &told);
    assert_eq!(passing(&desk, "ann", "/items/"), 1_000, "one is no family");
    desk.learn(&asks("bob", "/items/b"), &told);
    assert_eq!(passing(&desk, "ann", "/items/"), 7);
    assert_eq!(passing(&desk, "new", "/items/"), 7);
}

/// What is for some paths only is enforced on those.
#[test]
fn only_what_all_of_a_family_met_is_enforced() {
    let desk = Desk::new();
    for path in ["/items/a", "/items/b"] {
        desk.learn(&asks("ann", path), &[limit(FOR_ALL, 100), limit(ITEMS, 7)]);
    }
    for path in ["/login", "/login/again"] {
        desk.learn(&asks("ann", path), &[limit(FOR_ALL, 100), limit(LOGIN, 1)]);
    }
    assert_eq!(passing(&desk, "ann", "/other/"), 100, "what both have");
    assert_eq!(passing(&desk, "ann", "/login/"), 0, "the hundred are used");
    assert_eq!(passing(&desk, "bob", "/login/"), 1);
    let by_address = Check::new().ip("192.0.2.1").endpoint("/other/9");
    assert_eq!(desk.ask(&by_address).limit(), None, "who asks otherwise is counted otherwise");
}

/// The paths of one thing are one to the others, however many they are.
#[test]
fn what_one_kind_of_thing_met_is_not_for_all() {
    let desk = Desk::new();
    for path in ["/login", "/login/again", "/login/code"] {
        desk.learn(&asks("ann", path), &[limit(LOGIN, 1)]);
    }
    assert_eq!(passing(&desk, "ann", "/other/"), 1_000);
}

/// Rules change: what was common then is not for ever.
#[test]
fn a_family_follows_its_members() {
    let desk = Desk::new();
    let paths = ["/items/a", "/items/b", "/items/c"];
    for amount in [7, 5, 9] {
        for path in paths {
            desk.learn(&asks("ann", path), &[limit(ITEMS, amount)]);
        }
        let user = format!("user{amount}");
        let passed = passing(&desk, &user, "/items/");
        assert_eq!(u64::try_from(passed), Ok(amount));
    }
    // Twenty others, of which the last eight are looked at.
    for number in 0..20 {
        desk.learn(&asks("ann", &format!("/items/new{number}")), &[limit(ITEMS, 3)]);
    }
    assert_eq!(passing(&desk, "bob", "/items/"), 3);
}

/// An override is of whoever has it, and so are the limits of a key.
#[test]
fn what_is_of_one_is_not_of_others() {
    let desk = Desk::new();
    let all = [limit(FOR_ALL, 900), limit(ITEMS, 7)];
    let instead = ToldLimit { whom: Whom::OneInstead, ..limit(ITEMS, 500) };
    let own = ToldLimit { whom: Whom::OneBeside, ..limit("api-key:k1", 2) };
    for path in ["/items/a", "/items/b"] {
        desk.learn(&asks("ann", path), &all);
        desk.learn(&asks("vip", path), &[all[0].clone(), instead.clone()]);
        desk.learn(&asks("key", path), &[&all[..], std::slice::from_ref(&own)].concat());
    }
    assert_eq!(passing(&desk, "new", "/items/"), 7);
    let ask = |user: &str| desk.passing(&asks(user, "/items/a"));
    assert_eq!((ask("vip"), ask("key"), ask("other")), (500, 2, 7));
}

#[test]
fn shares_follow_the_callers() {
    let desk = Desk::new();
    for path in ["/items/a", "/items/b"] {
        desk.learn(&asks("ann", path), &[limit(ITEMS, 100)]);
    }
    desk.local.set_callers(4);
    assert_eq!(passing(&desk, "ann", "/items/"), 25);
}

/// Another method is no way around the limits.
#[test]
fn what_all_met_goes_for_every_method() {
    let desk = Desk::new();
    for path in ["/items/a", "/other/b"] {
        desk.learn(&asks("ann", path).method("GET"), &[limit(FOR_ALL, 9)]);
    }
    assert_eq!(desk.passing(&asks("ann", "/items/a").method("HEAD")), 9);
    assert_eq!(desk.passing(&asks("ann", "/items/a").method("GET")), 0);
}
