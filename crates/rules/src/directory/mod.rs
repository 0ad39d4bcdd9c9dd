//! What stands beside the rules: overrides and blocks, changed by the piece.

mod api_key;
mod blocks;
mod card;
mod entry;
mod exceptions;
mod live;
mod people;
mod quota;

pub use api_key::{ApiKey, KeyDigest};
pub use blocks::Block;
pub use card::{KeyCard, QuotaCard};
pub(crate) use entry::Entry;
pub(crate) use exceptions::{Exceptions, Found};
pub use live::Directory;
pub use quota::Quota;
