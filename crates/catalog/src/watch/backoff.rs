//! How long to wait before the next try.

use std::time::Duration;

use crate::{NodeId, RevisionHash};

const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(10);

/// Waits that double up to a bound, and that differ between nodes so that they do not return together.
#[derive(Debug)]
pub(super) struct Backoff {
    node: NodeId,
    tries: u32,
}

impl Backoff {
    pub(super) const fn new(node: NodeId) -> Self {
        Self { node, tries: 0 }
    }

    pub(super) const fn reset(&mut self) {
        self.tries = 0;
    }

    /// Between half of the wait and all of it.
    pub(super) fn next(&mut self) -> Duration {
        let whole = FIRST.saturating_mul(1 << self.tries.min(10)).min(LONGEST);
        self.tries = self.tries.saturating_add(1);
        let hash = RevisionHash::of(&[self.node.as_str().as_bytes(), &self.tries.to_le_bytes()]);
        let [byte, ..] = *hash.as_bytes();
        whole / 2 + whole.saturating_mul(u32::from(byte)) / 512
    }
}

#[cfg(test)]
mod tests {
    use super::{Backoff, FIRST, LONGEST};
    use crate::NodeId;

    #[test]
    fn waits_grow_to_a_bound_and_differ() {
        let mut backoff = Backoff::new(NodeId::new("a"));
        let waits: Vec<_> = (0..40).map(|_| backoff.next()).collect();
        assert!(waits[0] >= FIRST / 2 && waits[0] <= FIRST);
        assert!(waits.iter().all(|wait| *wait <= LONGEST));
        assert!(waits[39] >= LONGEST / 2);
        assert_ne!(Backoff::new(NodeId::new("b")).next(), waits[0]);
        backoff.reset();
        assert!(backoff.next() <= FIRST);
    }
}
