//! How a case of the contract gets its stores.

use tollgate_core::{ManualClock, Store};

/// Makes empty stores on a given clock: any function from a clock to a store, or [`Short`].
pub trait Make {
    /// The store under test.
    type Store: Store;

    /// An empty store.
    fn store(&self, clock: ManualClock) -> Self::Store;

    /// How often a case repeats what it does `full` times where a call costs nothing.
    fn times(&self, full: u64) -> u64 {
        full
    }
}

impl<F: Fn(ManualClock) -> S, S: Store> Make for F {
    type Store = S;

    fn store(&self, clock: ManualClock) -> S {
        self(clock)
    }
}

/// Repeats less often: for another server behind code that the same contract has tested at full length.
#[derive(Clone, Copy, Debug)]
pub struct Short<F>(pub F);

/// A short case does one in so many of its repetitions.
const SHORTER: u64 = 8;

impl<F: Fn(ManualClock) -> S, S: Store> Make for Short<F> {
    type Store = S;

    fn store(&self, clock: ManualClock) -> S {
        self.0(clock)
    }

    fn times(&self, full: u64) -> u64 {
        full.div_ceil(SHORTER)
    }
}
