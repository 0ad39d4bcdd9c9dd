//! What happens to a fleet when something happens to Redis: real servers, real faults, one story each.
//!
//! Every story holds that no decision is an error or hangs, that no more is admitted than the policy says, that the
//! nodes count what their callers saw and say which shard is the matter, and that all is well again without a
//! restart.

mod apart;
mod away;
mod cluster;
mod doubt;
mod failover;
mod fleet;
mod late;
mod load;
mod refusals;
mod restarts;
mod story;
mod text;
