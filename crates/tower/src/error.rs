//! Why there is no layer.

use tollgate::LimitError;
use tollgate_wire::forwarded::ProxiesError;

/// Why a layer cannot be made. None is made while requests are served: see [`crate::Counts`].
///
/// ```
/// use tollgate_tower::TollgateLayer;
///
/// let error = TollgateLayer::embedded("100 per minute").unwrap_err();
/// assert!(error.to_string().starts_with("limits: "), "{error}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A text that is no limit.
    #[error("limits: {0}")]
    Limits(#[from] LimitError),
    /// Networks that cannot be those of proxies.
    #[error("proxies: {0}")]
    Proxies(#[from] ProxiesError),
    /// A pattern of paths that is none, or has no such parameter.
    #[error("path pattern `{pattern}`: {problem}; write for example /users/{{id}}/**")]
    PathPattern {
        /// What was given.
        pattern: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A name under which no policy can be shown.
    #[error("policy name `{0}`: write 1 to 128 letters, digits and any of - _ . : /")]
    Name(String),
    /// An address of a server that cannot be one.
    #[error("{0}")]
    Server(String),
    /// A key that verifies no token.
    #[error("key of tokens: {0}")]
    TokenKey(String),
}
