//! How a watcher behaves.

use std::{path::PathBuf, time::Duration};

use crate::NodeId;

/// How a watcher behaves.
///
/// ```
/// use std::time::Duration;
/// use tollgate_catalog::{NodeId, WatchSettings};
///
/// let settings = WatchSettings::new(NodeId::new("gate-1")).poll(Duration::from_secs(10)).data("data");
/// assert_eq!(settings.node().as_str(), "gate-1");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchSettings {
    pub(super) node: NodeId,
    pub(super) poll: Duration,
    pub(super) heartbeat: Duration,
    pub(super) data: Option<PathBuf>,
}

impl WatchSettings {
    /// How often the database is asked although nothing was heard.
    pub const POLL: Duration = Duration::from_secs(30);
    /// How often a node says that it is alive.
    pub const HEARTBEAT: Duration = Duration::from_secs(5);

    /// For a node of this name, without a folder.
    pub const fn new(node: NodeId) -> Self {
        Self { node, poll: Self::POLL, heartbeat: Self::HEARTBEAT, data: None }
    }

    /// With another poll; at least a millisecond.
    #[must_use]
    pub fn poll(mut self, poll: Duration) -> Self {
        self.poll = poll.max(Duration::from_millis(1));
        self
    }

    /// With another heartbeat; at least a millisecond.
    #[must_use]
    pub fn heartbeat(mut self, heartbeat: Duration) -> Self {
        self.heartbeat = heartbeat.max(Duration::from_millis(1));
        self
    }

    /// With a folder for the last good copy.
    #[must_use]
    pub fn data(mut self, folder: impl Into<PathBuf>) -> Self {
        self.data = Some(folder.into());
        self
    }

    /// The node.
    pub const fn node(&self) -> &NodeId {
        &self.node
    }
}
