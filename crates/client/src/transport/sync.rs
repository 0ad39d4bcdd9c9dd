//! The primitives that a claim is written in. The model checker's test compiles `claim.rs` over its own version
//! of this file.

pub(crate) use std::sync::atomic::{AtomicBool, Ordering};
