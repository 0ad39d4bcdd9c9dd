//! Which rules a request may match, found without looking at the others.
//!
//! Every rule is filed under the rarest of its conditions, and a drawer that is still crowded is split
//! by the next one. Drawers are found by hashes; a hash that two values share only brings a candidate
//! too many, since whoever asks checks each candidate in full.

mod build;
mod probe;
#[cfg(test)]
mod tests;

pub(crate) use probe::{AsIs, Drawer, Probes};
use smallvec::SmallVec;

use crate::Rule;

/// Places in the walk, in no order and perhaps twice.
pub(crate) type Candidates = SmallVec<[u32; 16]>;

/// All rules, by what they ask for.
#[derive(Debug)]
pub(crate) struct Index {
    root: Drawer,
}

impl Index {
    /// Files rules under their places in `rules`.
    pub(crate) fn new<'r>(rules: impl IntoIterator<Item = &'r Rule>) -> Self {
        let root = build::build(rules);
        Self { root }
    }

    /// The places of all rules that may match, in order.
    #[inline]
    pub(crate) fn candidates(&self, probes: &Probes<'_>) -> Candidates {
        let mut found = Candidates::new();
        self.root.collect(probes, &mut found);
        found.sort_unstable();
        found.dedup();
        found
    }
}
