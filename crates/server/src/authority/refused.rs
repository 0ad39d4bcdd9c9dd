//! Why a caller is turned away.

use super::{Permission, Role};

/// Why a caller is turned away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refused {
    /// Nothing was shown where a token is asked for.
    #[error("a token is needed here: send `Authorization: Bearer TOKEN` (RESP: AUTH TOKEN)")]
    Missing,
    /// Something was shown that is no token of ours.
    #[error(
        "the token is not one that this server knows: check that all of it was sent, or have one issued \
         with `tollgate tokens create`"
    )]
    Wrong,
    /// It was one of ours, and has ended.
    #[error("the token has expired: have another issued with `tollgate tokens create`")]
    Expired,
    /// It was one of ours, and was revoked.
    #[error("the token was revoked: have another issued with `tollgate tokens create`")]
    Revoked,
    /// None would do, since the server has none.
    #[error(
        "this is refused on a listener that others can reach: start the server with a token, or ask \
         clients for certificates"
    )]
    NotConfigured,
    /// It is known who it is, and that is not enough.
    #[error("the role {role} does not allow it: {wanted} is needed, which {} has", Who(*.wanted))]
    WrongRole {
        /// What they are.
        role: Role,
        /// What they would need.
        wanted: Permission,
    },
    /// The role would do, and the token is limited to less.
    #[error("the token is limited to less than its role: it lacks the scope {wanted}")]
    OutOfScope {
        /// What it would need.
        wanted: Permission,
    },
}

impl Refused {
    /// Whether another token would do: 401, and otherwise 403.
    pub(crate) const fn is_of_token(self) -> bool {
        matches!(
            self,
            Self::Missing | Self::Wrong | Self::Expired | Self::Revoked
        )
    }

    /// As HTTP has it.
    pub(crate) const fn status(self) -> u16 {
        if self.is_of_token() { 401 } else { 403 }
    }

    /// In a word, for programs.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Wrong => "wrong",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
            Self::NotConfigured => "not-configured",
            Self::WrongRole { .. } => "wrong-role",
            Self::OutOfScope { .. } => "wrong-scope",
        }
    }
}

/// The roles that have a permission, in words.
struct Who(Permission);

impl std::fmt::Display for Who {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let roles = Role::ALL.into_iter().filter(|role| role.may(self.0));
        let words: Vec<&str> = roles.map(Role::word).collect();
        f.write_str(&words.join(" or "))
    }
}
