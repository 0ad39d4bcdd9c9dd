//! Why facts are refused.

use crate::normalise::{AddressError, IdentifierError, MethodError, PathError};

/// What is wrong with a query; the message names the fact.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// The path has no normal form.
    #[error("endpoint: {0}")]
    Endpoint(#[source] PathError),
    /// Not a method.
    #[error("method: {0}")]
    Method(#[source] MethodError),
    /// Not an address.
    #[error("ip: {0}")]
    Ip(#[source] AddressError),
    /// Not an identifier.
    #[error("{fact}: {error}")]
    Identifier {
        /// Which fact.
        fact: String,
        /// What is wrong with it.
        #[source]
        error: IdentifierError,
    },
    /// More attributes than [`crate::Query::ATTRIBUTES_MAX`].
    #[error("more than {max} attributes")]
    TooManyAttributes {
        /// How many are allowed.
        max: usize,
    },
    /// An attribute that is there twice.
    #[error("attribute {name:?} is given twice")]
    AttributeTwice {
        /// Which.
        name: String,
    },
}
