//! A proposal as a client reads it.

use serde_json::{Map, Value, json};
use tollgate_catalog::{Proposal, ProposalState, Settled};

use super::super::when;

/// The word of a state.
pub(super) const fn state(proposal: &Proposal) -> &'static str {
    match &proposal.state {
        ProposalState::Open => "open",
        ProposalState::Approved(_) => "approved",
        ProposalState::Rejected(_) => "rejected",
        _ => "expired",
    }
}

/// All there is to know of it.
pub(super) fn of(proposal: &Proposal) -> Value {
    let asked = &proposal.asked;
    let settled = match &proposal.state {
        ProposalState::Approved(settled) | ProposalState::Rejected(settled) => Some(settled),
        _ => None,
    };
    let told = |settled: &Settled| {
        json!({
            "by": &*settled.by,
            "at": when::shown(settled.at),
            "reason": settled.reason.as_deref(),
        })
    };
    let headers: Map<String, Value> = asked
        .headers
        .iter()
        .map(|(name, value)| (name.to_string(), json!(&**value)))
        .collect();
    json!({
        "id": proposal.id,
        "state": state(proposal),
        "method": &*asked.method,
        "target": &*asked.target,
        "headers": headers,
        "body": serde_json::from_str::<Value>(&asked.body).unwrap_or_default(),
        "author": proposal.author.name(),
        "author_issuers": asked.asker.words(),
        "reason": proposal.author.reason(),
        "created_at": when::shown(proposal.created_at),
        "expires_at": when::shown(proposal.expires_at),
        "settled": settled.map(told),
    })
}
