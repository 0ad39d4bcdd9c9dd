//! Scripts that believe a test about the time.

use std::sync::Arc;

use tollgate_core::{Clock, ImmediateStore};

use crate::{Options, OptionsError, RedisStore, script::script, time::Time};

script!(DECIDE, "decide", "virtual_clock");
script!(LOOK, "look", "virtual_clock");
script!(SWAP, "swap", "virtual_clock");

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
            look: &LOOK,
            swap: &SWAP,
            told: Some(Arc::clone(&clock)),
        };
        Self::with(options, local, clock, time)
    }
}
