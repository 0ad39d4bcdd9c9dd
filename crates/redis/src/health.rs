//! How the shards are.

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
