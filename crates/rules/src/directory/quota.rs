//! What one user may do.

use std::sync::Arc;

use tollgate_core::LimitSet;

/// What is agreed with one user.
///
/// ```
/// use tollgate_rules::Quota;
///
/// let mut quota = Quota::new("alice".into());
/// quota.tier = Some("premium".into());
/// assert_eq!(&*quota.user, "alice");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Quota {
    /// Who.
    pub user: Arc<str>,
    /// The tier of its requests that state none.
    pub tier: Option<Arc<str>>,
    /// What counts for it in the place of its tier's default limits.
    pub limits: Option<LimitSet>,
}

impl Quota {
    /// Nothing in particular.
    pub const fn new(user: Arc<str>) -> Self {
        Self {
            user,
            tier: None,
            limits: None,
        }
    }
}
