//! What a handler gets: everything about a request that can be checked without asking the catalog.

use std::{
    borrow::Cow,
    iter,
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
    time::Duration,
};

use axum::{
    extract::{FromRequestParts as _, Query, RawPathParams, Request},
    http::{HeaderMap, StatusCode, Uri},
};
use serde_json::{Value, json};
use tollgate_catalog::{Author, CatalogError, Confirmation, Goal, NodeId, Revision};
use tollgate_core::{Clock as _, Timestamp};

use super::{
    body::{refuse_other_types, sent},
    certified::From,
    clear::{refuse_secrets, without_token},
    params::Params,
    problem::Problem,
    proposals::Earlier,
    recorded::refuse_controls,
    route::Route,
    state::AdminState,
    trouble,
    visit::Visit,
};
use crate::{
    authority::{Actor, Permission, Refused},
    config::Owner,
};

/// A request to the admin API.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// What it works on.
    pub(super) state: Arc<AdminState>,
    /// What is in the path and in the query.
    pub(super) params: Params,
    /// Who asks, from where.
    visit: Visit,
    /// Who is named as the author, if it is somebody else than who asks.
    author: Option<Author>,
    /// The path with its query, as it came.
    pub(super) target: String,
    /// The header fields.
    pub(super) headers: HeaderMap,
    /// What was sent: JSON, if the route takes a body.
    pub(super) body: String,
}

/// How long the catalog has for what is read; writes have the catalog's own deadlines, since a write that
/// is given up may still happen.
const READ_TIME_MAX: Duration = Duration::from_secs(10);
/// How long a revocation or a block waits for all nodes, if nobody says.
const SURE_TIME: Duration = Duration::from_secs(2);

impl Call {
    /// Reads a request, or says what is wrong with it.
    pub(super) async fn read(
        route: &Route,
        state: Arc<AdminState>,
        request: Request,
    ) -> Result<Self, Problem> {
        let (mut parts, body) = request.into_parts();
        let given = pairs(&parts.uri)?;
        let in_path = RawPathParams::from_request_parts(&mut parts, &()).await;
        let in_path = in_path.map_err(|_| Problem::bad("the path is not UTF-8"))?;
        let texts = given
            .iter()
            .flat_map(|(name, value)| [name.as_str(), value.as_str()])
            .chain(in_path.iter().map(|(_, value)| value));
        refuse_secrets(texts, &parts.headers, "")?;
        refuse_controls(&parts.headers, &given)?;
        let mut params = Params::read(route, given)?;
        for (name, value) in &in_path {
            params.put(name, value);
        }
        let body = match route.body {
            Some(_) => {
                let client = From::of(&parts.extensions);
                let client = client.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
                sent(&parts, body, state.budget.claim(client)).await?
            }
            None => {
                refuse_other_types(route, &parts)?;
                String::new()
            }
        };
        let kept = match route.takes_token() {
            true => without_token(&body),
            false => Cow::Borrowed(body.as_str()),
        };
        refuse_secrets(iter::empty(), &HeaderMap::new(), &kept)?;
        let Some(visit) = parts.extensions.remove::<Visit>() else {
            // The guard puts it there before anything else happens.
            return Err(Problem::new(StatusCode::FORBIDDEN, "not-allowed", "nobody asks"));
        };
        let call = Self {
            state,
            params,
            visit,
            author: None,
            target: parts.uri.path_and_query().map_or("/", |it| it.as_str()).to_owned(),
            headers: parts.headers,
            body,
        };
        call.refuse_reserved_author()?;
        Ok(call)
    }

    /// The audit must be able to tell what the server did by itself from what an author did.
    fn refuse_reserved_author(&self) -> Result<(), Problem> {
        match self.stated_author() {
            Some(name) if Actor::is_reserved(&name) => Err(Problem::bad(format!(
                "Tollgate-Author: {name:?} stands for somebody else in the audit: send another name, or none"
            ))),
            Some(_) | None => Ok(()),
        }
    }

    /// What a caller calls itself, where nothing proves who it is: on this machine, or with the token that several share.
    fn stated_author(&self) -> Option<String> {
        let said = self.field("tollgate-author");
        said.filter(|_| !self.visit.is_proven())
    }

    /// A part of the path; the router sees to it that it is there.
    pub(super) fn in_path(&self, name: &str) -> &str {
        self.params.text(name).unwrap_or_default()
    }

    /// The path as it came.
    pub(super) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// What the newest revision holds.
    pub(super) async fn latest(&self) -> Result<Arc<Revision>, Problem> {
        self.reading(self.state.catalog.latest()).await
    }

    /// What the catalog answers, within a deadline.
    pub(super) async fn reading<T>(
        &self,
        work: impl Future<Output = Result<T, CatalogError>>,
    ) -> Result<T, Problem> {
        let answer = tokio::time::timeout(READ_TIME_MAX, work).await;
        let answer = answer.unwrap_or(Err(CatalogError::Timeout(READ_TIME_MAX)));
        answer.map_err(|error| trouble::problem(&error))
    }

    /// What an earlier request asked for, done now for its author by whoever asks.
    pub(super) fn instead(&self, author: Author, asked: Earlier) -> Self {
        Self {
            state: Arc::clone(&self.state),
            params: asked.params,
            visit: self.visit.clone(),
            author: Some(author),
            target: asked.target,
            headers: asked.headers,
            body: asked.body,
        }
    }

    /// The same, only to look at what would happen.
    #[must_use]
    pub(super) fn dry(mut self) -> Self {
        self.params.put("dry_run", "true");
        self
    }

    /// Whether whoever asks may do something that the route does not ask for.
    pub(super) fn may(&self, wanted: Permission) -> Result<(), Refused> {
        self.visit.actor().map_or(Err(Refused::Missing), |actor| actor.may(wanted))
    }

    /// Who asks; the guard sees to it that they are known.
    pub(super) const fn actor(&self) -> Option<&Actor> {
        self.visit.actor()
    }

    /// Who writes, and why. What somebody says of themselves counts only where nothing proves it: on this machine, or
    /// with the token that several share.
    pub(super) fn author(&self) -> Author {
        if let Some(author) = &self.author {
            return author.clone();
        }
        self.because(self.visit.author(self.stated_author().as_deref()))
    }

    /// Who asks, under the name that is proven.
    pub(super) fn proven(&self) -> Author {
        self.because(self.visit.author(None))
    }

    fn because(&self, author: Author) -> Author {
        let reason = self.params.text("reason").map(str::to_owned);
        match reason.or_else(|| self.field("tollgate-reason")) {
            Some(reason) => author.because(&reason),
            None => author,
        }
    }

    fn field(&self, name: &str) -> Option<String> {
        let value = self.headers.get(name)?;
        let text = String::from_utf8_lossy(value.as_bytes());
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Whether only to look at what would happen.
    pub(super) fn is_dry(&self) -> bool {
        self.params.truth("dry_run") == Some(true)
    }

    /// Rules that a file owns are written in the file.
    pub(super) fn needs_ownership(&self) -> Result<(), Problem> {
        match &self.state.owner {
            Owner::Catalog => Ok(()),
            Owner::File(path) => {
                let path = path.display().to_string();
                let detail = format!(
                    "the rules are owned by the file {path}: change it there, the server watches \
                     it; overrides can be changed here"
                );
                let problem = Problem::new(StatusCode::CONFLICT, "owned-by-file", detail);
                Err(problem.with("file", path))
            }
        }
    }

    /// Which nodes run a write, if the caller wants to wait for that. The write has happened either way.
    pub(super) async fn confirmed(&self, goal: Goal) -> Value {
        match self.params.span("wait") {
            Some(wait) => self.confirmed_within(goal, wait).await,
            None => Value::Null,
        }
    }

    /// Which nodes run a write that must not be late: waits for that unless told otherwise.
    pub(super) async fn confirmed_at_once(&self, goal: Goal) -> Value {
        let wait = self.params.span("wait").unwrap_or(SURE_TIME);
        self.confirmed_within(goal, wait).await
    }

    async fn confirmed_within(&self, goal: Goal, wait: Duration) -> Value {
        match self.state.catalog.wait_confirmed(goal, wait).await {
            Ok(confirmation) => nodes(&confirmation),
            Err(error) => json!({ "confirmed": [], "missing": [], "unknown": error.to_string() }),
        }
    }

    /// The time of day.
    pub(super) fn now(&self) -> Timestamp {
        self.state.engine.time().now().wall
    }
}

fn nodes(confirmation: &Confirmation) -> Value {
    let names = |nodes: &[NodeId]| -> Vec<String> {
        nodes.iter().map(|node| node.as_str().to_owned()).collect()
    };
    json!({
        "confirmed": names(&confirmation.confirmed),
        "missing": names(&confirmation.missing),
    })
}

fn pairs(uri: &Uri) -> Result<Vec<(String, String)>, Problem> {
    let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(uri)
        .map_err(|error| Problem::bad(format!("the query cannot be read: {error}")))?;
    Ok(pairs)
}
