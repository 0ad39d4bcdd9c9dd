//! Who it is, once that is known.

use std::sync::Arc;

use tollgate_catalog::{Issuer, Lineage};
use tollgate_core::Timestamp;

use super::{Permission, Refused, Role};
use crate::first_token;

/// What the audit calls the token that the server was started with.
pub(super) const CONFIGURED: &str = "token";

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
    /// The line of issue of what they show, which ends with that.
    pub(crate) line: Lineage,
    /// When their token was issued, if it was.
    pub(crate) issued_at: Option<Timestamp>,
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

/// What the audit calls those that have no token of their own, and what the server does by itself.
const RESERVED: [&str; 7] =
    ["loopback", "token", "unknown", "rules-file", "server", "admin-api", first_token::NAME];

impl Actor {
    /// Whether a name stands for somebody else in the audit, so that no token and no author may take it.
    pub(crate) fn is_reserved(name: &str) -> bool {
        let name = name.trim();
        RESERVED.iter().any(|taken| taken.eq_ignore_ascii_case(name))
    }

    /// Somebody on this machine, which nobody has to prove.
    pub(super) fn loopback() -> Self {
        Self::admin("loopback", Proof::Loopback, Issuer::Loopback)
    }

    /// Whoever has the token that the server was started with.
    pub(super) fn configured() -> Self {
        Self::admin(CONFIGURED, Proof::Configured, Issuer::Start)
    }

    /// Whoever a certificate names.
    pub(super) fn certified(name: &str) -> Self {
        Self::admin(name, Proof::Certificate, Issuer::Certificate(name.into()))
    }

    fn admin(name: &str, proof: Proof, root: Issuer) -> Self {
        Self {
            name: name.into(),
            role: Role::Admin,
            scopes: None,
            proof,
            line: Lineage::root(root),
            issued_at: None,
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

    /// Whether they may give somebody else this role, limited to these scopes: nobody gives away more than they have.
    pub(crate) fn may_grant(
        &self,
        role: Role,
        scopes: Option<&[Permission]>,
    ) -> Result<(), Permission> {
        let is_given = |wanted: &Permission| {
            let in_scope = |scopes: &[Permission]| scopes.iter().any(|scope| scope.covers(*wanted));
            role.may(*wanted) && scopes.is_none_or(in_scope)
        };
        let mut given = Permission::ALL.into_iter().filter(is_given);
        match given.find(|wanted| self.may(*wanted).is_err()) {
            Some(lacking) => Err(lacking),
            None => Ok(()),
        }
    }
}
