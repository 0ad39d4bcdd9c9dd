//! From what a gateway says to a question.

use std::net::IpAddr;

use tollgate_rules::Query;
use tollgate_wire::http1::Headers;

/// Who asks for its clients, and in which words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gateway {
    /// NGINX by `auth_request`, which understands 2xx, 401 and 403, and takes the rest for a breakdown.
    Nginx,
    /// Traefik, Caddy and HAProxy, which hand a denial on to the client as it is.
    ForwardAuth,
}

/// What a client wants of whoever is behind the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Says<'a> {
    /// Path and query, as the client sent them.
    uri: &'a [u8],
    method: &'a [u8],
}

/// Why a gateway's question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Astray {
    /// The gateway is not set up to ask; its operator must hear of it.
    Misconfigured(String),
    /// The client asks for what has no normal form, so that no rule could be sure to match it.
    Malformed(String),
}

impl Gateway {
    /// Where it asks.
    const fn path(self) -> &'static str {
        match self {
            Self::Nginx => "/gateway/nginx",
            Self::ForwardAuth => "/gateway/forward-auth",
        }
    }

    /// The headers of what the client asked for, and the name that `tollgate snippet` knows.
    const fn headers(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Nginx => ("X-Original-URI", "X-Original-Method", "nginx"),
            Self::ForwardAuth => ("X-Forwarded-Uri", "X-Forwarded-Method", "caddy"),
        }
    }
}

impl<'a> Says<'a> {
    /// Reads what the gateway says. Nothing is guessed: a rule that asks for what is missing would not
    /// match, and the client would pass.
    pub(crate) fn read(gateway: Gateway, headers: Headers<'a>) -> Result<Self, Astray> {
        let (uri, method, snippet) = gateway.headers();
        let path = gateway.path();
        let value = |name: &'static str| {
            let wrong = |what: &str| {
                Astray::Misconfigured(format!(
                    "{path} needs the header {name} {what}: see `tollgate snippet {snippet}`"
                ))
            };
            let found = headers.one(name).map_err(|_| wrong("once, it is there twice"))?;
            found.filter(|value| !value.is_empty()).ok_or_else(|| wrong("from the gateway"))
        };
        Ok(Self { uri: value(uri)?, method: value(method)? })
    }
}

/// The question, for a client at this address. Who it is is not taken from its headers, since anybody can
/// write those.
pub(crate) fn query(says: Says<'_>, client: IpAddr) -> Result<Query<'_>, Astray> {
    let malformed = |error: &dyn ToString| Astray::Malformed(error.to_string());
    let text = |bytes, what: &str| {
        str::from_utf8(bytes).map_err(|_| Astray::Malformed(format!("{what} is not UTF-8")))
    };
    let mut query = Query::new();
    let (uri, method) = (text(says.uri, "path")?, text(says.method, "method")?);
    query.set_endpoint(uri).map_err(|error| malformed(&error))?;
    query.set_method(method).map_err(|error| malformed(&error))?;
    query.set_ip_address(client);
    Ok(query)
}
