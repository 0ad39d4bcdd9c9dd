//! In which order the servers come for a question: by the highest of the numbers that the question makes with
//! each of them, so that a server that goes takes no other's place.

use smallvec::SmallVec;

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
