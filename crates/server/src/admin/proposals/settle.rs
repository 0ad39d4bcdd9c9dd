//! Approving and rejecting.

use axum::http::StatusCode;
use serde_json::json;
use tollgate_catalog::{Author, Proposal, ProposalState, Settlement};

use super::{
    super::{call::Call, problem::Problem, reply::Reply, route::Outcome, trouble},
    eyes,
    replay::Earlier,
    view,
};

/// Those that wait first, then the newest; of one state if it is named.
pub(super) async fn list(call: Call) -> Outcome {
    let wanted = call.params.text("state");
    let all = call.reading(call.state.catalog.proposals()).await?;
    let shown = all
        .iter()
        .filter(|proposal| wanted.is_none_or(|wanted| view::state(proposal) == wanted));
    let shown: Vec<_> = shown.map(view::of).collect();
    Ok(Reply::json(&json!({ "proposals": shown })))
}

pub(super) async fn read(call: Call) -> Outcome {
    let proposal = known(&call).await?;
    Ok(Reply::json(&view::of(&proposal)))
}

/// Does what was proposed, just as it was asked for, by the same handler. If that cannot be done any more, nothing is
/// done, and the proposal waits on.
pub(super) async fn approve(call: Call) -> Outcome {
    let proposal = known(&call).await?;
    if proposal.state != ProposalState::Open {
        return Err(not_open(&proposal));
    }
    eyes::may_approve(&call, &proposal)?;
    let approver = call.proven();
    let (route, earlier) = Earlier::of(&proposal.asked)?;
    let author = author(&proposal, &approver);
    let rehearsal = call.instead(author.clone(), earlier.clone()).dry();
    (route.handler)(rehearsal).await?;
    let settled = settle(&call, &proposal, Settlement::Approve).await?;
    let done = match (route.handler)(call.instead(author, earlier)).await {
        Ok(done) => done,
        Err(problem) => return Err(reopened(&call, &proposal, problem).await),
    };
    let settled = view::of(&settled);
    Ok(done.wrapped(|result| json!({ "proposal": settled, "result": result })))
}

/// What is approved and cannot be done waits on, as it does if the rehearsal fails.
async fn reopened(call: &Call, proposal: &Proposal, why: Problem) -> Problem {
    let catalog = &call.state.catalog;
    let reopened = catalog.reopen_proposal(proposal.id, &call.proven()).await;
    match reopened {
        Ok(_) => why.with("proposal", "open"),
        Err(error) => {
            tracing::error!(
                %error,
                proposal = proposal.id,
                "A proposal is approved and was not done, and could not be put back: ask for the change anew."
            );
            why.with("proposal", "approved")
        }
    }
}

pub(super) async fn reject(call: Call) -> Outcome {
    let proposal = known(&call).await?;
    let settled = settle(&call, &proposal, Settlement::Reject).await?;
    Ok(Reply::json(&json!({ "proposal": view::of(&settled) })))
}

async fn settle(call: &Call, proposal: &Proposal, how: Settlement) -> Result<Proposal, Problem> {
    if proposal.state != ProposalState::Open {
        return Err(not_open(proposal));
    }
    let catalog = &call.state.catalog;
    let settled = catalog
        .settle_proposal(proposal.id, how, &call.proven())
        .await;
    settled.map_err(|error| trouble::problem(&error))
}

/// The history names who asked, and says who approved.
fn author(proposal: &Proposal, approver: &Author) -> Author {
    let asked = proposal.author.reason().unwrap_or_default();
    let separator = if asked.is_empty() { "" } else { "; " };
    let reason = format!(
        "{asked}{separator}proposal {} approved by {}",
        proposal.id,
        approver.name()
    );
    let author = Author::new(proposal.author.name()).because(&reason);
    let author = match proposal.author.role() {
        Some(role) => author.acting_as(role),
        None => author,
    };
    let author = match approver.from() {
        Some(from) => author.calling_from(from),
        None => author,
    };
    match approver.request() {
        Some(id) => author.by_request(id),
        None => author,
    }
}

async fn known(call: &Call) -> Result<Proposal, Problem> {
    let given = call.in_path("id");
    let shown: String = given.chars().take(64).collect();
    let id = given.parse::<u64>().ok();
    let unknown = || Problem::not_found(format!("there is no proposal {shown:?}"));
    let read = call.state.catalog.proposal(id.ok_or_else(unknown)?);
    call.reading(read).await?.ok_or_else(unknown)
}

fn not_open(proposal: &Proposal) -> Problem {
    let state = view::state(proposal);
    let detail = format!(
        "proposal {} is {state}: ask for the change anew",
        proposal.id
    );
    Problem::new(StatusCode::CONFLICT, "not-open", detail).with("state", state)
}
