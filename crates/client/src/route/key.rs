//! What a question is routed by.

use siphasher::sip::SipHasher13;

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
