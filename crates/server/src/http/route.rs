//! Which path leads where.

use tollgate::Action;
use tollgate_wire::{check::Problem, http1::Request};

use crate::gateway::Gateway;

/// Where a request goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    Check,
    Batch,
    Inspect(Action),
    Alive,
    Ready,
    /// A gateway that asks for its client.
    Gateway(Gateway),
    /// An `OPTIONS`, wherever.
    Preflight,
}

/// Why a request goes nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RouteError {
    pub(super) problem: Problem,
    /// What the path is for, if it is for anything.
    pub(super) allow: Option<&'static str>,
}

pub(super) const POST: &str = "POST, OPTIONS";
pub(super) const GET: &str = "GET, HEAD, OPTIONS";
/// What of a path is repeated in an error.
const SHOWN_CHARS_MAX: usize = 80;
const PATHS: &str = "POST /ratelimit/check, POST /ratelimit/check/batch, POST /ratelimit/peek, \
    POST /ratelimit/refund, POST /ratelimit/reset, GET /healthz, GET /readyz, /gateway/nginx, \
    /gateway/forward-auth";

impl Route {
    pub(super) fn of(request: &Request<'_>) -> Result<Self, RouteError> {
        // By any method: some gateways ask by that of their client, and a preflight is no pass.
        match request.path {
            "/gateway/nginx" => return Ok(Self::Gateway(Gateway::Nginx)),
            "/gateway/forward-auth" => return Ok(Self::Gateway(Gateway::ForwardAuth)),
            _ => {}
        }
        if request.method == "OPTIONS" {
            return Ok(Self::Preflight);
        }
        let (route, allow) = match request.path {
            "/ratelimit/check" => (Self::Check, POST),
            "/ratelimit/check/batch" => (Self::Batch, POST),
            "/ratelimit/peek" => (Self::Inspect(Action::Peek), POST),
            "/ratelimit/refund" => (Self::Inspect(Action::Refund), POST),
            "/ratelimit/reset" => (Self::Inspect(Action::Reset), POST),
            "/healthz" => (Self::Alive, GET),
            "/readyz" => (Self::Ready, GET),
            path => return Err(unknown(path)),
        };
        let fits = match request.method {
            "POST" => allow == POST,
            "GET" | "HEAD" => allow == GET,
            _ => false,
        };
        if !fits {
            let detail = format!("{} is for {allow}", request.path);
            let problem = Problem::new(405, detail);
            let allow = Some(allow);
            return Err(RouteError { problem, allow });
        }
        if allow == POST && !request.is_json() {
            let detail = "the body must be JSON: send `Content-Type: application/json`";
            let problem = Problem::new(415, detail);
            let allow = None;
            return Err(RouteError { problem, allow });
        }
        Ok(route)
    }
}

fn unknown(path: &str) -> RouteError {
    let shown: String = path.chars().take(SHOWN_CHARS_MAX).collect();
    RouteError {
        problem: Problem::new(404, format!("there is no {shown} here: there are {PATHS}")),
        allow: None,
    }
}
