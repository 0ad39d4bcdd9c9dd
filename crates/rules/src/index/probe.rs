//! The facts of a request as hashes.

use std::net::IpAddr;

use foldhash::fast::FixedState;
use smallvec::SmallVec;
use std::hash::{BuildHasher, Hasher};

use crate::{conditions::Facts, normalise::Path};

/// What a hash was made of, so that a user is never taken for an organisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Tier,
    Method,
    User,
    Org,
    ApiKey,
    Region,
    Path,
    Attribute,
    Prefix,
    Suffix,
    Network,
    Descriptor,
    DescriptorKeys,
    Segment,
}

/// A hash of some texts of one kind; their lengths count, so that texts do not run together.
pub(super) fn hash<'t>(kind: Kind, texts: impl IntoIterator<Item = &'t [u8]>) -> u64 {
    let mut hasher = FixedState::with_seed(0x7011_6a7e).build_hasher();
    hasher.write_u8(kind as u8);
    for text in texts {
        hasher.write_usize(text.len());
        hasher.write(text);
    }
    hasher.finish()
}

/// A network of either family: the bits that count, left-aligned.
pub(super) fn network_hash(address: IpAddr, prefix: u8) -> u64 {
    let (bits, width, family) = match address {
        IpAddr::V4(address) => (u128::from(address.to_bits()), 32_u32, 4),
        IpAddr::V6(address) => (address.to_bits(), 128, 6),
    };
    let host_bits = width.saturating_sub(u32::from(prefix));
    let network = bits.checked_shr(host_bits).unwrap_or(0);
    hash(
        Kind::Network,
        [[family, prefix].as_slice(), &network.to_be_bytes()],
    )
}

/// Everything about a request that a drawer can be asked for, hashed once.
#[derive(Debug)]
pub(crate) struct Probes<'q> {
    /// Facts that are looked up as they are.
    pub(super) exact: SmallVec<[u64; 12]>,
    /// The segments of the path.
    pub(super) segments: SmallVec<[u64; 12]>,
    pub(super) has_path: bool,
    pub(super) address: Option<IpAddr>,
    pub(super) attributes: &'q [(&'q str, &'q str)],
}

impl<'q> Probes<'q> {
    pub(crate) fn of(facts: &Facts<'q, '_>) -> Self {
        let query = facts.query;
        let mut exact: SmallVec<[u64; 12]> = SmallVec::new();
        let mut add = |kind, text: Option<&str>| {
            if let Some(text) = text {
                exact.push(hash(kind, [text.as_bytes()]));
            }
        };
        add(Kind::Tier, Some(facts.tier));
        add(Kind::User, query.user_name());
        add(Kind::Org, query.org_name());
        add(Kind::ApiKey, query.api_key_id());
        add(Kind::Region, query.region_name());
        add(Kind::Path, query.path());
        add(
            Kind::Method,
            query.method_name().as_ref().map(|method| method.as_str()),
        );
        for (name, value) in query.attributes() {
            exact.push(hash(Kind::Attribute, [name.as_bytes(), value.as_bytes()]));
        }
        if let Some(entries) = query.descriptor_entries() {
            let keys = entries.iter().map(|(key, _)| key.as_bytes());
            let pairs = entries
                .iter()
                .flat_map(|(key, value)| [key.as_bytes(), value.as_bytes()]);
            exact.push(hash(Kind::DescriptorKeys, keys));
            exact.push(hash(Kind::Descriptor, pairs));
        }
        let segments = query.path().into_iter().flat_map(Path::segments_of);
        Self {
            exact,
            segments: segments.map(segment_hash).collect(),
            has_path: query.path().is_some(),
            address: query.ip_address(),
            attributes: query.attributes(),
        }
    }
}

pub(super) fn segment_hash(segment: &str) -> u64 {
    hash(Kind::Segment, [segment.as_bytes()])
}
