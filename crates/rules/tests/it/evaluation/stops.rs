//! R2 and 12.6: what ends the walk.

use tollgate_core::Micros;
use tollgate_rules::{Block, Directory, Field, Query, Snapshot};

use super::words::{House, Said as _, allow, block, limit_set, request, rules, throttle};

#[test]
fn an_allow_exempts_from_everything_below() {
    let above = throttle("above", "user", "5/min").priority(2);
    let trusted = allow("trusted").priority(1);
    let below = throttle("below", "user", "5/min");
    let house = House::of([above, trusted, below, block("bad")]);
    let alice = request("user=alice");
    assert_eq!(house.charged(&alice), ["above"]);
    assert_eq!(house.passes(&alice, 10), 5);
}

#[test]
fn an_allow_exempts_from_tier_defaults_too() {
    let mut set = rules([allow("trusted").user("alice")]);
    let free = set.tiers.get_mut("free").unwrap();
    free.default = Some(limit_set("1/h"));
    let house = House::new(&set);
    assert!(house.charged(&request("user=alice")).is_empty());
    assert!(house.is_matched(&request("user=alice")));
    assert_eq!(house.charged(&request("user=bob")), ["tier:free"]);
}

#[test]
fn a_block_denies_and_what_was_met_above_it_is_not_charged() {
    let above = throttle("above", "user", "5/min").priority(1);
    let house = House::of([above, block("bad").network("192.0.2.0/24")]);
    let bad = request("user=alice, ip=192.0.2.1");
    assert_eq!(house.meets(&bad), ["denied by bad"]);
    assert_eq!(house.passes(&bad, 10), 0);
    assert_eq!(house.passes(&request("user=alice"), 10), 5);
}

#[test]
fn a_block_below_an_allow_does_not_deny() {
    let house = House::of([allow("trusted").priority(1), block("bad")]);
    assert!(house.meets(&request("user=alice")).is_empty());
}

#[test]
fn a_disabled_block_or_allow_is_not_there() {
    let house =
        House::of([allow("a").disabled(), block("b").disabled(), throttle("c", "user", "5/min")]);
    assert_eq!(house.charged(&request("user=alice")), ["c"]);
}

fn stopped_until(directory: &Directory, query: &Query<'_>, house: &House) -> Option<u64> {
    let snapshot = Snapshot::compile(&rules([]), 1);
    let plan = snapshot.plan(query, directory, house.wall());
    let until = plan.stop().unwrap().until()?;
    Some(until.since(house.wall()).as_secs_ceil())
}

#[test]
fn a_timed_block_gives_its_end_and_an_endless_one_none() {
    let house = House::of([]);
    let end = house.wall().saturating_add(Micros::from_secs(60));
    let directory = &house.directory;
    directory.block(&Block::new(Field::User, "alice".into()).until(end));
    directory.block(&Block::new(Field::Org, "acme".into()));
    directory.block(&Block::new(Field::Ip, "2001:db8::1".into()));
    let alice = request("user=alice");
    assert_eq!(stopped_until(directory, &alice, &house), Some(60));
    let both = request("user=alice, org=acme");
    assert_eq!(stopped_until(directory, &both, &house), None);
    let address = request("ip=2001:DB8:0::1");
    assert_eq!(stopped_until(directory, &address, &house), None);
    house.pass_time(59);
    assert_eq!(house.meets(&alice), ["denied by caller"]);
    house.pass_time(1);
    assert!(house.meets(&alice).is_empty());
}

#[test]
fn a_block_is_of_one_fact_and_not_of_another_with_its_text() {
    let house = House::of([]);
    house.directory.block(&Block::new(Field::User, "acme".into()));
    house.directory.block(&Block::new(Field::ApiKey, "k1".into()));
    assert!(house.meets(&request("org=acme, user=k1")).is_empty());
    assert_eq!(house.meets(&request("user=acme")), ["denied by caller"]);
    assert_eq!(house.meets(&request("api_key=k1")), ["denied by caller"]);
}

#[test]
fn explain_shows_the_limits_that_were_met_above_a_block() {
    let above = throttle("above", "user", "5/min").priority(1);
    let snapshot = Snapshot::compile(&rules([above, block("bad")]), 1);
    let wall = House::of([]).wall();
    let story = snapshot.explain(&request("user=alice"), &Directory::new(), wall);
    assert!(story.to_string().contains("applies by [user]: 5/min"), "{story}");
    assert!(story.to_string().contains("bad: blocks"), "{story}");
}

#[test]
fn nothing_matched_is_allowed_and_has_nothing_to_show() {
    let house = House::of([throttle("other", "user", "5/min").endpoint("/other")]);
    let query = request("user=alice, endpoint=/");
    assert!(house.send(&query).unwrap().is_allowed());
    assert_eq!(house.send(&query).unwrap().binding_index(), None);
    assert!(!house.is_matched(&query));
}
