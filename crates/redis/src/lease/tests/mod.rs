//! Proofs of the lease pool: its scripts in an embedded Lua beside the model of `sim`, on virtual time.

mod calls;
mod host;
mod lua_pool;
