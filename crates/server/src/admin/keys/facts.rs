//! The facts of a request, from a query or from JSON.

use std::sync::Arc;

use tollgate_rules::{Directory, Facts, KeyCard, Query};
use tollgate_wire::check::{Purpose, read_body};

use super::{
    super::{params::Params, problem::Problem},
    convert,
};

/// The facts of a request, and the key that was issued here if they name one.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) facts: Facts,
    card: Option<Arc<KeyCard>>,
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
        Self { facts, card }
    }

    /// As a query.
    pub(super) fn query(&self) -> Result<Query<'_>, Problem> {
        let query = self.facts.query();
        let mut query = query.map_err(|error| Problem::bad(error.to_string()))?;
        if let Some(card) = &self.card {
            query.set_key(card);
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
pub(super) fn in_json(text: &str) -> Result<Facts, Problem> {
    let body = read_body(text.as_bytes(), Purpose::Check);
    let body = body.map_err(|error| Problem::bad(error.to_string()))?;
    convert::facts(&body).map_err(|error| Problem::bad(error.to_string()))
}
