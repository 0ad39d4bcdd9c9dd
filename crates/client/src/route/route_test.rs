//! What rendezvous with bounded load promises.
// Proves: U4

use tollgate_testkit::Rng;

use super::{RouteBy, choose, key, order, server};
use crate::Check;

const KEYS: u64 = 100_000;

fn servers(count: usize) -> Vec<u64> {
    (0..count).map(|index| server(&format!("http://10.0.0.{index}:7070"))).collect()
}

fn keys() -> impl Iterator<Item = u64> {
    (0..KEYS).map(|user| {
        let user = format!("user-{user}");
        key(&Check::new().user(user), &[RouteBy::User])
    })
}

#[test]
fn keys_are_spread_evenly() {
    for count in [2, 3, 5, 8] {
        let servers = servers(count);
        let mut first = vec![0_u64; count];
        let mut second = vec![0_u64; count];
        for key in keys() {
            let order = order(key, &servers);
            first[order[0]] += 1;
            second[order[1]] += 1;
        }
        let mean = KEYS / u64::try_from(count).unwrap();
        for served in first.into_iter().chain(second) {
            assert!(served.abs_diff(mean) * 10 <= mean, "{served} of {mean}");
        }
    }
}

#[test]
fn a_server_that_goes_takes_only_its_own_keys_along() {
    let all = servers(5);
    let left: Vec<u64> = all.iter().copied().filter(|server| *server != all[2]).collect();
    for key in keys().take(20_000) {
        let before: Vec<u64> = order(key, &all).iter().map(|index| all[*index]).collect();
        let after: Vec<u64> = order(key, &left).iter().map(|index| left[*index]).collect();
        let expected: Vec<u64> = before.into_iter().filter(|server| *server != all[2]).collect();
        assert_eq!(after, expected, "the others stay as they were, in order");
    }
}

#[test]
fn the_keys_of_a_dead_server_go_to_their_second() {
    let servers = servers(4);
    for key in keys().take(20_000) {
        let order = order(key, &servers);
        let dead = 1;
        let chosen = choose(&order, &[0; 4], |server| server != dead);
        let expected = order.iter().copied().find(|server| *server != dead);
        assert_eq!(chosen, expected);
    }
    assert_eq!(choose(&[0, 1, 2, 3], &[0; 4], |_| false), None);
    assert_eq!(choose(&[], &[], |_| true), None);
}

/// However keys, ends and outages fall, nobody is given a call above the bound, and somebody is always given it.
#[test]
fn nobody_is_given_much_more_than_the_others() {
    for seed in 0..200 {
        let mut rng = Rng::new(seed);
        let count = 1 + rng.index(8);
        let servers = servers(count);
        let mut loads = vec![0_u32; count];
        let mut up = vec![true; count];
        for _ in 0..2_000 {
            if rng.one_in(50) {
                let index = rng.index(count);
                up[index] = !up[index];
            }
            if rng.one_in(3) {
                let index = rng.index(count);
                loads[index] = loads[index].saturating_sub(1);
            }
            // Most questions are about one user: the hottest there can be.
            let key = if rng.one_in(4) { rng.word() } else { 7 };
            let chosen = choose(&order(key, &servers), &loads, |server| up[server]);
            let alive = up.iter().map(|is_up| u32::from(*is_up)).sum::<u32>();
            let Some(chosen) = chosen else {
                assert_eq!(alive, 0, "somebody was up");
                continue;
            };
            assert!(up[chosen]);
            let total: u32 = (0..count).filter(|index| up[*index]).map(|index| loads[index]).sum();
            let bound = (1.25 * f64::from(total + 1) / f64::from(alive)).ceil();
            assert!(f64::from(loads[chosen]) <= bound, "{loads:?} chose {chosen}");
            loads[chosen] += 1;
        }
    }
}

#[test]
fn a_busy_server_is_passed_over_for_the_next() {
    let order = [2, 0, 1];
    assert_eq!(choose(&order, &[10, 10, 10], |_| true), Some(2));
    // ⌈1.25 × 34 / 3⌉ = 15
    assert_eq!(choose(&order, &[9, 9, 15], |_| true), Some(2));
    assert_eq!(choose(&order, &[8, 9, 16], |_| true), Some(0));
    // Alone it is asked whatever its load.
    assert_eq!(choose(&order, &[0, 0, 1_000], |server| server == 2), Some(2));
}

#[test]
fn the_first_fact_there_is_decides() {
    let by = [RouteBy::Org, RouteBy::User, RouteBy::ApiKey, RouteBy::Ip];
    let of = |check: &Check<'_>| key(check, &by);
    let acme = Check::new().org("acme");
    assert_eq!(of(&acme), of(&acme.clone().user("ann").ip("1.2.3.4").endpoint("/a")));
    assert_eq!(of(&Check::new().user("ann")), of(&Check::new().user("ann").ip("1.2.3.4")));
    assert_ne!(of(&Check::new().user("ann")), of(&Check::new().org("ann")));
    assert_ne!(of(&Check::new().endpoint("/a")), of(&Check::new().endpoint("/b")));
    let path = key(&Check::new().org("acme").endpoint("/a"), &[RouteBy::Endpoint]);
    assert_eq!(path, key(&Check::new().endpoint("/a"), &[RouteBy::Endpoint]));
}

/// Clients of another build must route alike, or a counter is held by two servers.
#[test]
fn the_numbers_never_change() {
    let ann = key(&Check::new().user("ann"), &[RouteBy::User]);
    let nobody = key(&Check::new().endpoint("/a"), &[]);
    let servers = servers(4);
    let expected =
        (12_314_164_829_810_880_258, 14_520_067_791_441_278_586, 8_184_128_080_407_279_524);
    assert_eq!((ann, nobody, servers[0]), expected);
    assert_eq!(order(ann, &servers).as_slice(), [0, 2, 3, 1]);
}
