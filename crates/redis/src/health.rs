//! How the shards are.

use tollgate_core::Timestamp;

/// How Redis and the way to it are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// What Redis turned out to be.
    pub layout: Layout,
    /// Every primary, by name.
    pub shards: Vec<ShardHealth>,
    /// Nodes of the fleet that are alive, this one included, as last heard.
    pub live_nodes: u32,
    /// What the operator should look at.
    pub findings: Vec<Finding>,
}

/// What Redis is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// Nobody has answered yet.
    Unknown,
    /// One server.
    Single,
    /// A Cluster.
    Cluster,
}

/// How one shard is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardHealth {
    /// `host:port` of its primary.
    pub name: String,
    /// Whether it is asked.
    pub standing: Standing,
    /// What was wrong the last time, in words.
    pub trouble: Option<String>,
    /// What may be lost of its counters.
    pub doubt: Option<Doubt>,
}

/// What a server may have lost, and some process that may have spent it has not told again. Counters that are not there
/// are in doubt meanwhile, and policies answer for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// The last moment at which it may have been spent, by the server's time.
    pub since: Timestamp,
    /// When it cannot count any more under any limit in use, by the server's time. Under shorter limits that is sooner,
    /// and once all have told it is over.
    pub until: Timestamp,
    /// Processes that have not told, or do not know all that they have spent.
    pub awaited: u32,
}

/// Whether a shard is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
    /// It is.
    Up,
    /// Not at present: policies answer for its keys.
    Down,
    /// For this share of its keys, in percent, and more soon.
    Returning(u8),
}

/// Something about Redis that an operator should know, with the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Which server.
    pub shard: String,
    /// What, and what to do about it.
    pub text: String,
}
