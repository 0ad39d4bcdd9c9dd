//! What rules cost: looking them up, compiling them, a million overrides beside them, news of them.

mod limitador;
mod lookup;
mod memory;
mod nodes;
mod overrides;
mod propagation;
mod sets;

pub(crate) use lookup::{Lookup, median};
pub(crate) use memory::child as snapshots_child;
pub(crate) use nodes::{Nodes, Spread, on_postgres};
pub(crate) use overrides::{Overrides, child as overrides_child};
pub(crate) use sets::{Asked, rule_set};

use crate::depth::Depth;

/// Everything measured about rules.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) lookups: Vec<Lookup>,
    /// What a snapshot of the smallest set takes.
    pub(crate) snapshot_bytes: f64,
    pub(crate) overrides: Overrides,
    /// Absent in a quick look.
    pub(crate) propagation: Option<Spread>,
}

pub(crate) fn run(depth: Depth) -> anyhow::Result<Rules> {
    eprintln!("rules: lookup");
    let lookups = lookup::run(depth);
    eprintln!("rules: memory");
    let snapshot_bytes = memory::snapshot_bytes(200)?;
    eprintln!("rules: overrides");
    let overrides = overrides::run(depth)?;
    eprintln!("rules: propagation");
    let propagation = match depth {
        Depth::Quick => None,
        Depth::Full => Some(propagation::run()?),
    };
    Ok(Rules {
        lookups,
        snapshot_bytes,
        overrides,
        propagation,
    })
}
