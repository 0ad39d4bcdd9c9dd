//! Nodes follow a catalog in PostgreSQL.
// Proves: R7, R8, R9

mod entries;
mod listening;
mod outages;

crate::watch::watch!(postgres);
