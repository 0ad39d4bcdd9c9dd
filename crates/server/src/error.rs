//! Why a server does not start.

use std::{io, path::PathBuf};

use tollgate_catalog::{CatalogError, DatabaseUrl};

use crate::{
    data::DataError,
    engine::RedisError,
    identity::{JwtKeysError, KeySecretError},
    listen::BindError,
    rules::RulesFileError,
    tls::TlsError,
};

/// Why a server does not start: one message, with what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// A port cannot be had.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The data folder cannot be used.
    #[error(transparent)]
    Data(#[from] DataError),
    /// There is no secret to hash API keys with.
    #[error(transparent)]
    KeySecret(#[from] KeySecretError),
    /// Tokens cannot be verified.
    #[error(transparent)]
    Jwt(#[from] JwtKeysError),
    /// A certificate or a key cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The rules file cannot be used.
    #[error(transparent)]
    Rules(#[from] RulesFileError),
    /// The database cannot be used, and waiting would not help.
    #[error("cannot use the rule database {url}: {source}")]
    Catalog {
        /// Which.
        url: DatabaseUrl,
        /// Why.
        source: CatalogError,
    },
    /// Counters cannot be shared as asked.
    #[error(transparent)]
    Redis(#[from] RedisError),
    /// The counters of the last run cannot be read or put aside.
    #[error(
        "cannot read the counters in {}: {source}; make the file readable, or move it away to start without",
        .path.display()
    )]
    Counters {
        /// In which folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}
