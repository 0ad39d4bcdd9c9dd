//! What rules cost: looking them up, compiling them, a million overrides beside them.

mod lookup;
mod overrides;
mod sets;

pub(crate) use lookup::Lookup;
pub(crate) use overrides::{Overrides, child as overrides_child};

use crate::depth::Depth;

/// Everything measured about rules.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) lookups: Vec<Lookup>,
    pub(crate) overrides: Overrides,
}

pub(crate) fn run(depth: Depth) -> anyhow::Result<Rules> {
    Ok(Rules {
        lookups: lookup::run(depth),
        overrides: overrides::run(depth)?,
    })
}
