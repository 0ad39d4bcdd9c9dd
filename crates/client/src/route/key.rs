//! What a question is routed by.

use siphasher::sip::SipHasher13;
use smallvec::SmallVec;

use super::RouteBy;
use crate::{Check, facts};

/// Every client must hash alike, so these are no secrets. Whoever crafts keys that fall on one server meets
/// the bound on its load.
const SEEDS: (u64, u64) = (0x746f_6c6c_6761_7465, 0x726f_7574_696e_6700);

/// The first of these facts that the question has, as a number; all its facts if it has none of them.
pub(crate) fn key(check: &Check<'_>, route_by: &[RouteBy]) -> u64 {
    let body = &check.body;
    let value = |by: &RouteBy| match by {
        RouteBy::Org => body.org_id.as_deref().map(|value| (0, value)),
        RouteBy::User => body.user_id.as_deref().map(|value| (1, value)),
        RouteBy::ApiKey => body.api_key.as_deref().map(|value| (2, value)),
        RouteBy::Ip => body.ip.as_deref().map(|value| (3, value)),
        RouteBy::Endpoint => body.endpoint.as_deref().map(|value| (4, value)),
    };
    match route_by.iter().find_map(value) {
        Some((field, value)) => hash(field, value.as_bytes()),
        None => hash(u64::MAX, &facts::all(check)),
    }
}

/// A server as a number.
pub(crate) fn server(address: &str) -> u64 {
    hash(0, address.as_bytes())
}

/// Of some bytes of some kind.
fn hash(kind: u64, bytes: &[u8]) -> u64 {
    SipHasher13::new_with_keys(SEEDS.0, SEEDS.1 ^ kind).hash(bytes)
}

/// Positions of servers, the first choice first.
pub(crate) type Order = SmallVec<[usize; 8]>;

/// The order of these servers (see [`super::server`]) for this key (see [`super::key`]).
pub(crate) fn order(key: u64, servers: &[u64]) -> Order {
    let weighed = servers.iter().map(|server| weight(key, *server));
    let mut weighed: SmallVec<[(u64, usize); 8]> = weighed.zip(0..).collect();
    weighed.sort_unstable_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
    weighed.into_iter().map(|(_, index)| index).collect()
}

/// What a key and a server are to each other: every bit of either changes half of the bits.
const fn weight(key: u64, server: u64) -> u64 {
    mixed(mixed(key) ^ server)
}

/// The finalizer of SplitMix64.
const fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// A server may be this much busier than the average, in quarters.
const SLACK_QUARTERS: u64 = 5;

/// The first server of `order` that is up and not much busier than the others; `loads` are the calls under way
/// at each. None only if no server is up.
pub(crate) fn choose(
    order: &[usize],
    loads: &[u32],
    is_up: impl Fn(usize) -> bool,
) -> Option<usize> {
    let load = |server: usize| u64::from(loads.get(server).copied().unwrap_or(0));
    let up = || order.iter().copied().filter(|server| is_up(*server));
    let (servers, total) = up().fold((0_u64, 0_u64), |(servers, total), server| {
        (servers.saturating_add(1), total.saturating_add(load(server)))
    });
    let bound = load_max(total, servers)?;
    // The mean is within the bound, so somebody is.
    up().find(|server| load(*server) <= bound)
}

/// ⌈1.25 × (calls under way + 1) / servers⌉; none without servers.
fn load_max(total: u64, servers: u64) -> Option<u64> {
    let calls = total.saturating_add(1).saturating_mul(SLACK_QUARTERS);
    (servers > 0).then(|| calls.div_ceil(servers.saturating_mul(4)))
}
