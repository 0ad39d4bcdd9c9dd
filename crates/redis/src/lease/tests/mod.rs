//! Proofs of the lease pool: its scripts in an embedded Lua beside the model of `sim`, on virtual time.

mod acts;
mod calls;
mod host;
mod lua_pool;
mod node;
mod real_holder;
mod schedules;
mod world;
