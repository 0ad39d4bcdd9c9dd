//! Whose eyes count: two people have to have seen a change, not one person twice.

use axum::http::StatusCode;
use tollgate_catalog::{Issuer, Lineage, Proposal};

use super::super::{call::Call, problem::Problem};
use crate::{
    authority::{Actor, Kinship, kinship},
    first_token,
};

/// The asker's line of issue, if one person alone is the asker: a token that several people hold may be the approver's.
pub(super) fn may_ask(call: &Call) -> Result<Lineage, Problem> {
    somebody(call).map(|actor| actor.line.clone())
}

/// Whether the caller is independent of the proposer, as far as that can be known.
pub(super) fn may_approve(call: &Call, proposal: &Proposal) -> Result<(), Problem> {
    let actor = somebody(call)?;
    let kinship = match *actor.name == *proposal.author.name() {
        true => Some(Kinship::Same),
        false => kinship(&proposal.asked.asker, &actor.line),
    };
    if let Some(kinship) = kinship {
        return Err(related(&kinship, proposal));
    }
    let is_late = |issued_at| issued_at >= proposal.created_at;
    if actor.issued_at.is_some_and(is_late) {
        let detail = format!(
            "your token was issued after proposal {} was made: an admin whose token is older has to approve it",
            proposal.id
        );
        return Err(refused("issued-too-late", detail));
    }
    Ok(())
}

fn related(kinship: &Kinship, proposal: &Proposal) -> Problem {
    let (id, author) = (proposal.id, proposal.author.name());
    let (kind, why) = match kinship {
        Kinship::Same => {
            let detail = format!("proposal {id} is your own: another admin has to approve it");
            return refused("own-proposal", detail);
        }
        Kinship::Descendant => (
            "issued-by-proposer",
            format!(
                "your token was issued by {author}, who made proposal {id}, or by a token from there"
            ),
        ),
        Kinship::Ancestor => (
            "issued-the-proposer",
            format!(
                "you issued the token of {author}, who made proposal {id}, or a token that it comes from"
            ),
        ),
        Kinship::CommonIssuer(Issuer::Unknown) => (
            "unknown-issuer",
            format!(
                "it is not on record what issued your token and that of {author}, who made proposal {id}"
            ),
        ),
        Kinship::CommonIssuer(issuer) => (
            "same-issuer",
            format!(
                "your token and that of {author}, who made proposal {id}, both come from {issuer}"
            ),
        ),
        Kinship::Unrecorded => (
            "unknown-issuer",
            format!(
                "it is not on record what issued one of the tokens, yours or that of {author}, who made proposal {id}"
            ),
        ),
    };
    let remedy = "an admin has to approve it whose token shares no issuer with that of the proposer, except the token that \
                  the server was started with";
    refused(kind, format!("{why}: {remedy}"))
}

/// Who asks, if one person alone is that.
fn somebody(call: &Call) -> Result<&Actor, Problem> {
    let actor = call.actor();
    let personal =
        actor.filter(|actor| actor.proof.is_personal() && *actor.name != *first_token::NAME);
    personal.ok_or_else(|| {
        let name = actor.map_or("nobody", |actor| &actor.name);
        let detail = format!(
            "{name} may be anybody: changes of rules are asked for and approved with a token of one's own \
             (`tollgate tokens create NAME --role admin`) or a certificate"
        );
        refused("not-personal", detail)
    })
}

fn refused(kind: &'static str, detail: String) -> Problem {
    Problem::new(StatusCode::FORBIDDEN, kind, detail)
}
