//! The facts of a request, from a query or from JSON.

use tollgate_rules::{Facts, Query};
use tollgate_wire::check::{Purpose, read_body};

use super::{
    super::{params::Params, problem::Problem},
    convert,
};

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

/// The facts as a query.
pub(super) fn query(facts: &Facts) -> Result<Query<'_>, Problem> {
    facts
        .query()
        .map_err(|error| Problem::bad(error.to_string()))
}
