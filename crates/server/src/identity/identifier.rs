//! Who asks, from what was shown and stated.

use std::{
    fmt,
    net::IpAddr,
    sync::{Arc, OnceLock},
};

use tollgate_core::{Clock as _, Timestamp};
use tollgate_rules::{KeyCard, KeyStanding, Query, QueryError, normalise};

use super::{
    jwt::{Facts, TokenFlaw, Verifier},
    refused::{Fact, KeyFlaw, Refused, Source},
    secret::{KeyHasher, Kind, Secret},
    trust::{Standing, Stranger},
};
use crate::{
    TrustedCallers, TrustedProxies, config, config::ApiKeys, engine::Engine, telemetry::Complaints,
};

/// Finds out who asks. It never waits: all that it needs is in memory.
pub(crate) struct Identifier {
    engine: Arc<Engine>,
    hasher: Arc<KeyHasher>,
    verifier: Option<Arc<Verifier>>,
    api_keys: ApiKeys,
    /// In which clients of gateways show theirs.
    pub(crate) api_key_header: Box<str>,
    pub(super) callers: TrustedCallers,
    /// When the log says next that callers are not trusted.
    distrust: Complaints,
}

/// What a question shows and states of whoever asks.
#[derive(Clone, Copy, Default)]
pub(crate) struct Stated<'a> {
    pub(crate) token: Option<&'a str>,
    pub(crate) api_key: Option<&'a str>,
    /// Who says that this is the key.
    pub(crate) key_source: KeySource,
    pub(crate) user: Option<&'a str>,
    pub(crate) org: Option<&'a str>,
    pub(crate) tier: Option<&'a str>,
    /// Not of Envoy: its callers ask for clients at other addresses.
    pub(crate) ip: Option<&'a str>,
}

/// Who says what an API key is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum KeySource {
    /// The caller.
    #[default]
    Caller,
    /// A client of the caller, in a header that the caller hands on: the client can write anything.
    Client,
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
            distrust: Complaints::once_a_minute(),
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
            distrust: Complaints::once_a_minute(),
        }
    }

    /// As [`Identifier::plain`], for keys that were issued with this hash.
    #[cfg(test)]
    pub(crate) fn hashing(mut self, hasher: &Arc<KeyHasher>) -> Self {
        self.hasher = Arc::clone(hasher);
        self
    }

    /// Whether tokens are verified here.
    pub(crate) const fn verifies(&self) -> bool {
        self.verifier.is_some()
    }

    /// Who asks, or why it is not believed.
    #[inline]
    pub(crate) fn identify(
        &self,
        stated: &Stated<'_>,
        standing: Standing,
    ) -> Result<Identity, Refused> {
        if stated.is_nothing() {
            return Ok(Identity { address: standing.own_address(), ..Identity::default() });
        }
        let identified = self.look(stated, standing);
        if let Err(refused) = &identified {
            let recorder = self.engine.recorder();
            recorder.identity_refused(refused.reason());
            if let (Refused::NotTrusted(fact, _), Standing::Stranger(stranger)) =
                (refused, standing)
            {
                self.distrusted(*fact, stranger);
            }
        }
        identified
    }

    /// Tells the operator: the caller may take the refusal for a yes, and nothing is limited.
    fn distrusted(&self, fact: Fact, stranger: Stranger) {
        let now = self.engine.time().now().steady;
        let Some(left_out) = self.distrust.may_tell_at(now) else {
            return;
        };
        let peer = stranger.peer.map(|peer| peer.to_string());
        tracing::warn!(
            caller = peer.as_deref().unwrap_or("unknown"),
            field = fact.name(),
            left_out,
            "A caller is refused with 403: it is not trusted to state user, organisation, tier or address of a request; {}",
            stranger.why.remedy()
        );
    }

    /// Who would be asking, for an operator who wants to know: nothing is counted.
    pub(crate) fn examine(&self, stated: &Stated<'_>) -> Result<Identity, Refused> {
        self.look(stated, Standing::Trusted)
    }

    fn look(&self, stated: &Stated<'_>, standing: Standing) -> Result<Identity, Refused> {
        let token = given(stated.token);
        let token = token.map(|token| self.token(token)).transpose()?;
        let key = given(stated.api_key);
        let key = key.map(|key| self.key(key)).transpose()?.flatten();
        let identity = Identity {
            token,
            key,
            own_key: self.own_key(stated.key_source, standing),
            address: standing.own_address(),
        };
        let facts = [
            (Fact::User, given(stated.user)),
            (Fact::Org, given(stated.org)),
            (Fact::Tier, given(stated.tier)),
        ];
        for (fact, stated) in facts {
            let proven = identity.proven(fact)?;
            let Some(stated) = stated else { continue };
            if proven.is_some_and(|(proven, _)| proven == stated) {
                continue;
            }
            if let Standing::Stranger(stranger) = standing {
                return Err(Refused::NotTrusted(fact, stranger.why));
            }
            if let Some((_, source)) = proven {
                return Err(Refused::Contradiction(fact, source, Source::Stated));
            }
        }
        match (standing, given(stated.ip)) {
            (Standing::Stranger(stranger), Some(ip)) if !stranger.is_at(ip) => {
                Err(Refused::NotTrusted(Fact::Ip, stranger.why))
            }
            _ => Ok(identity),
        }
    }

    /// Whether an API key that was not issued here is a fact.
    fn own_key(&self, source: KeySource, standing: Standing) -> OwnKey {
        match (standing, source) {
            (Standing::Trusted, KeySource::Caller) => OwnKey::Fact,
            (Standing::Trusted, KeySource::Client) if self.api_keys == ApiKeys::Any => OwnKey::Fact,
            (Standing::Trusted | Standing::Stranger(_), _) => OwnKey::Ignored,
        }
    }

    fn token(&self, token: &str) -> Result<Arc<Facts>, Refused> {
        let verifier = self.verifier.as_ref();
        let verified = verifier
            .map_or(Err(TokenFlaw::NotConfigured), |verifier| verifier.verify(token, self.now()));
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
        let shown = self.token.is_some() || self.api_key.is_some() || self.ip.is_some();
        !shown && self.user.is_none() && self.org.is_none() && self.tier.is_none()
    }
}

impl Standing {
    const fn own_address(self) -> Option<IpAddr> {
        match self {
            Self::Trusted => None,
            Self::Stranger(stranger) => stranger.address,
        }
    }
}

impl Stranger {
    /// Whether that is its own address. What is no address is left to whoever reads the facts, who says so.
    fn is_at(&self, ip: &str) -> bool {
        let Ok(ip) = normalise::address(ip) else {
            return true;
        };
        let own = self.address.map(|address| address.to_canonical());
        own.is_some_and(|own| own == ip)
    }
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

/// A list that grows while its members are borrowed.
#[derive(Debug, Default)]
pub(crate) struct Kept(OnceLock<Box<Link>>);

#[derive(Debug)]
struct Link {
    identity: Identity,
    next: Kept,
}

impl Kept {
    /// Adds one to the end of the list, and moves the end behind it.
    pub(crate) fn keep<'k>(end: &mut &'k Self, identity: Identity) -> &'k Identity {
        let link = end.0.get_or_init(|| Box::new(Link { identity, next: Self::default() }));
        *end = &link.next;
        &link.identity
    }
}

/// One after the other: a long list must not need a deep stack.
impl Drop for Kept {
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(mut link) = next {
            next = link.next.0.take();
        }
    }
}

/// What was proven of a caller.
#[derive(Clone, Debug, Default)]
pub(crate) struct Identity {
    pub(super) token: Option<Arc<Facts>>,
    pub(super) key: Option<Arc<KeyCard>>,
    pub(super) own_key: OwnKey,
    /// The address of a stranger, which is counted by no other.
    pub(super) address: Option<IpAddr>,
}

/// Whether an API key that was not issued here is a fact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum OwnKey {
    /// By the word of a caller that is trusted.
    #[default]
    Fact,
    /// A caller that is not trusted would have a new budget with each made-up key.
    Ignored,
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

    /// Takes back what a stranger may not state: its address is its own, and a key that was not issued here is no fact.
    #[inline]
    pub(crate) fn restrict(&self, query: &mut Query<'_>) {
        if let Some(address) = self.address {
            query.set_ip_address(address);
        }
        if self.ignores_key() {
            query.clear_api_key();
        }
    }

    /// Whether the key that was shown is no fact.
    pub(crate) const fn ignores_key(&self) -> bool {
        self.key.is_none() && matches!(self.own_key, OwnKey::Ignored)
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
    pub(super) fn proven(&self, fact: Fact) -> Result<Option<(&str, Source)>, Refused> {
        let by_token = self.token.as_ref().and_then(|facts| match fact {
            Fact::User => Some(&*facts.user),
            Fact::Org => facts.org.as_deref(),
            Fact::Tier => facts.tier.as_deref(),
            Fact::Ip => None,
        });
        let by_key = self.key.as_ref().and_then(|card| match fact {
            Fact::User => card.key().user.as_deref(),
            Fact::Org => card.key().org.as_deref(),
            Fact::Tier => card.key().tier.as_deref(),
            Fact::Ip => None,
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
