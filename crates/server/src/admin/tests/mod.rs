//! The admin API over a real catalog, with a node that decides by what is written.
// Proves: R10

mod approvals;
mod counters;
mod doors;
mod drafts;
mod editors;
mod held;
mod house;
mod lineage;
mod lists;
mod manual;
mod mistakes;
mod openapi;
mod overrides;
mod people;
mod real;
mod records;
mod revisions;
mod roles;
mod sockets;
mod tiers;
mod tokens;
mod two_people;
