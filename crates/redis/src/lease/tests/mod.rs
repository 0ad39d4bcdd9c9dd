//! Proofs of the lease pool: its scripts in an embedded Lua beside the model of `sim`, on virtual time.

mod acts;
mod calls;
mod fleet;
mod host;
mod laws;
mod lua_pool;
mod mutants;
mod node;
mod real_holder;
mod redis_pool;
mod schedules;
mod world;
