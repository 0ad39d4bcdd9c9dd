//! Who asks, from what was shown and stated.

use std::{fmt, sync::Arc};

use tollgate_core::{Clock as _, Timestamp};
use tollgate_rules::{KeyCard, KeyStanding, Query, QueryError};

use super::{
    jwt::{Facts, TokenFlaw, Verifier},
    refused::{Fact, KeyFlaw, Refused, Source},
    secret::{KeyHasher, Kind, Secret},
};
use crate::{TrustedCallers, TrustedProxies, config, config::ApiKeys, engine::Engine};

/// Finds out who asks. It never waits: all that it needs is in memory.
pub(crate) struct Identifier {
    engine: Arc<Engine>,
    hasher: Arc<KeyHasher>,
    verifier: Option<Arc<Verifier>>,
    api_keys: ApiKeys,
    /// In which clients of gateways show theirs.
    pub(crate) api_key_header: Box<str>,
    pub(super) callers: TrustedCallers,
}

/// What a question shows and states of whoever asks.
#[derive(Clone, Copy, Default)]
pub(crate) struct Stated<'a> {
    pub(crate) token: Option<&'a str>,
    pub(crate) api_key: Option<&'a str>,
    pub(crate) user: Option<&'a str>,
    pub(crate) org: Option<&'a str>,
    pub(crate) tier: Option<&'a str>,
}

/// What was proven of whoever asks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Identity {
    token: Option<Arc<Facts>>,
    key: Option<Arc<KeyCard>>,
}

impl Identifier {
    pub(crate) fn new(
        engine: &Arc<Engine>,
        hasher: &Arc<KeyHasher>,
        verifier: Option<Arc<Verifier>>,
        settings: &config::Identity,
    ) -> Self {
        Self {
            engine: Arc::clone(engine),
            hasher: Arc::clone(hasher),
            verifier,
            api_keys: settings.api_keys,
            api_key_header: settings.api_key_header.clone(),
            callers: settings.trusted_callers.clone(),
        }
    }

    /// Where no key was issued and no token is verified.
    pub(crate) fn plain(engine: &Arc<Engine>) -> Self {
        Self {
            engine: Arc::clone(engine),
            hasher: Arc::new(KeyHasher::new(b"")),
            verifier: None,
            api_keys: ApiKeys::Auto,
            api_key_header: "X-API-Key".into(),
            callers: TrustedCallers::In(TrustedProxies::none()),
        }
    }

    /// Whether tokens are verified here.
    pub(crate) const fn verifies(&self) -> bool {
        self.verifier.is_some()
    }

    /// Who asks, or why it is not believed. `may_state` is asked only where something is stated.
    #[inline]
    pub(crate) fn identify(
        &self,
        stated: &Stated<'_>,
        may_state: impl FnOnce() -> bool,
    ) -> Result<Identity, Refused> {
        if stated.is_nothing() {
            return Ok(Identity::default());
        }
        let identified = self.look(stated, may_state);
        if let Err(refused) = &identified {
            let recorder = self.engine.recorder();
            recorder.identity_refused(refused.reason());
        }
        identified
    }

    fn look(
        &self,
        stated: &Stated<'_>,
        may_state: impl FnOnce() -> bool,
    ) -> Result<Identity, Refused> {
        let token = given(stated.token);
        let token = token.map(|token| self.token(token)).transpose()?;
        let key = given(stated.api_key);
        let key = key.map(|key| self.key(key)).transpose()?.flatten();
        let identity = Identity { token, key };
        let facts = [
            (Fact::User, given(stated.user)),
            (Fact::Org, given(stated.org)),
            (Fact::Tier, given(stated.tier)),
        ];
        // Once, and only if somebody states something that nothing proves.
        let mut may_state = Some(may_state);
        for (fact, stated) in facts {
            let proven = identity.proven(fact)?;
            let Some(stated) = stated else { continue };
            if proven.is_some_and(|(proven, _)| proven == stated) {
                continue;
            }
            if let Some(may_state) = may_state.take()
                && !may_state()
            {
                return Err(Refused::NotTrusted(fact));
            }
            if let Some((_, source)) = proven {
                return Err(Refused::Contradiction(fact, source, Source::Stated));
            }
        }
        Ok(identity)
    }

    fn token(&self, token: &str) -> Result<Arc<Facts>, Refused> {
        let verifier = self.verifier.as_ref();
        let verified = verifier.map_or(Err(TokenFlaw::NotConfigured), |verifier| {
            verifier.verify(token, self.now())
        });
        verified.map_err(Refused::Token)
    }

    /// The key that was issued; none for the id of a key in somebody else's system.
    fn key(&self, shown: &str) -> Result<Option<Arc<KeyCard>>, Refused> {
        let directory = self.engine.live().directory();
        let is_ours = shown.starts_with(Kind::ApiKey.prefix())
            || match self.api_keys {
                ApiKeys::Issued => true,
                ApiKeys::Any => false,
                ApiKeys::Auto => directory.has_keys(),
            };
        if !is_ours {
            // Keys of ours are counted by their ids: nobody gets to be one of them by saying so.
            if is_id(shown) && directory.has_keys() {
                return Err(Refused::Key(KeyFlaw::Malformed));
            }
            return Ok(None);
        }
        if !Secret::is_sound(Kind::ApiKey, shown) {
            return Err(Refused::Key(KeyFlaw::Malformed));
        }
        let digest = self.hasher.digest(shown);
        let card = directory.key(&digest);
        let card = card.ok_or(Refused::Key(KeyFlaw::Unknown))?;
        match card.standing(&digest, self.now()) {
            KeyStanding::InForce => Ok(Some(card)),
            KeyStanding::Expired => Err(Refused::Key(KeyFlaw::Expired)),
            KeyStanding::Revoked => Err(Refused::Key(KeyFlaw::Revoked)),
        }
    }

    /// What a client of a gateway shows as its key, if keys of ours are looked at: others stand in the same
    /// header, and a client could write any of them.
    pub(crate) fn shown_key<'a>(&self, shown: Option<&'a str>) -> Option<&'a str> {
        shown.filter(|shown| {
            shown.starts_with(Kind::ApiKey.prefix())
                || match self.api_keys {
                    ApiKeys::Issued => true,
                    ApiKeys::Any => false,
                    ApiKeys::Auto => self.engine.live().directory().has_keys(),
                }
        })
    }

    fn now(&self) -> Timestamp {
        self.engine.time().now().wall
    }
}

impl Stated<'_> {
    /// Whether nothing is said of whoever asks.
    #[inline]
    const fn is_nothing(&self) -> bool {
        let shown = self.token.is_some() || self.api_key.is_some();
        !shown && self.user.is_none() && self.org.is_none() && self.tier.is_none()
    }
}

impl Identity {
    /// Puts what was proven in the place of what was stated, which is the same where both are.
    #[inline]
    pub(crate) fn fill<'q>(&'q self, query: &mut Query<'q>) -> Result<(), QueryError> {
        if let Some(card) = &self.key {
            let key = card.key();
            query.set_key(card);
            set(&key.user, |user| query.set_user(user))?;
            set(&key.org, |org| query.set_org(org))?;
            set(&key.tier, |tier| query.set_tier(tier))?;
        }
        if let Some(facts) = &self.token {
            query.set_user(&facts.user)?;
            set(&facts.org, |org| query.set_org(org))?;
            set(&facts.tier, |tier| query.set_tier(tier))?;
        }
        Ok(())
    }

    /// What the key is called, if one was shown that was issued here.
    pub(crate) fn key_id(&self) -> Option<&str> {
        self.key.as_ref().map(|card| &*card.key().id)
    }

    /// Whether anything was proven.
    pub(crate) const fn is_nobody(&self) -> bool {
        self.token.is_none() && self.key.is_none()
    }

    /// What was proven of this, and by what.
    fn proven(&self, fact: Fact) -> Result<Option<(&str, Source)>, Refused> {
        let by_token = self.token.as_ref().and_then(|facts| match fact {
            Fact::User => Some(&*facts.user),
            Fact::Org => facts.org.as_deref(),
            Fact::Tier => facts.tier.as_deref(),
        });
        let by_key = self.key.as_ref().and_then(|card| match fact {
            Fact::User => card.key().user.as_deref(),
            Fact::Org => card.key().org.as_deref(),
            Fact::Tier => card.key().tier.as_deref(),
        });
        match (by_token, by_key) {
            (Some(one), Some(other)) if one != other => {
                Err(Refused::Contradiction(fact, Source::Token, Source::ApiKey))
            }
            (Some(text), _) => Ok(Some((text, Source::Token))),
            (None, Some(text)) => Ok(Some((text, Source::ApiKey))),
            (None, None) => Ok(None),
        }
    }
}

fn set<'q>(
    text: &'q Option<Arc<str>>,
    set: impl FnOnce(&'q str) -> Result<(), QueryError>,
) -> Result<(), QueryError> {
    text.as_deref().map_or(Ok(()), set)
}

/// A text of blanks is none, as everywhere.
fn given(text: Option<&str>) -> Option<&str> {
    text.map(str::trim_ascii).filter(|text| !text.is_empty())
}

/// Whether it looks like the id of a key that was issued here.
fn is_id(text: &str) -> bool {
    let number = text.strip_prefix('k').unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

impl fmt::Debug for Identifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Identifier")
    }
}

/// Secrets may be among them.
impl fmt::Debug for Stated<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stated(…)")
    }
}
