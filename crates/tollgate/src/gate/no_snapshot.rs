//! Why nothing can be decided.

/// No rules were ever published, so nothing can be decided.
///
/// ```
/// assert!(tollgate::NoSnapshot.to_string().starts_with("no rules are loaded"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSnapshot;

impl std::fmt::Display for NoSnapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("no rules are loaded: neither the database nor a last-good snapshot gave any")
    }
}

impl std::error::Error for NoSnapshot {}
