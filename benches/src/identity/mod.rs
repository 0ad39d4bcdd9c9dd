//! What it costs to know who asks.

mod keys;
mod revocation;

pub(crate) use keys::{Keys, child as keys_child};

use crate::{
    depth::Depth,
    rules::Spread,
    servers::{self, Identified},
};

/// Everything measured about identity.
#[derive(Debug)]
pub(crate) struct Identity {
    /// Over HTTP, beside a check whose facts are stated.
    pub(crate) served: Vec<Identified>,
    pub(crate) keys: Keys,
    /// Absent in a quick look.
    pub(crate) revocation: Option<Spread>,
}

pub(crate) fn run(depth: Depth) -> anyhow::Result<Identity> {
    eprintln!("identity: over HTTP");
    let served = servers::identified(depth)?;
    eprintln!("identity: API keys in memory");
    let keys = keys::run(depth)?;
    eprintln!("identity: revocation");
    let revocation = match depth {
        Depth::Quick => None,
        Depth::Full => Some(revocation::run()?),
    };
    Ok(Identity {
        served,
        keys,
        revocation,
    })
}
