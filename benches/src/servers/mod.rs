//! Servers over loopback: ours, its peers, and how fast the same sockets are with nothing behind them.

mod contest;
mod fixed;
mod grpc;
mod identified;
mod leased;
mod load;
mod measured;
mod memory;
pub(crate) mod names;
mod paced;
mod peers;
mod process;
mod script;
mod seal;
mod sealed;
mod shape;
mod tollgate;

pub(crate) use fixed::{Kind as FixedKind, serve as serve_fixed};
pub(crate) use identified::{Identified, identified};
pub(crate) use leased::{Beside, leased};
pub(crate) use load::few;
pub(crate) use measured::{Contest, Measured};
pub(crate) use memory::Memory;
pub(crate) use paced::Paced;
pub(crate) use process::LOAD_CORE;
pub(crate) use script::Script;
pub(crate) use shape::{Shape, Streams};
pub(crate) use tollgate::Ours;

use crate::depth::Depth;

/// Everything measured about servers.
#[derive(Debug)]
pub(crate) struct Servers {
    pub(crate) contests: Vec<Contest>,
    pub(crate) paced: Vec<Paced>,
    pub(crate) memory: Memory,
    /// Peers that could not be had, and why.
    pub(crate) absent: Vec<String>,
}

pub(crate) fn run(depth: Depth) -> anyhow::Result<Servers> {
    let mut absent = Vec::new();
    eprintln!("servers: throughput");
    let contests = contest::run(depth, &mut absent)?;
    eprintln!("servers: latency at four fifths of the peak");
    let paced = paced::run(depth, &contests)?;
    eprintln!("servers: memory");
    let memory = memory::run(depth)?;
    Ok(Servers {
        contests,
        paced,
        memory,
        absent,
    })
}
