//! What was proven of a caller, and what that makes of its question.

use std::{net::IpAddr, sync::Arc};

use tollgate_rules::{KeyCard, Query, QueryError};

use super::{
    jwt::Facts,
    refused::{Fact, Refused, Source},
};

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
