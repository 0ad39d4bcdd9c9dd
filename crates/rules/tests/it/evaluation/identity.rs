//! 12.9: limits of API keys and of users, beside the rules.
// Proves: I2, I3, I6, R7

use std::sync::Arc;

use tollgate_core::Timestamp;
use tollgate_rules::{
    ApiKey, Block, Directory, Field, KeyCard, KeyDigest, KeyStanding, Query, Quota, Scope, User,
};

use super::words::{House, Said as _, limit_set, request, rules, throttle};

fn key(limits: Option<&str>) -> ApiKey {
    let mut key = ApiKey::new("k1".into(), KeyDigest::new([1; 32]));
    key.limits = limits.map(limit_set);
    key
}

fn issue(directory: &Directory, key: ApiKey) -> Arc<KeyCard> {
    let digest = key.digest;
    directory.put_keys([key]);
    directory.key(&digest).unwrap()
}

fn with<'a>(facts: &'a str, card: &'a Arc<KeyCard>) -> Query<'a> {
    let mut query = request(facts);
    query.set_key(card);
    query
}

fn agree(directory: &Directory, user: &str, tier: Option<&str>, limits: Option<&str>) {
    let mut quota = Quota::new(user.into());
    quota.tier = tier.map(Into::into);
    quota.limits = limits.map(limit_set);
    directory.put_quotas([quota]);
}

/// A house with default limits for everybody.
fn house(all: impl IntoIterator<Item = tollgate_rules::Rule>) -> House {
    let mut set = rules(all);
    set.tiers.get_mut("free").unwrap().default = Some(limit_set("9/min"));
    set.tiers.get_mut("premium").unwrap().default = Some(limit_set("90/min"));
    House::new(&set)
}

#[test]
fn limits_of_a_key_are_beside_all_others() {
    let house = house([throttle("login", "user", "5/min").endpoint("/login")]);
    let card = issue(&house.directory, key(Some("3/min")));
    let login = with("user=a, endpoint=/login", &card);
    assert_eq!(house.meets(&login), ["login 5/min", "api-key:k1 3/min"]);
    let other = with("user=a, endpoint=/", &card);
    assert_eq!(house.meets(&other), ["api-key:k1 3/min", "tier:free 9/min"]);
    assert_eq!(house.passes(&login, 9), 3);
    assert_eq!(house.passes(&other, 9), 0, "one counter for the key");
}

#[test]
fn limits_of_a_user_take_the_place_of_its_tiers_defaults() {
    let house = house([throttle("login", "user", "5/min").endpoint("/login")]);
    agree(&house.directory, "a", None, Some("20/min"));
    assert_eq!(house.meets(&request("user=a")), ["quota:a 20/min"]);
    assert_eq!(house.meets(&request("user=b")), ["tier:free 9/min"]);
    let login = request("user=a, endpoint=/login");
    assert_eq!(house.meets(&login), ["login 5/min", "quota:a 20/min"]);
}

#[test]
fn a_users_tier_counts_if_none_is_stated() {
    let house = house([]);
    agree(&house.directory, "a", Some("premium"), None);
    assert_eq!(house.meets(&request("user=a")), ["tier:premium 90/min"]);
    let stated = request("user=a, tier=free");
    assert_eq!(house.meets(&stated), ["tier:free 9/min"]);
}

#[test]
fn they_are_walked_as_rules_of_priority_0_that_name_one_caller() {
    let exempt = |priority| super::words::allow("exempt").priority(priority);
    for (priority, expected) in
        [(1, vec![]), (0, vec!["quota:a 2/min"]), (-1, vec!["quota:a 2/min"])]
    {
        let house = house([exempt(priority)]);
        agree(&house.directory, "a", None, Some("2/min"));
        assert_eq!(house.meets(&request("user=a")), expected, "{priority}");
    }
    // A path is more telling than a name.
    let house = house([exempt(0).endpoint("/health")]);
    agree(&house.directory, "a", None, Some("2/min"));
    assert!(house.meets(&request("user=a, endpoint=/health")).is_empty());
}

#[test]
fn a_scope_keeps_those_that_count_by_it() {
    let house = house([]);
    let card = issue(&house.directory, key(Some("3/min")));
    agree(&house.directory, "a", None, Some("20/min"));
    let asked = |scope| with("user=a", &card).scope(scope);
    assert_eq!(house.meets(&asked(Scope::User)), ["quota:a 20/min"]);
    assert_eq!(house.meets(&asked(Scope::ApiKey)), ["api-key:k1 3/min"]);
    assert!(house.meets(&asked(Scope::Ip)).is_empty());
}

#[test]
fn all_of_them_pass_or_none() {
    let house = house([]);
    let card = issue(&house.directory, key(Some("1/min")));
    agree(&house.directory, "a", None, Some("20/min"));
    let query = with("user=a", &card);
    assert_eq!(house.passes(&query, 5), 1);
    let left = house.shown(&request("user=a")).1.remaining();
    assert_eq!(left, 18, "four denied requests spent nothing of the user's");
}

#[test]
fn a_changed_limit_keeps_what_was_counted() {
    let house = house([]);
    let card = issue(&house.directory, key(Some("3/min")));
    assert_eq!(house.passes(&with("user=a", &card), 9), 3);
    let card = issue(&house.directory, key(Some("5/min")));
    assert_eq!(house.passes(&with("user=a", &card), 9), 2);
    let card = issue(&house.directory, key(Some("5/h")));
    assert_eq!(house.passes(&with("user=a", &card), 9), 0, "carried over");
}

#[test]
fn a_rotated_key_opens_until_its_time_is_up() {
    let directory = Directory::new();
    let at = Timestamp::from_secs;
    let before = issue(&directory, key(None));
    let mut rotated = key(None);
    rotated.former = Some((rotated.digest, at(100)));
    rotated.digest = KeyDigest::new([2; 32]);
    let (old, new) = (KeyDigest::new([1; 32]), rotated.digest);
    let card = issue(&directory, rotated.clone());
    assert_eq!(before.standing(&old, at(200)), KeyStanding::InForce);
    for (shown, now, expected) in [
        (new, 200, KeyStanding::InForce),
        (old, 99, KeyStanding::InForce),
        (old, 100, KeyStanding::Expired),
    ] {
        let found = directory.key(&shown).unwrap();
        assert_eq!(found.standing(&shown, at(now)), expected);
        assert!(Arc::ptr_eq(&found, &card));
    }
    // Rotated again: what was before the last one is forgotten.
    let mut again = rotated;
    again.former = None;
    again.digest = KeyDigest::new([3; 32]);
    issue(&directory, again);
    assert!(directory.key(&old).is_none() && directory.key(&new).is_none());

    let mut ended = key(None);
    ended.expires_at = Some(at(50));
    let card = issue(&directory, ended.clone());
    assert_eq!(card.standing(&old, at(49)), KeyStanding::InForce);
    assert_eq!(card.standing(&old, at(50)), KeyStanding::Expired);
    ended.revoked_at = Some(at(20));
    let card = issue(&directory, ended);
    assert_eq!(card.standing(&old, at(60)), KeyStanding::Revoked);
    // A node whose clock is behind does not wait for it.
    assert_eq!(card.standing(&old, at(10)), KeyStanding::Revoked);
    directory.retain_keys(|_| false);
    assert!(directory.key(&old).is_none() && !directory.has_keys());
}

#[test]
fn what_is_used_is_counted_once_and_outlives_a_change() {
    let house = house([]);
    let at = Timestamp::from_secs;
    let card = issue(&house.directory, key(None));
    agree(&house.directory, "a", None, None);
    let count = |card: &Arc<KeyCard>, moment| {
        let query = with("user=a", card);
        let plan = house.snapshot.plan(&query, &house.directory, at(moment));
        plan.count_allowed(at(moment));
        plan.count_denied(at(moment));
    };
    count(&card, 7);
    let card = issue(&house.directory, key(Some("3/min")));
    count(&card, 9);
    let used = house.directory.take_used(10);
    let seen = |user: User| {
        let used = used.iter().find(|used| used.user == user).unwrap();
        (used.allowed, used.denied, used.last_at)
    };
    assert_eq!(seen(User::ApiKey("k1".into())), (2, 2, at(9)));
    assert_eq!(seen(User::Quota("a".into())), (2, 2, at(9)));
    assert!(house.directory.take_used(10).is_empty());
    count(&card, 11);
    assert_eq!(house.directory.take_used(1).len(), 1);
    assert_eq!(house.directory.take_used(1).len(), 1, "the rest is not lost");
    // What is told late counts for the day on which it was.
    count(&card, 86_400 - 1);
    count(&card, 86_400);
    let used = house.directory.take_used(10);
    let days = used.iter().map(|used| (used.day, used.allowed));
    let mut days: Vec<_> = days.collect();
    days.sort_unstable();
    assert_eq!(days, [(0, 1), (0, 1), (1, 1), (1, 1)]);
}

#[test]
fn a_network_is_blocked_and_let_go() {
    let house = house([]);
    let block = |id: &str, value: &str| (id.into(), Block::new(Field::Ip, value.into()));
    let denied = |ip: &str| house.meets(&request(&format!("ip={ip}"))) == ["denied by caller"];
    let directory = &house.directory;
    directory.put_blocks([
        block("b1", "192.0.2.0/24"),
        block("b2", "2001:db8::/48"),
        block("b3", "192.0.2.7"),
        block("b4", "::ffff:198.51.100.0/120"),
    ]);
    assert!(denied("192.0.2.7") && denied("192.0.2.255") && denied("198.51.100.9"));
    assert!(denied("2001:db8:0:9::1") && !denied("2001:db8:1::1") && !denied("192.0.3.0"));
    directory.remove_block("b1");
    assert!(denied("192.0.2.7") && !denied("192.0.2.8"));
    directory.put_blocks([block("b3", "192.0.2.9")]);
    assert!(!denied("192.0.2.7") && denied("192.0.2.9"), "moved");
    directory.retain_blocks(|id| id == "b2");
    assert!(!denied("192.0.2.9") && denied("2001:db8::1"));
}

#[test]
fn the_explanation_tells_of_them() {
    let house = house([throttle("login", "user", "5/min").endpoint("/login")]);
    let card = issue(&house.directory, key(Some("3/min")));
    agree(&house.directory, "a", Some("premium"), Some("20/min"));
    let query = with("user=a, endpoint=/login", &card);
    let told = house.snapshot.explain(&query, &house.directory, house.wall());
    let names: Vec<_> = told.rules.iter().map(|one| one.rule.name.to_string()).collect();
    assert_eq!(names, ["login", "api-key:k1", "quota:a"]);
    assert_eq!(told.tier, "premium");
    assert!(told.to_string().contains("3/min"), "{told}");
}
