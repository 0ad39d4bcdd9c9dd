//! Everything one run found out. What was not asked for is absent.

use crate::{
    bytes::Growth,
    checks::Grid,
    client::Callers,
    depth::Depth,
    identity::Identity,
    instructions::Count,
    machine::Machine,
    redis::{Leases, Redis},
    rules::Rules,
    servers::Servers,
};

#[derive(Debug)]
pub(crate) struct Findings {
    pub(crate) depth: Depth,
    pub(crate) machine: Machine,
    pub(crate) checks: Option<Grid>,
    pub(crate) bytes: Option<Vec<Growth>>,
    /// `Some(None)` if valgrind is not installed.
    pub(crate) instructions: Option<Option<Vec<Count>>>,
    pub(crate) rules: Option<Rules>,
    pub(crate) servers: Option<Servers>,
    pub(crate) redis: Option<Redis>,
    pub(crate) leases: Option<Leases>,
    pub(crate) identity: Option<Identity>,
    pub(crate) client: Option<Callers>,
}
