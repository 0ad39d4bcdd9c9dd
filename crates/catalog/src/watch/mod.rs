//! Following the catalog.

mod hints;

pub(crate) use hints::Hints;
