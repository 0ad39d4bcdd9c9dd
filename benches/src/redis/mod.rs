//! Counters in Redis: this store, the usual script called once a request, and what Redis can do at all.

mod ceiling;
mod contest;
mod hung;
mod leases;
mod load;
mod naive;
mod place;

pub(crate) use contest::{Contest, Layout};
pub(crate) use hung::Hung;
pub(crate) use leases::{Leases, run as run_leases};

use crate::depth::Depth;

/// What was found out.
#[derive(Debug)]
pub(crate) struct Redis {
    pub(crate) version: String,
    pub(crate) contests: Vec<Contest>,
    pub(crate) hung: Hung,
}

pub(crate) fn run(depth: Depth) -> anyhow::Result<Redis> {
    let (version, contests) = contest::run(depth)?;
    Ok(Redis {
        version,
        contests,
        hung: hung::run(depth)?,
    })
}
