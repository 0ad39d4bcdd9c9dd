//! Approving and rejecting.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::Query,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri},
};
use serde_json::{Map, Value, json};
use tollgate_catalog::{
    Asked, Author, Issuer, Lineage, Proposal, ProposalState, Settled, Settlement,
};
use tollgate_core::Micros;

use super::{
    super::{
        call::Call,
        params::Params,
        problem::Problem,
        reply::Reply,
        route::{Outcome, Route, Verb},
        routes, trouble, when,
    },
    routes::LIST,
};
use crate::{
    authority::{Actor, Kinship, Permission, kinship},
    config::Approvals,
    first_token,
};

/// Those that wait first, then the newest; of one state if it is named.
pub(super) async fn list(call: Call) -> Outcome {
    let wanted = call.params.text("state");
    let all = call.reading(call.state.catalog.proposals()).await?;
    let shown = all.iter().filter(|proposal| wanted.is_none_or(|wanted| state(proposal) == wanted));
    let shown: Vec<_> = shown.map(of).collect();
    Ok(Reply::json(&json!({ "proposals": shown })))
}

pub(super) async fn read(call: Call) -> Outcome {
    let proposal = known(&call).await?;
    Ok(Reply::json(&of(&proposal)))
}

/// Does what was proposed, just as it was asked for, by the same handler. If that cannot be done any more, nothing is
/// done, and the proposal waits on.
pub(super) async fn approve(call: Call) -> Outcome {
    let proposal = known(&call).await?;
    if proposal.state != ProposalState::Open {
        return Err(not_open(&proposal));
    }
    may_approve(&call, &proposal)?;
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
    let settled = of(&settled);
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
    Ok(Reply::json(&json!({ "proposal": of(&settled) })))
}

async fn settle(call: &Call, proposal: &Proposal, how: Settlement) -> Result<Proposal, Problem> {
    if proposal.state != ProposalState::Open {
        return Err(not_open(proposal));
    }
    let catalog = &call.state.catalog;
    let settled = catalog.settle_proposal(proposal.id, how, &call.proven()).await;
    settled.map_err(|error| trouble::problem(&error))
}

/// The history names who asked, and says who approved.
fn author(proposal: &Proposal, approver: &Author) -> Author {
    let asked = proposal.author.reason().unwrap_or_default();
    let separator = if asked.is_empty() { "" } else { "; " };
    let reason =
        format!("{asked}{separator}proposal {} approved by {}", proposal.id, approver.name());
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
    let state = state(proposal);
    let detail = format!("proposal {} is {state}: ask for the change anew", proposal.id);
    Problem::new(StatusCode::CONFLICT, "not-open", detail).with("state", state)
}

/// How long a proposal waits.
const OPEN_SPAN: Duration = Duration::from_secs(7 * 86_400);
/// The header fields that a change depends on.
const KEPT: [&str; 3] = ["if-match", "if-none-match", "tollgate-reason"];

/// Whether what a route does waits for somebody else where that is asked for: every write of rules and tiers, and going
/// back.
pub(in super::super) fn may_wait(route: &Route) -> bool {
    route.permission == Permission::Rules
        && route.verb != Verb::Get
        && !route.path.starts_with(LIST)
}

/// Whether what is asked for waits for somebody else.
pub(in super::super) fn waits(route: &Route, call: &Call) -> bool {
    call.state.approvals == Approvals::On && may_wait(route) && !call.is_dry()
}

/// Puts what is asked for before others. What would be refused now is refused now.
pub(in super::super) async fn propose(route: &Route, call: Call) -> Outcome {
    let asker = may_ask(&call)?;
    (route.handler)(call.clone().dry()).await?;
    let headers = KEPT.into_iter().filter_map(|name| {
        let value = call.headers.get(name)?.to_str().ok()?;
        Some((Arc::from(name), Arc::from(value)))
    });
    let asked = Asked {
        method: route.verb.method().as_str().into(),
        target: call.target.as_str().into(),
        headers: headers.collect(),
        body: call.body.as_str().into(),
        asker,
    };
    let expires_at = call.now().saturating_add(Micros::from(OPEN_SPAN));
    let catalog = &call.state.catalog;
    let proposal = catalog.propose(asked, &call.proven(), expires_at).await;
    let proposal = proposal.map_err(|error| trouble::problem(&error))?;
    let location = format!("{LIST}/{}", proposal.id);
    let body = json!({
        "proposal": of(&proposal),
        "detail": format!(
            "nothing is changed yet: another admin approves it with POST {location}/approve"
        ),
    });
    let reply = Reply::json(&body).created(location);
    Ok(reply.status(StatusCode::ACCEPTED))
}

/// What an earlier request said.
#[derive(Clone, Debug)]
pub(in super::super) struct Earlier {
    /// What was in its path and its query.
    pub(in super::super) params: Params,
    /// The header fields that count.
    pub(in super::super) headers: HeaderMap,
    /// Its body.
    pub(in super::super) body: String,
    /// Its path and query.
    pub(in super::super) target: String,
}

impl Earlier {
    /// What was asked, and the route that does it.
    pub(super) fn of(asked: &Asked) -> Result<(&'static Route, Self), Problem> {
        let strange =
            || Problem::bad("the proposal was made by another release: reject it and ask anew");
        let uri: Uri = asked.target.parse().map_err(|_| strange())?;
        let mut found = routes::all()
            .filter(|route| route.verb.method().as_str() == &*asked.method)
            .filter_map(|route| Some((route, in_path(route.path, uri.path())?)));
        let (route, in_path) = found.next().ok_or_else(strange)?;
        let Query(pairs) =
            Query::<Vec<(String, String)>>::try_from_uri(&uri).map_err(|_| strange())?;
        let mut params = Params::read(route, pairs)?;
        for (name, value) in in_path {
            params.put(name, &value);
        }
        let headers = asked.headers.iter().filter_map(|(name, value)| {
            let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
            Some((name, HeaderValue::from_str(value).ok()?))
        });
        let earlier = Self {
            params,
            headers: headers.collect(),
            body: asked.body.to_string(),
            target: asked.target.to_string(),
        };
        Ok((route, earlier))
    }
}

/// What stands in a path where a pattern has names; none if it is another path.
fn in_path<'p>(pattern: &'p str, path: &str) -> Option<Vec<(&'p str, String)>> {
    let (mut parts, mut found) = (path.split('/'), Vec::new());
    for expected in pattern.split('/') {
        let part = parts.next()?;
        let name = expected.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        match name {
            Some(name) => found.push((name, decoded(part)?)),
            None if part == expected => {}
            None => return None,
        }
    }
    parts.next().is_none().then_some(found)
}

/// A part of a path without its `%`.
fn decoded(part: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        let digits = std::str::from_utf8(&digits).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}

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
    let headers: Map<String, Value> =
        asked.headers.iter().map(|(name, value)| (name.to_string(), json!(&**value))).collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_read_as_the_router_reads_it() {
        let found = in_path("/ratelimit/rules/{id}", "/ratelimit/rules/team%2Flogin");
        assert_eq!(found, Some(vec![("id", "team/login".to_owned())]));
        assert_eq!(in_path("/a", "/a"), Some(Vec::new()));
        for other in ["/a/b", "/b", "/", ""] {
            assert_eq!(in_path("/a", other), None, "{other:?}");
        }
        assert_eq!(decoded("%4"), None);
    }
}
