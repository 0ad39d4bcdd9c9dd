//! Who it is, once that is known.

use std::sync::Arc;

use super::{Permission, Refused, Role};

/// Somebody who is known, and what they may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Actor {
    /// What the audit calls them.
    pub(crate) name: Arc<str>,
    /// What they are to the server.
    pub(crate) role: Role,
    /// What they may do of what their role may; none is all of it.
    pub(crate) scopes: Option<Arc<[Permission]>>,
    /// How they are known.
    pub(crate) proof: Proof,
}

/// How somebody is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    /// They are on this machine.
    Loopback,
    /// By the token that the server was started with, which several may share.
    Configured,
    /// By a token that was issued to them.
    Issued,
    /// By their certificate.
    Certificate,
}

impl Proof {
    /// Whether it says who it is: what somebody says of themselves counts only where it does not.
    pub(crate) const fn is_personal(self) -> bool {
        matches!(self, Self::Issued | Self::Certificate)
    }
}

impl Actor {
    /// Somebody on this machine, which nobody has to prove.
    pub(super) fn loopback() -> Self {
        Self::admin("loopback", Proof::Loopback)
    }

    /// Whoever has the token that the server was started with.
    pub(super) fn configured() -> Self {
        Self::admin("token", Proof::Configured)
    }

    /// Whoever a certificate names.
    pub(super) fn certified(name: &str) -> Self {
        Self::admin(name, Proof::Certificate)
    }

    fn admin(name: &str, proof: Proof) -> Self {
        Self {
            name: name.into(),
            role: Role::Admin,
            scopes: None,
            proof,
        }
    }

    /// Whether they may do it; otherwise why not.
    pub(crate) fn may(&self, wanted: Permission) -> Result<(), Refused> {
        let role = self.role;
        if !role.may(wanted) {
            return Err(Refused::WrongRole { role, wanted });
        }
        let covers = |scope: &Permission| scope.covers(wanted);
        match &self.scopes {
            Some(scopes) if wanted != Permission::Check && !scopes.iter().any(covers) => {
                Err(Refused::OutOfScope { wanted })
            }
            _ => Ok(()),
        }
    }
}
