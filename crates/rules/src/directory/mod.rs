//! What stands beside the rules: overrides, blocks, API keys and quotas, changed by the piece.

mod blocks;
mod overrides;
mod principals;
mod shards;
mod usage;

pub use blocks::Block;
pub use overrides::Directory;
pub(crate) use overrides::{Entry, Exceptions, Found};
pub use principals::{ApiKey, KeyCard, KeyDigest, KeyStanding, Quota, QuotaCard};
pub(crate) use principals::{OwnLimits, OwnLine};
pub(crate) use usage::Counted;
pub use usage::{Used, User};
