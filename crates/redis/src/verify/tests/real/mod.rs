//! The verifier against a Redis that believes a test about the time.

mod laws;
mod rig;
mod watching;
