//! What a route is: one value that the router, the guard and the OpenAPI document are all made from.

use std::{future::Future, pin::Pin};

use axum::http::Method;
use serde_json::Value;

use super::{call::Call, problem::Problem, reply::Reply};
use crate::authority::Permission;

/// One operation of the admin API.
#[derive(Debug)]
pub(super) struct Route {
    /// What is done.
    pub(super) verb: Verb,
    /// Where, with `{name}` for what varies.
    pub(super) path: &'static str,
    /// Its name for generated clients.
    pub(super) name: &'static str,
    /// What it does, in a sentence.
    pub(super) about: &'static str,
    /// Who may.
    pub(super) permission: Permission,
    /// What may be given beside the body, in groups that routes share.
    pub(super) params: &'static [&'static [Param]],
    /// What is sent, if anything.
    pub(super) body: Option<Shape>,
    /// What is answered when all goes well.
    pub(super) replies: &'static [Told],
    /// Which problems are worth naming; the rest is said by the default.
    pub(super) problems: &'static [(u16, &'static str)],
    /// What does it.
    pub(super) handler: Handler,
}

impl Route {
    /// Whether its body may hold what a client shows: a token or an API key, which is read and not kept.
    pub(super) fn takes_token(&self) -> bool {
        self.body.as_ref().is_some_and(|shape| shape.schema == "Facts")
    }
}

/// What answers a call.
pub(super) type Handler = fn(Call) -> Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// What came of a call.
pub(super) type Outcome = Result<Reply, Problem>;

/// What is done to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    /// Read it.
    Get,
    /// Add to it.
    Post,
    /// Put another in its place.
    Put,
    /// Take it away.
    Delete,
}

impl Verb {
    /// As HTTP has it.
    pub(super) const fn method(self) -> Method {
        match self {
            Self::Get => Method::GET,
            Self::Post => Method::POST,
            Self::Put => Method::PUT,
            Self::Delete => Method::DELETE,
        }
    }

    /// As OpenAPI has it.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Post => "post",
            Self::Put => "put",
            Self::Delete => "delete",
        }
    }

    /// Whether a request of this method is this. What can be read can be asked for its head.
    pub(super) fn is(self, method: &Method) -> bool {
        self.method() == *method || (self == Self::Get && *method == Method::HEAD)
    }
}

/// Something given beside the body.
#[derive(Debug)]
pub(super) struct Param {
    /// Where it is given.
    pub(super) place: Place,
    /// What it is called.
    pub(super) name: &'static str,
    /// What values it takes.
    pub(super) kind: Kind,
    /// What it does.
    pub(super) about: &'static str,
}

/// Where a parameter is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In the path; never left out.
    Path,
    /// After the question mark.
    Query,
    /// In a header field.
    Header,
}

/// What values a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Any text of at most so many bytes.
    Text(usize),
    /// `true` or `false`.
    Truth,
    /// A whole number from one to the other.
    Whole(u64, u64),
    /// One of these words.
    Word(&'static [&'static str]),
    /// A length of time: `500ms`, `5s`, `1min`.
    Span,
    /// A length of time: `90s`, `24h`, `30day`.
    LongSpan,
    /// Several texts by name: `name[x]=…` or `name.x=…`.
    Texts,
}

/// A schema by its name in the document, and what is a good example.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Its name.
    pub(super) schema: &'static str,
    /// An example.
    pub(super) example: fn() -> Value,
}

/// An answer when all goes well.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told {
    /// The status.
    pub(super) status: u16,
    /// What it means.
    pub(super) about: &'static str,
    /// What is in it.
    pub(super) content: Content,
    /// The header fields it carries.
    pub(super) headers: &'static [&'static str],
}

/// What is in an answer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Content {
    /// Nothing.
    Nothing,
    /// JSON of the schema of this name.
    Json(&'static str),
    /// JSON of the schema of this name, or YAML.
    JsonOrYaml(&'static str),
    /// JSON of the schema of this name, or lines of JSON.
    JsonOrLines(&'static str),
    /// A text of this type.
    Text(&'static str),
}

impl Route {
    /// Every parameter of a place.
    pub(super) fn params(&self, place: Place) -> impl Iterator<Item = &'static Param> {
        let all = self.params.iter().flat_map(|group| group.iter());
        all.filter(move |param| param.place == place)
    }
}

/// A parameter in the query.
pub(super) const fn query(name: &'static str, kind: Kind, about: &'static str) -> Param {
    Param { place: Place::Query, name, kind, about }
}

/// A parameter in the path.
pub(super) const fn path(name: &'static str, kind: Kind, about: &'static str) -> Param {
    Param { place: Place::Path, name, kind, about }
}

/// A parameter in a header field.
pub(super) const fn header(name: &'static str, about: &'static str) -> Param {
    Param { place: Place::Header, name, kind: Kind::Text(HEADER_BYTES_MAX), about }
}

/// The longest value of a header field that is ours.
const HEADER_BYTES_MAX: usize = 2_000;
