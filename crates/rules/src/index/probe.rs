//! The facts of a request as hashes.

use std::{
    collections::HashMap,
    hash::{BuildHasher, BuildHasherDefault, Hasher},
    net::IpAddr,
};

use foldhash::fast::FixedState;
use smallvec::SmallVec;

use super::Candidates;
use crate::{EndpointPattern, Segment, conditions::Facts, normalise::Path};

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
    hash(Kind::Network, [[family, prefix].as_slice(), &network.to_be_bytes()])
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
        add(Kind::Method, query.method_name().as_ref().map(|method| method.as_str()));
        for (name, value) in query.attributes() {
            exact.push(hash(Kind::Attribute, [name.as_bytes(), value.as_bytes()]));
        }
        if let Some(entries) = query.descriptor_entries() {
            let keys = entries.iter().map(|(key, _)| key.as_bytes());
            let pairs = entries.iter().flat_map(|(key, value)| [key.as_bytes(), value.as_bytes()]);
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

/// Some rules: a few to be checked one by one, or many by hash.
#[derive(Debug)]
pub(crate) enum Drawer {
    Few(Box<[u32]>),
    Many(Box<Split>),
}

/// A drawer that has drawers.
#[derive(Debug, Default)]
pub(crate) struct Split {
    /// Rules that ask for nothing more.
    pub(super) always: Vec<u32>,
    pub(super) by_hash: HashMap<u64, Drawer, BuildHasherDefault<AsIs>>,
    /// The sizes of networks that are asked for, of both families.
    pub(super) prefixes_v4: Vec<u8>,
    pub(super) prefixes_v6: Vec<u8>,
    /// The ends of attributes that are asked for.
    pub(super) ends: Vec<End>,
    pub(super) paths: PathTree,
}

/// An attribute of which only so many bytes at one end count.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct End {
    pub(super) name: Box<str>,
    pub(super) side: Side,
    pub(super) len: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    Prefix,
    Suffix,
}

impl End {
    /// The hash of the end of `value`, if it is long enough.
    pub(super) fn hash_of(&self, value: &[u8]) -> Option<u64> {
        let (kind, end) = match self.side {
            Side::Prefix => (Kind::Prefix, value.get(..self.len)),
            Side::Suffix => {
                let start = value.len().checked_sub(self.len);
                (Kind::Suffix, start.and_then(|start| value.get(start..)))
            }
        };
        end.map(|end| hash(kind, [self.name.as_bytes(), end]))
    }
}

impl Drawer {
    /// Adds the places of all rules that may match.
    pub(super) fn collect(&self, probes: &Probes<'_>, found: &mut Candidates) {
        match self {
            Self::Few(places) => found.extend_from_slice(places),
            Self::Many(split) => split.collect(probes, found),
        }
    }
}

impl Split {
    fn collect(&self, probes: &Probes<'_>, found: &mut Candidates) {
        found.extend_from_slice(&self.always);
        for &probe in &probes.exact {
            self.open(probe, probes, found);
        }
        if let Some(address) = probes.address {
            let prefixes = if address.is_ipv4() { &self.prefixes_v4 } else { &self.prefixes_v6 };
            for &prefix in prefixes {
                self.open(network_hash(address, prefix), probes, found);
            }
        }
        for end in &self.ends {
            let mut attributes = probes.attributes.iter();
            let value = attributes.find_map(|(name, value)| (**name == *end.name).then_some(value));
            if let Some(hash) = value.and_then(|value| end.hash_of(value.as_bytes())) {
                self.open(hash, probes, found);
            }
        }
        if probes.has_path {
            self.paths.collect(&probes.segments, probes, found);
        }
    }

    #[inline]
    fn open(&self, hash: u64, probes: &Probes<'_>, found: &mut Candidates) {
        if let Some(drawer) = self.by_hash.get(&hash) {
            drawer.collect(probes, found);
        }
    }
}

/// The keys are hashes already.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// Patterns that share their beginnings. `{name}` and `*` are one branch: both take any segment.
#[derive(Debug, Default)]
pub(super) struct PathTree {
    literal: HashMap<u64, Self, BuildHasherDefault<AsIs>>,
    one: Option<Box<Self>>,
    /// Rules whose pattern ends here.
    here: Option<Drawer>,
    /// Rules whose pattern takes all that follows.
    rest: Option<Drawer>,
}

impl PathTree {
    /// Where the rules of a pattern are kept.
    pub(super) fn place(&mut self, pattern: &EndpointPattern) -> &mut Option<Drawer> {
        let mut node = self;
        for segment in pattern.segments() {
            node = match segment {
                Segment::Literal(text) => node.literal.entry(segment_hash(text)).or_default(),
                Segment::Parameter(_) | Segment::One => node.one.get_or_insert_default(),
                Segment::Rest => return &mut node.rest,
            };
        }
        &mut node.here
    }

    /// Adds the rules of every pattern that these segments match.
    pub(super) fn collect(&self, segments: &[u64], probes: &Probes<'_>, found: &mut Candidates) {
        let add = |drawer: &Option<Drawer>, found: &mut Candidates| {
            if let Some(drawer) = drawer {
                drawer.collect(probes, found);
            }
        };
        add(&self.rest, found);
        let Some((segment, segments)) = segments.split_first() else {
            return add(&self.here, found);
        };
        if let Some(next) = self.literal.get(segment) {
            next.collect(segments, probes, found);
        }
        if let Some(next) = &self.one {
            next.collect(segments, probes, found);
        }
    }
}
