//! Leases: decisions from memory that Redis has granted before.

mod late;
mod rig;
mod speed;
mod utilisation;

pub(crate) use late::Late;
pub(crate) use speed::Speed;
pub(crate) use utilisation::Utilisation;

use super::place::single;
use crate::{depth::Depth, servers};

/// What was found out about leases.
#[derive(Debug)]
pub(crate) struct Leases {
    pub(crate) speeds: Vec<Speed>,
    /// Over RESP through a server: decisions per second in memory, and leased.
    pub(crate) served: Vec<servers::Beside>,
    pub(crate) late: Late,
    pub(crate) utilisation: Vec<Utilisation>,
}

pub(crate) fn run(depth: Depth) -> anyhow::Result<Leases> {
    let server = single();
    eprintln!("redis: leases in process");
    let speeds = speed::run(&server, depth)?;
    eprintln!("redis: leases through a server");
    let served = servers::leased(&server.url(), depth)?;
    eprintln!("redis: leases while Redis is late");
    let late = late::run(&server, depth)?;
    eprintln!("redis: how much of a limit leases use");
    let utilisation = utilisation::run(&server, depth)?;
    Ok(Leases {
        speeds,
        served,
        late,
        utilisation,
    })
}
