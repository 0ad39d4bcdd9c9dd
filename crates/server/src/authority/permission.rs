//! The table: which role may do what. `docs/reference/roles.md` prints it, and a test walks it.

use std::{fmt, str::FromStr};

/// What somebody wants to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Permission {
    /// Ask for a decision, or peek.
    Check,
    /// Read rules, keys, counters, metrics, the audit.
    Read,
    /// Read overrides.
    ReadOverrides,
    /// Give cost back, or make a counter fresh.
    Counters,
    /// Make or end an exception that ends by itself, within bounds.
    TemporaryOverrides,
    /// Make or end any exception.
    Overrides,
    /// Block somebody, or end that.
    Blocks,
    /// Write rules and tiers, go back to an earlier revision, settle proposals.
    Rules,
    /// Say what one user may do.
    Quotas,
    /// Issue, change and revoke API keys.
    ApiKeys,
    /// Issue and revoke tokens of the admin side.
    Tokens,
}

/// Who may do what. Whoever is not named may not.
const fn may(permission: Permission, role: Role) -> bool {
    use Role::{Admin, Automation, Operator, Viewer};
    match permission {
        Permission::Check | Permission::ReadOverrides => {
            matches!(role, Viewer | Operator | Admin | Automation)
        }
        Permission::Read => matches!(role, Viewer | Operator | Admin),
        Permission::Counters => matches!(role, Operator | Admin),
        Permission::TemporaryOverrides => matches!(role, Operator | Admin | Automation),
        Permission::Blocks => matches!(role, Operator | Admin),
        Permission::Overrides => matches!(role, Admin),
        Permission::Rules => matches!(role, Admin),
        Permission::Quotas => matches!(role, Admin),
        Permission::ApiKeys => matches!(role, Admin),
        Permission::Tokens => matches!(role, Admin),
    }
}

impl Role {
    /// Whether this role may do it.
    pub(crate) const fn may(self, wanted: Permission) -> bool {
        may(wanted, self)
    }
}

impl Permission {
    /// Every permission, in the order of the manual.
    pub(crate) const ALL: [Self; 11] = [
        Self::Check,
        Self::Read,
        Self::ReadOverrides,
        Self::Counters,
        Self::TemporaryOverrides,
        Self::Overrides,
        Self::Blocks,
        Self::Rules,
        Self::Quotas,
        Self::ApiKeys,
        Self::Tokens,
    ];

    /// As it is stored and shown.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Read => "read",
            Self::ReadOverrides => "read-overrides",
            Self::Counters => "counters",
            Self::TemporaryOverrides => "temporary-overrides",
            Self::Overrides => "overrides",
            Self::Blocks => "blocks",
            Self::Rules => "rules",
            Self::Quotas => "quotas",
            Self::ApiKeys => "api-keys",
            Self::Tokens => "tokens",
        }
    }

    /// Whether a token that is limited to this may do that: the whole holds its part.
    pub(super) fn covers(self, wanted: Self) -> bool {
        self == wanted
            || matches!(
                (self, wanted),
                (Self::Read, Self::ReadOverrides) | (Self::Overrides, Self::TemporaryOverrides)
            )
    }
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A word that names no permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "is no scope: some of read, read-overrides, counters, temporary-overrides, overrides, blocks, rules, \
     quotas, api-keys and tokens"
)]
pub(crate) struct NoPermission;

impl FromStr for Permission {
    type Err = NoPermission;

    fn from_str(text: &str) -> Result<Self, NoPermission> {
        let mut all = Self::ALL.into_iter();
        all.find(|known| known.word() == text).ok_or(NoPermission)
    }
}

/// What somebody is to the server; the table of permissions says what that allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    /// Looks, and changes nothing.
    Viewer,
    /// Helps for a while: raises, blocks, resets.
    Operator,
    /// May do everything.
    Admin,
    /// A program that grants exceptions for a while, and nothing else.
    Automation,
}

impl Role {
    /// Every role.
    pub(crate) const ALL: [Self; 4] = [Self::Viewer, Self::Operator, Self::Admin, Self::Automation];

    /// As it is stored and shown.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Operator => "operator",
            Self::Admin => "admin",
            Self::Automation => "automation",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A word that names no role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is no role: one of viewer, operator, admin and automation")]
pub(crate) struct NoRole;

impl FromStr for Role {
    type Err = NoRole;

    fn from_str(text: &str) -> Result<Self, NoRole> {
        let mut all = Self::ALL.into_iter();
        all.find(|role| role.word() == text).ok_or(NoRole)
    }
}
