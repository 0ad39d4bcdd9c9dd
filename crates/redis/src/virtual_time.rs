//! Scripts that believe a test about the time.

use std::sync::Arc;

use tollgate_core::{Clock, ImmediateStore};

use crate::{Options, OptionsError, RedisStore, script::script, time::Time};

script!(DECIDE, "virtual_clock", "counters", "decide");
script!(LEASE, "virtual_clock", "counters", "lease");
script!(LOOK, "virtual_clock", "look");
script!(SWAP, "virtual_clock", "swap");
script!(VERIFY, "virtual_clock", "counters", "verify");

impl<L: ImmediateStore + 'static> RedisStore<L> {
    /// As [`RedisStore::start`], but the scripts believe this clock about the time, and not the server's.
    ///
    /// # Errors
    ///
    /// What is wrong with the options.
    pub fn on_virtual_time(
        options: Options,
        local: L,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, OptionsError> {
        let time = Time {
            decide: &DECIDE,
            lease: &LEASE,
            look: &LOOK,
            swap: &SWAP,
            verify: &VERIFY,
            told: Some(Arc::clone(&clock)),
        };
        Self::with(options, local, clock, time)
    }
}
