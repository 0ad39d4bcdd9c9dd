//! Whom to believe, and what to show.

/// Certificates and keys, as they were given.
#[derive(Clone, Default)]
pub(crate) struct Papers {
    /// PEM of those whose certificates are believed; the machine's own unless given.
    pub(crate) roots: Option<Vec<u8>>,
    /// PEM of a certificate with its chain, and of its key.
    pub(crate) identity: Option<(Vec<u8>, Vec<u8>)>,
}
