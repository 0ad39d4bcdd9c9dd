//! What a token says of its bearer.

use std::{sync::Arc, time::Duration};

use serde_json::Value;
use tollgate_core::Timestamp;
use tollgate_rules::normalise::identifier;
use tollgate_wire::claims::Claims;

use super::TokenFlaw;
use crate::config::Jwt;

/// What is known of the bearer of a token that was verified.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) user: Arc<str>,
    pub(crate) org: Option<Arc<str>>,
    pub(crate) tier: Option<Arc<str>>,
    begins_s: u64,
    expires_s: u64,
}

/// All claims of a token whose signature is right.
#[derive(Debug)]
pub(super) struct Said<'c>(pub(super) &'c Claims);

impl Said<'_> {
    /// What they say, if it is for us and can be used.
    pub(super) fn facts(&self, jwt: &Jwt) -> Result<Facts, TokenFlaw> {
        let Jwt {
            issuer, audience, ..
        } = jwt;
        if let Some(issuer) = issuer
            && self.0.get("iss").and_then(Value::as_str) != Some(issuer)
        {
            return Err(TokenFlaw::Issuer);
        }
        if let Some(audience) = audience
            && !self.is_for(audience)
        {
            return Err(TokenFlaw::Audience);
        }
        let expires_s = self.moment("exp")?.ok_or(TokenFlaw::Claims)?;
        let begins_s = self.moment("nbf")?.unwrap_or(0);
        let names = &jwt.claims;
        Ok(Facts {
            user: self.text(&names.user)?.ok_or(TokenFlaw::Claims)?,
            org: self.text(&names.org)?,
            tier: self.text(&names.tier)?,
            begins_s,
            expires_s,
        })
    }

    fn is_for(&self, audience: &str) -> bool {
        match self.0.get("aud") {
            Some(Value::String(one)) => one == audience,
            Some(Value::Array(many)) => many.iter().any(|one| one.as_str() == Some(audience)),
            _ => false,
        }
    }

    /// Seconds since 1970, as a number and nothing else; some issuers have fractions.
    fn moment(&self, name: &str) -> Result<Option<u64>, TokenFlaw> {
        let Some(value) = self.0.get(name) else {
            return Ok(None);
        };
        let of_fraction = || {
            let seconds = Duration::try_from_secs_f64(value.as_f64()?);
            seconds.ok().map(|span| span.as_secs())
        };
        let seconds = value.as_u64().or_else(of_fraction);
        seconds.map(Some).ok_or(TokenFlaw::Claims)
    }

    fn text(&self, name: &str) -> Result<Option<Arc<str>>, TokenFlaw> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => {
                let text = identifier(text).map_err(|_| TokenFlaw::Claims)?;
                Ok(text.map(Arc::from))
            }
            Some(_) => Err(TokenFlaw::Claims),
        }
    }
}

impl Facts {
    /// Whether the token is valid now, give or take how far clocks differ.
    pub(super) fn holds(&self, now: Timestamp, leeway: Duration) -> Result<(), TokenFlaw> {
        let (now_s, leeway_s) = (now.as_micros() / 1_000_000, leeway.as_secs());
        if now_s >= self.expires_s.saturating_add(leeway_s) {
            return Err(TokenFlaw::Expired);
        }
        if now_s.saturating_add(leeway_s) < self.begins_s {
            return Err(TokenFlaw::NotYet);
        }
        Ok(())
    }
}
