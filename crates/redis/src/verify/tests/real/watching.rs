//! What is watched, for how long, and what is excused.

use tollgate_core::{Clock as _, Limit, Micros, Now};

use super::rig::{Desk, key, sampled};
use crate::verify::Verifier;

/// `5/min`, and maybe an algorithm.
fn limit(text: &str) -> Limit {
    let (limit, name) = text.split_once(' ').unwrap_or((text, "sliding_window"));
    let limit: Limit = limit.parse().unwrap();
    limit.with_algorithm(name.parse().unwrap()).unwrap()
}

#[test]
fn one_key_in_64_is_of_the_sample() {
    let limit = limit("5/min");
    let samples =
        (0..64_000).filter(|number| Verifier::samples(&key(&format!("u{number}"), &limit)));
    let count = samples.count();
    assert!((850..1_150).contains(&count), "{count} of 64,000");
}

#[test]
fn all_nodes_watch_the_same_keys() {
    let limit = limit("5/min fixed_window");
    let desk = Desk::new();
    let (key, _) = sampled(&limit);
    let [one, other] = [desk.node(), desk.node()];
    // Neither alone exceeds it; both together do.
    for node in [&one, &other] {
        node.admitted(&key, &limit, 3, desk.clock.now());
        desk.report(node);
    }
    assert_eq!((one.totals(), other.totals()), ([1, 0], [1, 1]));
    let sum = desk.redis.command(&["HGET", &format!("{}:v", key.as_str()), "v"]);
    assert!(sum.starts_with("1F/5 "), "{sum}");
    let ttl = desk.redis.command(&["PTTL", &format!("{}:v", key.as_str())]);
    assert!(ttl.parse::<i64>().unwrap() > 0, "{ttl}");
}

#[test]
fn a_change_by_hand_excuses_what_comes_of_it() {
    let desk = Desk::new();
    for text in ["5/min fixed_window", "5/min", "5/min token_bucket"] {
        let limit = limit(text);
        let (key, item) = sampled(&limit);
        let [one, other] = [desk.node(), desk.node()];
        one.admitted(&key, &limit, 5, desk.clock.now());
        desk.report(&one);
        other.admitted(&key, &limit, 5, desk.clock.now());
        desk.excuse(&one, item);
        desk.report(&other);
        assert_eq!(other.totals()[1], 0, "{text}");
        desk.clock.advance(Micros::from_secs(180));
        one.admitted(&key, &limit, 50, desk.clock.now());
        desk.report(&one);
        assert_eq!(one.totals()[1], 1, "{text}: later it is watched again");
    }
}

#[test]
fn another_limit_begins_anew() {
    let desk = Desk::new();
    let (few, many) = (limit("5/min fixed_window"), limit("50/min fixed_window"));
    let (key, _) = sampled(&few);
    let node = desk.node();
    node.admitted(&key, &many, 40, desk.clock.now());
    desk.report(&node);
    node.admitted(&key, &few, 5, desk.clock.now());
    desk.report(&node);
    assert_eq!(node.totals(), [1, 0]);
    node.admitted(&key, &few, 1, desk.clock.now());
    desk.report(&node);
    assert_eq!(node.totals(), [1, 1]);
}

/// A clock that is set back lets windows come twice.
#[test]
fn a_clock_that_was_set_back_is_noticed() {
    let desk = Desk::new();
    let limit = limit("5/min fixed_window");
    let (key, _) = sampled(&limit);
    let node = desk.node();
    let early = desk.clock.now();
    node.admitted(&key, &limit, 5, early);
    desk.report(&node);
    desk.clock.advance(Micros::from_secs(300));
    node.admitted(&key, &limit, 1, desk.clock.now());
    desk.report(&node);
    desk.clock.step_wall(-300_000_000);
    node.admitted(&key, &limit, 5, desk.clock.now());
    desk.report(&node);
    assert_eq!(node.totals(), [1, 0]);
}

#[test]
fn what_is_spent_counts_by_the_epoch_that_it_is_of() {
    let desk = Desk::new();
    let limit = limit("5/min fixed_window");
    let (key, _) = sampled(&limit);
    let node = desk.node();
    let watch = node.watch(&key, &limit).unwrap();
    watch.spent(7, 100); // nobody has said when that was
    let first = desk.clock.now();
    watch.turn(7, Some(first));
    watch.spent(7, 3);
    desk.clock.advance(Micros::from_secs(60));
    watch.turn(8, Some(desk.clock.now()));
    watch.spent(8, 4);
    watch.spent(7, 2); // somebody was held up
    let slots: Vec<(u64, u64)> = watch.take().iter().collect();
    let window = |at: Now| limit.period().window_at(at.wall);
    assert_eq!(slots, [(window(first), 5), (window(desk.clock.now()), 4)]);
    assert!(watch.take().is_empty());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..10_000).for_each(|_| watch.spent(8, 1)));
        }
        for _ in 0..100 {
            let taken = watch.take();
            watch.restore(&taken);
        }
    });
    assert_eq!(watch.take().iter().map(|(_, units)| units).sum::<u64>(), 40_000);
}

#[test]
fn keys_are_forgotten_that_nobody_asks_for() {
    let desk = Desk::new();
    let limit = limit("5/min");
    let node = desk.node();
    let ((kept, _), (gone, _)) = (sampled(&limit), sampled(&limit));
    let _watch = node.watch(&kept, &limit);
    node.admitted(&gone, &limit, 1, desk.clock.now());
    desk.report(&node);
    assert_eq!(node.totals(), [2, 0]);
    for _ in 0..40 {
        desk.report(&node);
    }
    assert_eq!(node.totals(), [1, 0]);
    let unfit = self::limit("5/min sliding_log");
    assert!(node.watch(&kept, &unfit).is_none());
}
