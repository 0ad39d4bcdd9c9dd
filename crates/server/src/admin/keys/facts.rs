//! The facts of a request, from a query or from JSON.

use std::sync::Arc;

use axum::http::StatusCode;
use tollgate_rules::{Directory, Facts, KeyCard, Query};
use tollgate_wire::check::{Purpose, read_body};

use super::{
    super::{call::Call, params::Params, problem::Problem},
    convert,
};
use crate::identity::{Identifier, Identity, Stated, secret::Kind};

/// The facts of a request, and the key that was issued here if they name one.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) facts: Facts,
    card: Option<Arc<KeyCard>>,
    /// What a token or an API key that is shown proves.
    identity: Option<Identity>,
}

impl Asked {
    /// A key that was issued here brings along whose it is, as it does where it is shown; what is stated counts before
    /// that.
    pub(super) fn new(mut facts: Facts, directory: &Directory) -> Self {
        let id = facts.api_key.as_deref();
        let card = id.and_then(|id| directory.key_by_id(id));
        if let Some(card) = &card {
            let key = card.key();
            for (stated, known) in [
                (&mut facts.user, &key.user),
                (&mut facts.org, &key.org),
                (&mut facts.tier, &key.tier),
            ] {
                if stated.is_none() {
                    stated.clone_from(known);
                }
            }
        }
        Self {
            facts,
            card,
            identity: None,
        }
    }

    /// With the token or API key that a client would show.
    fn showing(mut self, token: &str, identifier: &Identifier) -> Result<Self, Problem> {
        let is_key = token.starts_with(Kind::ApiKey.prefix());
        let stated = Stated {
            token: Some(token).filter(|_| !is_key),
            api_key: Some(token).filter(|_| is_key),
            user: self.facts.user.as_deref(),
            org: self.facts.org.as_deref(),
            tier: self.facts.tier.as_deref(),
            ..Stated::default()
        };
        let identity = identifier.examine(&stated).map_err(|refused| {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            let problem = Problem::new(status, "token-refused", refused.to_string());
            problem.with("reason", refused.reason().word())
        })?;
        self.identity = Some(identity);
        Ok(self)
    }

    /// As a query.
    pub(super) fn query(&self) -> Result<Query<'_>, Problem> {
        let query = self.facts.query();
        let mut query = query.map_err(|error| Problem::bad(error.to_string()))?;
        if let Some(card) = &self.card {
            query.set_key(card);
        }
        if let Some(identity) = &self.identity {
            let filled = identity.fill(&mut query);
            filled.map_err(|error| Problem::bad(error.to_string()))?;
        }
        Ok(query)
    }
}

/// From the query of a request.
pub(super) fn in_query(params: &Params) -> Facts {
    let text = |name: &str| params.text(name).map(Into::into);
    let mut facts = Facts::default();
    facts.user = text("user_id");
    facts.org = text("org_id");
    facts.api_key = text("api_key");
    facts.ip = text("ip");
    facts.tier = text("tier");
    facts.endpoint = text("endpoint");
    facts.method = text("method");
    facts.region = text("region");
    let attributes = params.texts("attributes");
    let attributes = attributes.map(|(name, value)| (name.into(), value.into()));
    facts.attributes = attributes.collect();
    facts
}

/// From a body, as a check has it.
pub(super) fn in_json(call: &Call) -> Result<Asked, Problem> {
    let body = read_body(call.body.as_bytes(), Purpose::Check);
    let body = body.map_err(|error| Problem::bad(error.to_string()))?;
    let facts = convert::facts(&body).map_err(|error| Problem::bad(error.to_string()))?;
    let asked = Asked::new(facts, call.state.engine.live().directory());
    match body.token.as_deref().map(str::trim_ascii) {
        None | Some("") => Ok(asked),
        Some(token) => asked.showing(token, &call.state.identifier),
    }
}
