//! Nodes that lease, as processes: killed, stopped, cut off and started again under load. Whatever happens to them, no more
//! passes than the limit.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use rustix::process::Signal;
use tollgate_testkit::{proxy::Proxy, redis::Redis, wait_for};

use super::{crowd::Crowd, rig::Node};
use crate::common::server::LONG;

/// So many a month, or at once and next to nothing later: no story lasts long enough to earn another unit.
const LIMIT: u64 = 6_000;

const RULES: &str = "\
version: 1
rules:
  - { name: fixed, match: { endpoint: /fixed }, key: [user], limits: [{ per: 6000/month, algorithm: fixed_window }], on_failure: closed }
  - { name: sliding, match: { endpoint: /sliding }, key: [user], limit: 6000/month, on_failure: closed }
  - { name: bucket, match: { endpoint: /bucket }, key: [user], limits: [{ per: 6000/month, burst: 6000 }], on_failure: closed }
";

const ENDPOINTS: &[&str] = &["/fixed", "/sliding", "/bucket"];

/// Before a story turns.
const SOME: u64 = 300;
/// So many denials in a row, and there is nothing left.
const MANY: u64 = 400;

type Address = Arc<Mutex<SocketAddr>>;

fn address(node: &Node) -> Address {
    Arc::new(Mutex::new(node.server.resp))
}

fn until_leased(nodes: &[&Node]) {
    wait_for("nodes that lease", LONG, || {
        let leased = |node: &&Node| node.metric("tollgate_lease_granted_units_total") > 0;
        nodes.iter().all(leased).then_some(())
    });
}

/// Never more than the limit. What may be missing was held by whoever is gone.
fn is_lawful(admitted: &[u64], lost_max: u64) {
    for (endpoint, admitted) in ENDPOINTS.iter().zip(admitted) {
        assert!(*admitted <= LIMIT, "{endpoint}: {admitted} of {LIMIT}");
        let least = LIMIT - lost_max;
        assert!(*admitted >= least, "{endpoint}: {admitted} of {LIMIT}, at least {least}");
    }
}

// Proves: C3
#[test]
fn a_node_that_is_killed_takes_no_more_with_it_than_it_held() {
    let redis = Redis::start();
    let nodes = [(), (), ()].map(|()| Node::ready(&redis.url(), RULES));
    let crowd = Crowd::of(&nodes.each_ref().map(address), ENDPOINTS);
    crowd.until_more(SOME);
    let [doomed, one, other] = nodes;
    until_leased(&[&doomed, &one, &other]);
    doomed.server.kill();
    crowd.until_spent(LIMIT, MANY);
    // A slice is half of what is left at most, and a third of the callers were there.
    is_lawful(&crowd.end(), LIMIT / 2);
    for node in [&one, &other] {
        assert_eq!(node.metric("tollgate_overshoot_total"), 0);
    }
}

// Proves: C3
#[test]
fn a_node_that_was_stopped_goes_on_without_what_it_held() {
    let redis = Redis::start();
    let nodes = [(), ()].map(|()| Node::ready(&redis.url(), RULES));
    let crowd = Crowd::of(&nodes.each_ref().map(address), ENDPOINTS);
    crowd.until_more(SOME);
    let [stopped, other] = nodes;
    until_leased(&[&stopped, &other]);
    stopped.server.pause();
    // The other spends all that is left.
    crowd.until_spent(LIMIT, MANY);
    stopped.server.signal(Signal::CONT);
    crowd.until_spent(LIMIT, MANY);
    is_lawful(&crowd.end(), LIMIT / 2);
}

// Proves: C3
#[test]
fn nodes_that_are_all_killed_and_started_again_go_on_where_they_were() {
    let redis = Redis::start();
    let nodes = [(), ()].map(|()| Node::ready(&redis.url(), RULES));
    let addresses = nodes.each_ref().map(address);
    let crowd = Crowd::of(&addresses, ENDPOINTS);
    crowd.until_more(SOME);
    until_leased(&nodes.each_ref());
    nodes.into_iter().for_each(|node| node.server.kill());
    let again = [(), ()].map(|()| Node::ready(&redis.url(), RULES));
    for (address, node) in addresses.iter().zip(&again) {
        *address.lock().unwrap() = node.server.resp;
    }
    crowd.until_spent(LIMIT, MANY);
    is_lawful(&crowd.end(), LIMIT * 3 / 4);
}

// Proves: C3, C6
#[test]
fn a_node_that_is_cut_off_serves_what_it_holds_and_returns_by_itself() {
    let redis = Redis::start();
    let proxy = Proxy::to(redis.address());
    let cut = Node::ready(&format!("redis://{}", proxy.addr()), RULES);
    let other = Node::ready(&redis.url(), RULES);
    let crowd = Crowd::of(&[address(&cut), address(&other)], ENDPOINTS);
    crowd.until_more(SOME);
    until_leased(&[&cut, &other]);
    proxy.refuse();
    proxy.cut();
    cut.until_degraded(&["redis"]);
    crowd.until_more(SOME);
    proxy.accept();
    proxy.flow();
    cut.until_fine();
    crowd.until_spent(LIMIT, MANY);
    is_lawful(&crowd.end(), LIMIT / 2);
}

// Proves: U5
#[test]
fn a_node_that_stops_in_order_returns_what_it_holds() {
    let redis = Redis::start();
    let nodes = [(), ()].map(|()| Node::ready(&redis.url(), RULES));
    let addresses = nodes.each_ref().map(address);
    let crowd = Crowd::of(&addresses[..1], ENDPOINTS);
    crowd.until_more(SOME);
    let [first, second] = nodes;
    until_leased(&[&first]);
    let (status, log) = first.server.stop();
    assert!(status.success(), "{log}");
    *addresses[0].lock().unwrap() = second.server.resp;
    crowd.until_spent(LIMIT, MANY);
    // What was under way when the connection closed was charged and not heard of.
    is_lawful(&crowd.end(), 3 * 8 + 16);
}
