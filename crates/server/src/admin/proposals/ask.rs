//! The one place where a change of rules becomes a proposal.

use std::{sync::Arc, time::Duration};

use axum::http::StatusCode;
use serde_json::json;
use tollgate_catalog::Asked;
use tollgate_core::Micros;

use super::{
    super::{
        call::Call,
        reply::Reply,
        route::{Outcome, Route, Verb},
        trouble,
    },
    eyes,
    routes::LIST,
    view,
};
use crate::{authority::Permission, config::Approvals};

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
    let asker = eyes::may_ask(&call)?;
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
        "proposal": view::of(&proposal),
        "detail": format!(
            "nothing is changed yet: another admin approves it with POST {location}/approve"
        ),
    });
    let reply = Reply::json(&body).created(location);
    Ok(reply.status(StatusCode::ACCEPTED))
}
