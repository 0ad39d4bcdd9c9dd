//! What nodes hold of counters, where these are worked out on this side.

use smallvec::SmallVec;
use tollgate_core::{Cost, State};

use super::{
    Item,
    tally::{Found, Tally},
};

impl Tally {
    /// Whether nodes hold something of a counter.
    pub(super) fn is_held(&self, item: &Item) -> bool {
        let found = self.found.get(&item.key);
        found.is_some_and(|found| found.held.tokens(self.now.steady) > 0)
    }

    /// Tokens of each of these counters that nodes hold.
    pub(super) fn held(&self, items: &[Item]) -> SmallVec<[u64; 2]> {
        let found = items.iter().map(|item| self.found.get(&item.key));
        let tokens =
            |found: Option<&Found>| found.map_or(0, |found| found.held.tokens(self.now.steady));
        found.map(tokens).collect()
    }

    /// What a window has counted beyond what nodes hold: only that can be given back. A bucket looks after itself.
    pub(super) fn spare(&self, item: &Item, state: &State) -> Cost {
        let counted = match state {
            State::Fixed(state) => state.used,
            State::Sliding(state) => state.current,
            _ => return Cost::new(u64::MAX),
        };
        let found = self.found.get(&item.key);
        let held = found.map_or(0, |found| found.held.tokens(self.now.steady));
        Cost::new(counted.saturating_sub(held))
    }

    /// What nodes hold and may spend yet stays taken.
    pub(super) fn keep_held(&mut self, item: &Item) {
        let found = self.found.get(&item.key);
        let tokens = found.map_or(0, |found| found.held.tokens(self.now.steady));
        if tokens > 0 {
            let state = item.limit.law().admitted(tokens, self.now);
            self.put(item, state, &[]);
        }
    }
}
