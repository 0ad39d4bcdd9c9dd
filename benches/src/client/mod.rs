//! What limits cost the program they are put into: a layer in its way, a call to a server, a server that is gone.

mod gone;
mod lane;
mod layer;
mod remote;

pub(crate) use gone::Gone;
pub(crate) use layer::Layered;
pub(crate) use remote::Remote;

use crate::depth::Depth;

/// Everything measured about callers.
#[derive(Debug)]
pub(crate) struct Callers {
    pub(crate) layers: Vec<Layered>,
    pub(crate) remote: Vec<Remote>,
    pub(crate) gone: Vec<Gone>,
}

pub(crate) fn run(depth: Depth) -> anyhow::Result<Callers> {
    eprintln!("client: layers");
    let layers = layer::run(depth);
    eprintln!("client: the server gone");
    let gone = gone::run(depth)?;
    // Last, since from then on this thread keeps to one core.
    eprintln!("client: a server over loopback");
    let remote = remote::run(depth)?;
    Ok(Callers {
        layers,
        remote,
        gone,
    })
}
