//! The primitives the valve is written in. The model checker's test compiles `valve.rs` over its own version
//! of this file.

pub(super) use std::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicU64, Ordering},
};
