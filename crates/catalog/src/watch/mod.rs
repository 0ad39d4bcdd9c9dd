//! Following the catalog: every node runs one watcher.
//!
//! A notification is a hint; the number of the revision is the truth; a poll is the safety net. After
//! every reconnect everything is asked for again. What is in force never goes back, whatever the
//! database says.

mod backoff;
mod hints;
mod live;
mod people;
mod publish;
mod settings;
mod start;
mod status;
mod sync;
mod watcher;

pub(crate) use hints::Hints;
pub use live::LivePublisher;
pub use publish::{EntryDelta, Publish, Refused};
pub use settings::WatchSettings;
pub use start::NoSnapshot;
pub use status::{InForce, Origin, Trouble, WatchStatus};
pub use watcher::Watcher;
