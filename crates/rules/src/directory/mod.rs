//! What stands beside the rules: overrides, blocks, API keys and quotas, changed by the piece.

mod api_key;
mod blocks;
mod card;
mod entry;
mod exceptions;
mod live;
mod people;
mod quota;
mod shards;
mod usage;

pub use api_key::{ApiKey, KeyDigest};
pub use blocks::Block;
pub use card::{KeyCard, KeyStanding, QuotaCard};
pub(crate) use card::{OwnLimits, OwnLine};
pub(crate) use entry::Entry;
pub(crate) use exceptions::{Exceptions, Found};
pub use live::Directory;
pub use quota::Quota;
pub(crate) use usage::Counted;
pub use usage::{Used, User};
