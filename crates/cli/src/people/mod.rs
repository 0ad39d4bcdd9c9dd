//! `tollgate api-keys | quotas | block | unblock | blocks | tokens | audit`: all over the admin API of a running server.

mod api_keys;
mod audit;
mod blocks;
mod body;
mod limits;
mod quotas;
mod table;
mod tokens;

pub(crate) use api_keys::ApiKeysCommand;
pub(crate) use audit::Audit;
pub(crate) use blocks::{Block, Blocks, Unblock};
pub(crate) use quotas::QuotasCommand;
pub(crate) use tokens::TokensCommand;
