//! The one place where a request is turned away before anything is looked at.
//!
//! A loopback listener needs no token, so a web page in a browser on this machine must not be able to use
//! it: neither by asking across origins, nor under a name that it made point here.

use std::{
    net::{IpAddr, Ipv6Addr},
    sync::Arc,
};

use axum::{
    body::Body,
    extract::{MatchedPath, Request, State},
    http::{HeaderMap, Response, StatusCode, header},
    middleware::Next,
};

use tollgate_wire::http1::Passage;

use super::{
    certified::Certified,
    problem::{Problem, Trouble},
    routes,
    state::AdminState,
    visit::Visit,
};
use crate::{
    authority::{Actor, Caller, Door, Permission, Refused},
    config::{AdminAuth, Administrators},
    identity::{PROXIED, Sender, credentials, passage_of},
};

/// Lets a request through, or says why not. Whoever is turned away, here or further in, goes on record.
pub(super) async fn guard(
    State(state): State<Arc<AdminState>>,
    mut request: Request,
    next: Next,
) -> Response<Body> {
    let visit = Visit::of(&state, &request);
    let mut response = match check(&state, &request) {
        Ok(actor) => {
            let visit = visit.clone().by(actor);
            request.extensions_mut().insert(visit);
            next.run(request).await
        }
        Err(problem) => problem.into_response(),
    };
    if let Some(Trouble(problem)) = response.extensions().get() {
        visit.refused(&state, response.status(), problem);
    }
    visit.mark(response.headers_mut());
    response
}

fn check(state: &AdminState, request: &Request) -> Result<Actor, Problem> {
    let host = host(request)?;
    let is_here = name_of(host).is_some_and(|name| is_ours(state, name));
    if state.door == Door::Loopback && !is_here {
        let detail = format!(
            "this listener answers to localhost and to addresses only, not to {:?}: another name \
             may have been pointed here by somebody else",
            shown(host)
        );
        return Err(forbidden("foreign-host", detail));
    }
    refuse_other_origins(request.headers(), host)?;
    let (caller, wanted) = (caller(state, request), wanted(request));
    let allowed = state.authority.allows(caller, wanted);
    allowed.map_err(|refused| {
        let problem = turned_away(refused, wanted);
        let would_be_near = near(state) == Door::Loopback && caller.token.is_none();
        match passage_of(request.headers()) {
            Passage::Proxied if would_be_near => problem.saying(PROXIED),
            Passage::Proxied | Passage::Direct => problem,
        }
    })
}

/// The door of a request that no proxy handed on.
fn near(state: &AdminState) -> Door {
    match state.authority.auth() {
        AdminAuth::Auto => state.door,
        // Being near is not enough.
        AdminAuth::Required => Door::Open,
    }
}

/// What the request shows of whom it comes from.
pub(super) fn caller<'r>(state: &AdminState, request: &'r Request) -> Caller<'r> {
    let certified = match state.administrators {
        Administrators::OfTheirOwnCa => Certified::of(request.extensions()),
        Administrators::Nobody => None,
    };
    // Pages of other origins were turned away before.
    let sender = Sender { passage: passage_of(request.headers()), ..Sender::PLAIN };
    let (door, name) = credentials(near(state), certified, sender);
    Caller { door, token: token(request.headers()), name }
}

/// What a request wants to do. What is not there may be looked for by whoever may read.
fn wanted(request: &Request) -> Permission {
    let path = request.extensions().get::<MatchedPath>();
    let route = path.and_then(|path| routes::find(request.method(), path.as_str()));
    route.map_or(Permission::Read, |route| route.permission)
}

/// Another token would do, or none of this role would.
pub(super) fn turned_away(refused: Refused, wanted: Permission) -> Problem {
    let status = match refused.is_of_token() {
        true => StatusCode::UNAUTHORIZED,
        false => StatusCode::FORBIDDEN,
    };
    let kind = match refused {
        Refused::WrongRole { .. } => "wrong-role",
        Refused::OutOfScope { .. } => "wrong-scope",
        _ => "not-allowed",
    };
    let problem = Problem::new(status, kind, refused.to_string())
        .with("wanted", wanted.word())
        .with("reason", refused.word());
    match refused {
        Refused::WrongRole { role, .. } => problem.with("role", role.word()),
        _ => problem,
    }
}

/// The token that is shown. Whatever else stands in its place is a wrong one: somebody meant to show something.
fn token(headers: &HeaderMap) -> Option<&str> {
    let mut shown = headers.get_all(header::AUTHORIZATION).iter();
    let (first, second) = (shown.next()?, shown.next());
    let value = first.to_str().unwrap_or_default();
    let token = match value.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim(),
        _ => "",
    };
    Some(if second.is_some() { "" } else { token })
}

/// Whom the request is for. HTTP/1.1 asks for exactly one.
fn host(request: &Request) -> Result<&str, Problem> {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let in_uri = request.uri().authority().map(|authority| authority.as_str());
    match (hosts.next(), hosts.next(), in_uri) {
        (Some(host), None, None) => host.to_str().map_err(|_| Problem::bad("Host is no name")),
        (_, None, Some(host)) => Ok(host),
        (None, ..) => Err(Problem::bad("Host is missing")),
        (Some(_), Some(_), _) => Err(Problem::bad("Host is given twice")),
    }
}

/// Names that nobody else can point somewhere: `localhost`, addresses, and what the operator listed.
fn is_ours(state: &AdminState, name: &str) -> bool {
    let in_brackets = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    let is_address = match in_brackets {
        Some(inside) => inside.parse::<Ipv6Addr>().is_ok(),
        None => name.parse::<IpAddr>().is_ok(),
    };
    let name = name.strip_suffix('.').unwrap_or(name);
    let is_local = name.eq_ignore_ascii_case("localhost");
    let mut listed = state.hosts.iter();
    is_address || is_local || listed.any(|host| host.eq_ignore_ascii_case(name))
}

/// A page may only talk to where it came from.
fn refuse_other_origins(headers: &HeaderMap, host: &str) -> Result<(), Problem> {
    let site = headers.get("sec-fetch-site").map(|site| site.as_bytes());
    let mut origins = headers.get_all(header::ORIGIN).iter();
    let is_other = origins.any(|origin| !is_same(origin.to_str().unwrap_or_default(), host));
    if is_other || site == Some(b"cross-site") {
        let detail = "web pages of other origins may not use this API";
        return Err(forbidden("foreign-origin", detail));
    }
    Ok(())
}

/// Whether an origin is the host that was asked, its port included.
fn is_same(origin: &str, host: &str) -> bool {
    let (authority, default) =
        match (origin.strip_prefix("http://"), origin.strip_prefix("https://")) {
            (Some(authority), _) => (authority, "80"),
            (_, Some(authority)) => (authority, "443"),
            _ => return false,
        };
    let whole = |authority: &str| {
        let name = name_of(authority)?;
        let port = authority.get(name.len()..).and_then(|rest| rest.strip_prefix(':'));
        let port = port.filter(|port| !port.is_empty()).unwrap_or(default);
        Some((name.to_ascii_lowercase(), port.to_owned()))
    };
    let origin = whole(authority);
    origin.is_some() && origin == whole(host)
}

/// The host without its port. None where more than a port follows the name: the whole of it is what a browser asked for.
fn name_of(authority: &str) -> Option<&str> {
    let (name, rest) = match authority.strip_prefix('[') {
        Some(inside) => authority.split_at_checked(inside.find(']')? + 2)?,
        None => authority.split_at_checked(authority.find(':').unwrap_or(authority.len()))?,
    };
    let port = match rest.strip_prefix(':') {
        Some(port) => port,
        None if rest.is_empty() => "",
        None => return None,
    };
    port.bytes().all(|byte| byte.is_ascii_digit()).then_some(name)
}

fn forbidden(kind: &'static str, detail: impl Into<String>) -> Problem {
    Problem::new(StatusCode::FORBIDDEN, kind, detail)
}

fn shown(host: &str) -> String {
    host.chars().take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_ends_before_its_port() {
        for (authority, name) in [
            ("localhost:7080", Some("localhost")),
            ("localhost", Some("localhost")),
            ("localhost:", Some("localhost")),
            ("[::1]:7080", Some("[::1]")),
            ("[::1]", Some("[::1]")),
            ("", Some("")),
            ("[::1", None),
            ("[::1]evil", None),
            ("[::1].evil:80", None),
            ("[::1]:80.evil", None),
            ("localhost:80.evil", None),
            ("localhost:80:80", None),
            ("::1", None),
        ] {
            assert_eq!(name_of(authority), name, "{authority}");
        }
    }

    #[test]
    fn an_origin_is_the_same_with_its_port() {
        for (origin, host, expected) in [
            ("http://localhost:7080", "localhost:7080", true),
            ("http://LOCALHOST:7080", "localhost:7080", true),
            ("http://admin.example", "admin.example:80", true),
            ("https://admin.example", "admin.example:443", true),
            ("http://[::1]:7080", "[::1]:7080", true),
            ("http://localhost:3000", "localhost:7080", false),
            ("http://evil.example", "localhost:7080", false),
            ("http://localhost:7080.evil.example", "localhost:7080", false),
            ("null", "localhost:7080", false),
            ("", "localhost:7080", false),
        ] {
            assert_eq!(is_same(origin, host), expected, "{origin} {host}");
        }
    }
}
