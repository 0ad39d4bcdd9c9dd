//! The last good copy on disk: what a node decides by when it starts without the database.

mod copy;
mod entries;
mod error;
mod frames;
mod overrides;
mod row;
mod rules;

pub use copy::LastGood;
pub use error::LastGoodError;
pub(crate) use overrides::Loaded;
