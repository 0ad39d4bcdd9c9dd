//! Clients that try to be counted as somebody else, or as many.
// Proves: I4

use std::net::Ipv6Addr;

use serde_json::json;

use super::{
    ask::By,
    rig::{Rig, at},
};

/// How many of so many questions from these addresses pass, where five may.
fn passed(rig: &Rig, peers: impl Iterator<Item = String>) -> usize {
    let asked = json!({ "endpoint": "/address" });
    let allowed = peers.filter(|peer| {
        let told = rig.ask_from(By::ForwardAuth, &at(peer), "", &asked);
        told.status == 200
    });
    allowed.count()
}

#[test]
fn whoever_has_a_network_of_addresses_has_one_budget() {
    let rig = Rig::plain();
    let network = u128::from("2001:db8:7:8::".parse::<Ipv6Addr>().unwrap());
    let spread = 0x9e37_79b9_7f4a_7c15_u64;
    let address = |number: u64| {
        let host = number.wrapping_mul(spread);
        Ipv6Addr::from(network | u128::from(host)).to_string()
    };
    assert_eq!(passed(&rig, (0..100_000).map(address)), 5);
    // The next network has one of its own.
    assert_eq!(passed(&rig, (0..9).map(|_| "2001:db8:7:9::1".to_owned())), 5);
}

#[test]
fn an_address_in_other_clothes_is_the_same() {
    let rig = Rig::plain();
    let clothes = ["192.0.2.7", "::ffff:192.0.2.7", "::ffff:c000:207"];
    let peers = clothes.iter().cycle().take(30);
    assert_eq!(passed(&rig, peers.map(ToString::to_string)), 5);
}

#[test]
fn naming_a_victim_leaves_its_budget_alone() {
    let rig = Rig::plain();
    let asked = json!({ "endpoint": "/address" });
    for number in 0..1_000 {
        let lines = match number % 4 {
            0 => "X-Forwarded-For: 198.51.100.1\r\n",
            1 => "Forwarded: for=198.51.100.1\r\n",
            2 => "X-Real-IP: 198.51.100.1\r\n",
            _ => "X-Forwarded-For: 198.51.100.1\r\nX-Forwarded-For: 127.0.0.1\r\n",
        };
        rig.ask_from(By::Nginx, &at("192.0.2.7"), lines, &asked);
    }
    assert_eq!(passed(&rig, (0..9).map(|_| "198.51.100.1".to_owned())), 5);
    assert_eq!(passed(&rig, (0..9).map(|_| "192.0.2.7".to_owned())), 0);
}
