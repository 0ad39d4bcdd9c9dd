//! Whose eyes count: two people have to have seen a change, not one person twice.

use axum::http::StatusCode;
use tollgate_catalog::Proposal;

use super::super::{call::Call, problem::Problem};
use crate::{authority::Actor, first_token};

/// Whether it is known who asks. What several people hold may be whoever approves.
pub(super) fn may_ask(call: &Call) -> Result<(), Problem> {
    somebody(call).map(drop)
}

/// Whether whoever asks is somebody else than who made the proposal, as far as that can be known.
pub(super) fn may_approve(call: &Call, proposal: &Proposal) -> Result<(), Problem> {
    let actor = somebody(call)?;
    let (id, author) = (proposal.id, proposal.author.name());
    if *actor.name == *author {
        return Err(refused(
            "own-proposal",
            format!("proposal {id} is your own: somebody else has to approve it"),
        ));
    }
    let Some(issue) = &actor.issue else {
        return Ok(());
    };
    if *issue.by == *author {
        let detail = format!(
            "your token was issued by {author}, who made proposal {id}: somebody has to approve it whose token \
             somebody else issued"
        );
        return Err(refused("issued-by-proposer", detail));
    }
    if issue.at >= proposal.created_at {
        let detail = format!(
            "your token was issued after proposal {id} was made: somebody has to approve it who had a token before"
        );
        return Err(refused("issued-too-late", detail));
    }
    Ok(())
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
