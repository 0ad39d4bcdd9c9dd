//! Whether somebody may do something.

use std::{net::SocketAddr, sync::Arc};

use tollgate_catalog::{EntryDelta, Lineage};
use tollgate_core::{Clock as _, SystemClock};

use super::{Actor, Permission, Proof, Role, Token, tokens::Tokens};
use crate::{config::AdminAuth, identity::secret::token_digest, record::Record};

/// Says what a caller may do, and puts on record who was turned away.
#[derive(Clone, Debug)]
pub(crate) struct Authority {
    token: Option<Token>,
    auth: AdminAuth,
    tokens: Arc<Tokens>,
    record: Record,
}

impl Authority {
    /// With the token that opens everything, if there is one.
    pub(crate) fn new(token: Option<Token>) -> Self {
        Self { token, auth: AdminAuth::Auto, tokens: Arc::default(), record: Record::new() }
    }

    /// Which asks for tokens like this.
    #[must_use]
    pub(crate) const fn asking(mut self, auth: AdminAuth) -> Self {
        self.auth = auth;
        self
    }

    /// Whether the admin side asks for a token on this machine, too.
    pub(crate) const fn auth(&self) -> AdminAuth {
        self.auth
    }

    /// What is put on record.
    pub(crate) const fn record(&self) -> &Record {
        &self.record
    }

    /// Takes a page of what changed among the entries of the catalog: of these, the tokens.
    pub(crate) fn take(&self, delta: &EntryDelta) {
        self.tokens.take(delta);
    }

    /// Whether the caller is somebody we know: on this machine, with a certificate, or with a token of ours. Such a one may
    /// say whom it asks for.
    pub(crate) fn knows(&self, caller: Caller<'_>) -> bool {
        caller.is_near() || caller.token.is_some_and(|shown| self.shown(shown).is_ok())
    }

    /// Whose token it is that is shown, whatever it is good for.
    pub(crate) fn shows(&self, caller: Caller<'_>) -> Result<Actor, Refused> {
        let shown = caller.token.ok_or_else(|| self.missing())?;
        let actor = self.shown(shown);
        actor.map_err(|refused| self.told(caller, refused))
    }

    /// Who it is, if they may do it. A token that is shown decides, also on this machine.
    pub(crate) fn allows(&self, caller: Caller<'_>, wanted: Permission) -> Result<Actor, Refused> {
        if wanted == Permission::Check {
            return Ok(self.somebody(caller));
        }
        let actor = match (caller.token, caller.name) {
            (Some(_), _) => self.shows(caller)?,
            (None, Some(name)) => self.near(wanted, || Actor::certified(name))?,
            (None, None) if caller.is_near() => self.near(wanted, Actor::loopback)?,
            (None, None) => return Err(self.missing()),
        };
        actor.may(wanted)?;
        Ok(actor)
    }

    /// What to call them in the audit, and their role, whether they may do it or not.
    pub(crate) fn named(&self, caller: Caller<'_>) -> (Arc<str>, Option<Role>) {
        let known = |actor: Actor| (actor.name, Some(actor.role));
        match (caller.token, caller.name) {
            (Some(shown), _) if self.is_configured(shown) => known(Actor::configured()),
            (Some(shown), _) => match self.tokens.find(&token_digest(shown)) {
                Some(card) => (Arc::clone(card.name()), card.role()),
                None => ("unknown".into(), None),
            },
            (None, Some(name)) => known(Actor::certified(name)),
            (None, None) if caller.is_near() => (Actor::loopback().name, None),
            (None, None) => ("unknown".into(), None),
        }
    }

    /// Whoever may ask, since everybody may.
    fn somebody(&self, caller: Caller<'_>) -> Actor {
        Actor {
            name: self.named(caller).0,
            role: Role::Viewer,
            scopes: Some(Arc::from([])),
            proof: Proof::Loopback,
            line: Lineage::unknown(),
            issued_at: None,
        }
    }

    /// Our neighbours need no token while the server was started without one; to give back what they took, never.
    fn near(&self, wanted: Permission, actor: impl FnOnce() -> Actor) -> Result<Actor, Refused> {
        if self.token.is_none() || wanted == Permission::Counters {
            return Ok(actor());
        }
        Err(Refused::Missing)
    }

    fn missing(&self) -> Refused {
        let could_be_shown =
            self.token.is_some() || self.auth == AdminAuth::Required || !self.tokens.is_empty();
        if could_be_shown { Refused::Missing } else { Refused::NotConfigured }
    }

    fn is_configured(&self, shown: &str) -> bool {
        self.token.as_ref().is_some_and(|token| token.is(shown))
    }

    /// Who shows it.
    fn shown(&self, shown: &str) -> Result<Actor, Refused> {
        if self.is_configured(shown) {
            return Ok(Actor::configured());
        }
        let card = self.tokens.find(&token_digest(shown));
        match card {
            Some(card) => card.actor(SystemClock.now().wall),
            None => Err(Refused::Wrong),
        }
    }

    /// From afar, where there is nothing that could have been shown, no other token would do.
    fn told(&self, caller: Caller<'_>, refused: Refused) -> Refused {
        if caller.is_near() {
            refused
        } else {
            match self.missing() {
                Refused::NotConfigured => Refused::NotConfigured,
                _ => refused,
            }
        }
    }
}

/// What a caller presents.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller<'a> {
    /// The listener that it came through can be reached from this machine only.
    pub(crate) door: Door,
    /// The token that it showed, without `Bearer`.
    pub(crate) token: Option<&'a str>,
    /// What its certificate calls it, if it showed one that is signed by whom the listener believes.
    pub(crate) name: Option<&'a str>,
}

impl Caller<'_> {
    /// Whether it is one of us: on this machine, or with a certificate from whom we believe. Refund and
    /// reset come from the service itself, so its neighbours need no token for that; without a token
    /// they need none for anything.
    pub(super) const fn is_near(&self) -> bool {
        matches!(self.door, Door::Loopback) || self.name.is_some()
    }
}

/// Where a listener can be reached from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Door {
    /// This machine only.
    Loopback,
    /// Anywhere.
    Open,
}

impl Door {
    /// Of a listener at this address.
    pub(crate) const fn of(address: SocketAddr) -> Self {
        if address.ip().is_loopback() { Self::Loopback } else { Self::Open }
    }
}

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
        matches!(self, Self::Missing | Self::Wrong | Self::Expired | Self::Revoked)
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
