//! A drawer of rules, split by what they ask for.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

use super::{
    Candidates, Probes,
    paths::PathTree,
    probe::{Kind, hash, network_hash},
};

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
            let prefixes = if address.is_ipv4() {
                &self.prefixes_v4
            } else {
                &self.prefixes_v6
            };
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
