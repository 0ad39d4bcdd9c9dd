//! What is enforced for questions that nobody has asked yet.
// Proves: U4

use std::sync::Arc;

use tollgate_core::{Clock as _, ManualClock};

use super::{KeyField, Local, ToldLimit, Whom};
use crate::{Check, facts::fingerprint};

const FOR_ALL: &str = "each";
const ITEMS: &str = "items";
const LOGIN: &str = "login";

/// A limit for each user: so many a minute.
fn limit(rule: &str, amount: u64) -> ToldLimit {
    ToldLimit {
        rule: rule.into(),
        per: tollgate_testkit::limit(&format!("{amount}/min fixed_window")),
        key: [KeyField::User].into(),
        whom: Whom::Everybody,
    }
}

struct Desk {
    clock: ManualClock,
    local: Local,
}

impl Desk {
    fn new() -> Self {
        let clock = ManualClock::start();
        let local = Local::new(Arc::new(clock.clone()));
        Self { clock, local }
    }

    fn learn(&self, user: &str, path: &str, told: &[ToldLimit]) {
        let check = Check::new().user(user).endpoint(path);
        let now = self.clock.now().steady;
        self.local.learn(&check, fingerprint(&check), told, now);
    }

    /// How many of a thousand pass, each to another path.
    fn passing(&self, user: &str, under: &str) -> usize {
        let passes = |number: &usize| {
            let check = Check::new().user(user).endpoint(format!("{under}{number}"));
            let answer = self.local.decide(&check, fingerprint(&check));
            answer.is_allowed()
        };
        (0..1_000).filter(passes).count()
    }
}

/// The numbers of things stand in paths.
#[test]
fn a_path_that_is_new_is_limited_like_those_beside_it() {
    let desk = Desk::new();
    let told = [limit(FOR_ALL, 100), limit(ITEMS, 7)];
    desk.learn("ann", "/items/a", &told);
    assert_eq!(desk.passing("ann", "/items/"), 1_000, "one is no family");
    desk.learn("bob", "/items/b", &told);
    assert_eq!(desk.passing("ann", "/items/"), 7);
    assert_eq!(desk.passing("new", "/items/"), 7);
}

/// What is for some paths only is enforced on those.
#[test]
fn only_what_all_of_a_family_met_is_enforced() {
    let desk = Desk::new();
    for path in ["/items/a", "/items/b"] {
        desk.learn("ann", path, &[limit(FOR_ALL, 100), limit(ITEMS, 7)]);
    }
    for path in ["/login", "/login/again"] {
        desk.learn("ann", path, &[limit(FOR_ALL, 100), limit(LOGIN, 1)]);
    }
    assert_eq!(desk.passing("ann", "/other/"), 100, "what both have");
    assert_eq!(desk.passing("ann", "/login/"), 0, "the hundred are used");
    assert_eq!(desk.passing("bob", "/login/"), 1);
    let by_address = Check::new().ip("192.0.2.1").endpoint("/other/9");
    let answer = desk.local.decide(&by_address, fingerprint(&by_address));
    assert_eq!(
        answer.limit(),
        None,
        "who asks otherwise is counted otherwise"
    );
}

/// Rules change: what was common then is not for ever.
#[test]
fn a_family_follows_its_members() {
    let desk = Desk::new();
    let paths = ["/items/a", "/items/b", "/items/c"];
    for amount in [7, 5, 9] {
        for path in paths {
            desk.learn("ann", path, &[limit(ITEMS, amount)]);
        }
        let user = format!("user{amount}");
        let passed = desk.passing(&user, "/items/");
        assert_eq!(u64::try_from(passed), Ok(amount));
    }
    // Twenty others, of which the last eight are looked at.
    for number in 0..20 {
        desk.learn("ann", &format!("/items/new{number}"), &[limit(ITEMS, 3)]);
    }
    assert_eq!(desk.passing("bob", "/items/"), 3);
}

/// An override is of whoever has it, and so are the limits of a key.
#[test]
fn what_is_of_one_is_not_of_others() {
    let desk = Desk::new();
    let all = [limit(ITEMS, 7)];
    let instead = [ToldLimit {
        whom: Whom::OneInstead,
        ..limit(ITEMS, 500)
    }];
    let own = ToldLimit {
        whom: Whom::OneBeside,
        ..limit("api-key:k1", 2)
    };
    for path in ["/items/a", "/items/b"] {
        desk.learn("ann", path, &all);
        desk.learn("vip", path, &instead);
        desk.learn("key", path, &[all[0].clone(), own.clone()]);
    }
    assert_eq!(desk.passing("new", "/items/"), 7);
    let ask = |user: &str| {
        let check = Check::new().user(user).endpoint("/items/a");
        let passes = |_: &u32| desk.local.decide(&check, fingerprint(&check)).is_allowed();
        (0..1_000).filter(passes).count()
    };
    assert_eq!((ask("vip"), ask("key"), ask("other")), (500, 2, 7));
}

#[test]
fn shares_follow_the_callers() {
    let desk = Desk::new();
    for path in ["/items/a", "/items/b"] {
        desk.learn("ann", path, &[limit(ITEMS, 100)]);
    }
    desk.local.set_callers(4);
    assert_eq!(desk.passing("ann", "/items/"), 25);
}
