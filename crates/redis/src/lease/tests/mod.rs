//! Proofs of the lease pool: its scripts in an embedded Lua beside the model of `sim`, on virtual time.
//!
//! | file | what it proves |
//! |---|---|
//! | `calls` | scripts and model give the same answers to any calls, and hold the same |
//! | `schedules` | many holders, any faults: the algorithm's own law over every interval |
//! | `mutants` | defects on purpose are found by the two above |
//! | `laws` | twice is once; slices of one are exact; what judges the schedules |
//! | `fleet` | saturated keys are used up; nobody is denied without a reason |
//! | `real::redis_pool` | the first two against a real Redis |

#![allow(
    clippy::cast_possible_truncation,
    clippy::print_stdout,
    reason = "tests: small numbers, and stories to be read"
)]

mod acts;
mod calls;
mod failover;
mod fleet;
pub(crate) mod host;
mod laws;
mod lua_pool;
mod mutants;
mod network;
mod node;
mod real;
mod real_holder;
mod schedules;
mod world;
