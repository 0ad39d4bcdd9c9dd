//! Endpoint patterns with wildcards, segment by segment.

use std::{collections::HashMap, hash::BuildHasherDefault};

use super::{Candidates, Drawer, Probes, drawer::AsIs, probe::segment_hash};
use crate::{EndpointPattern, Segment};

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
