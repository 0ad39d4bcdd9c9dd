//! Black-box stories: several servers that share their counters through a real Redis.

mod away;
mod crowd;
mod doctor;
mod doubt;
mod identity;
mod keys;
mod leases;
mod range;
mod rig;
mod setting;
mod sharing;
mod stopped;

pub(crate) use rig::RULES;
