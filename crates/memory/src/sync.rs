//! The primitives the slot protocol is written in. The model checker's test compiles `slot.rs` over
//! its own version of this file.

pub(crate) use std::sync::atomic::{AtomicU64, Ordering};

/// How long to spin before giving the processor away: a holder keeps a slot for nanoseconds, unless
/// it was preempted.
const SPINS_MAX: u32 = 64;

/// Waits a moment for another thread; `turn` counts the waits so far.
#[cold]
pub(crate) fn wait(turn: u32) {
    if turn < SPINS_MAX {
        std::hint::spin_loop();
    } else {
        std::thread::yield_now();
    }
}
