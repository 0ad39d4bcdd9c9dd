//! What somebody is to the server.

use std::{fmt, str::FromStr};

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
