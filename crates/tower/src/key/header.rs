//! A key by a header.

use std::{borrow::Cow, fmt, sync::Arc};

use http::{HeaderName, header::AUTHORIZATION};
use tollgate::rules::normalise::Path;

use super::{Facts, Key, Role};
use crate::{Error, RequestHead};

/// Keyed by the first header of this name. A client can send any value: limit by what your host has verified, or by the
/// address as well.
///
/// To a plain limiter the value is the key. To a gate or a server it is one fact, and a rule counts by it only if its
/// `key:` names that fact:
///
/// | key of the layer | fact | rule that counts by it |
/// | --- | --- | --- |
/// | `header("x-api-key")` | the API key | `key: [api_key]` |
/// | `header("x-user")`, any other header | the attribute of that name | `key: [attributes.x-user]` |
/// | `header("x-user").as_user()` | the user | `key: [user]` |
/// | `header("x-team").as_org()` | the organisation | `key: [org]` |
/// | `header("x-user").as_user().or(peer_ip())` | the user, or else the address | `key: ["user\|ip"]` |
/// | [`bearer_token`] | the token, which a server verifies: its user, organisation and tier | `key: [user]` |
/// | [`path_param`](crate::path_param) | the attribute of the parameter's name | `key: [attributes.id]` |
/// | [`key_fn`](crate::key_fn) | the user | `key: [user]` |
/// | [`peer_ip`](crate::peer_ip), the default | the address | `key: [ip]` |
///
/// A key replaces the default: after `.key(header(…))` the address is not told any more, unless the key has it as well.
/// A server that limits nothing by these facts lets the request pass; the layer logs that once, and
/// [`Outcome::is_limited`](crate::Outcome::is_limited) is false.
///
/// ```
/// use tollgate_tower::{Key as _, TollgateLayer, header};
///
/// let layer = TollgateLayer::embedded("100/min")?.key(header("x-customer").as_org());
/// # Ok::<(), tollgate_tower::Error>(())
/// ```
///
/// # Panics
///
/// If this cannot be the name of a header, such as `x api key`.
#[expect(clippy::expect_used, reason = "documented; a name that is written into the program")]
pub fn header(name: &str) -> Header {
    let name = HeaderName::from_bytes(name.as_bytes()).expect("the name of a header");
    let role = match name.as_str() {
        "x-api-key" => Role::ApiKey,
        name => Role::Attribute(name.into()),
    };
    Header { name, role }
}

/// A key by a header: see [`header`].
///
/// ```
/// let key: tollgate_tower::Header = tollgate_tower::header("x-api-key");
/// ```
#[derive(Clone, Debug)]
pub struct Header {
    name: HeaderName,
    role: Role,
}

impl Key for Header {
    fn read<'r>(&'r self, head: &RequestHead<'r>, facts: &mut Facts<'r>) {
        facts.add(&self.role, head.header(&self.name).map(Into::into));
    }
}

/// The token in `Authorization: Bearer …`, for a server to verify. A gate is not told; a plain limiter counts by the
/// token as it is, which nobody has verified.
///
/// ```
/// use tollgate_tower::{TollgateLayer, bearer_token};
///
/// let layer = TollgateLayer::remote("http://tollgate:7070")?.key(bearer_token());
/// # Ok::<(), tollgate_tower::Error>(())
/// ```
pub const fn bearer_token() -> BearerToken {
    BearerToken { _private: () }
}

/// The token of a request: see [`bearer_token`].
///
/// ```
/// let key: tollgate_tower::BearerToken = tollgate_tower::bearer_token();
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BearerToken {
    _private: (),
}

impl Key for BearerToken {
    fn read<'r>(&'r self, head: &RequestHead<'r>, facts: &mut Facts<'r>) {
        facts.add(&Role::Token, shown_token(head).map(Into::into));
    }
}

/// The token that a request shows.
pub(crate) fn shown_token<'r>(head: &RequestHead<'r>) -> Option<&'r str> {
    let (scheme, token) = head.header(AUTHORIZATION)?.split_once([' ', '\t'])?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim_ascii())
}

/// Keyed by what a function reads: the user, unless said (`.as_org()`); [`header`](crate::header) has the table of facts.
///
/// For hosts that verify tokens themselves, this is how a claim becomes the key: what their own layer put into the
/// extensions.
///
/// ```
/// use tollgate_tower::{TollgateLayer, key_fn};
///
/// #[derive(Clone)]
/// struct Session { user: String }
///
/// let user = key_fn(|head| Some(head.extensions.get::<Session>()?.user.as_str().into()));
/// let layer = TollgateLayer::embedded("100/min")?.key(user);
/// # Ok::<(), tollgate_tower::Error>(())
/// ```
pub fn key_fn<F>(function: F) -> KeyFn<F>
where
    F: for<'r> Fn(&RequestHead<'r>) -> Option<Cow<'r, str>> + Clone + Send + Sync + 'static,
{
    KeyFn { function }
}

/// A key by a function: see [`key_fn`].
///
/// ```
/// let everybody = tollgate_tower::key_fn(|_| Some("all".into()));
/// assert_eq!(format!("{everybody:?}"), "KeyFn(..)");
/// ```
#[derive(Clone)]
pub struct KeyFn<F> {
    function: F,
}

impl<F> Key for KeyFn<F>
where
    F: for<'r> Fn(&RequestHead<'r>) -> Option<Cow<'r, str>> + Clone + Send + Sync + 'static,
{
    fn read<'r>(&'r self, head: &RequestHead<'r>, facts: &mut Facts<'r>) {
        facts.add(&Role::User, (self.function)(head));
    }
}

impl<F> fmt::Debug for KeyFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyFn(..)")
    }
}

/// Keyed by one segment of the path: an attribute of its name, unless said (`.as_user()`); [`header`](crate::header) has
/// the table of facts. In the pattern `{name}` and `*` stand for
/// one segment, and `**` at its end for any number.
///
/// The pattern is the layer's own and not the router's, so that it works alike in axum, tonic and hyper: only axum has
/// parameters at all, and not before it has chosen a route. Paths are compared in their normal form: `/users/%61nn` and
/// `//users/ann` are Ann's as well.
///
/// ```
/// use tollgate_tower::{Key as _, TollgateLayer, path_param};
///
/// let layer = TollgateLayer::embedded("100/min")?.key(path_param("/users/{id}/**", "id")?.as_user());
/// # Ok::<(), tollgate_tower::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::PathPattern`] if the pattern is none, or has no such parameter.
pub fn path_param(pattern: &str, name: &str) -> Result<PathParam, Error> {
    Ok(PathParam {
        pattern: Arc::new(Pattern::new(pattern, name)?),
        role: Role::Attribute(name.into()),
    })
}

/// A key by a part of the path: see [`path_param`].
///
/// ```
/// let key: tollgate_tower::PathParam = tollgate_tower::path_param("/{tenant}/**", "tenant")?;
/// # Ok::<(), tollgate_tower::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PathParam {
    pattern: Arc<Pattern>,
    role: Role,
}

impl Key for PathParam {
    fn read<'r>(&'r self, head: &RequestHead<'r>, facts: &mut Facts<'r>) {
        facts.add(&self.role, self.find(head.path()));
    }
}

impl PathParam {
    fn find<'p>(&self, path: &'p str) -> Option<Cow<'p, str>> {
        let normal = Path::new(path).ok()?;
        if normal.as_str() == path {
            return self.pattern.find(path).map(Cow::Borrowed);
        }
        let found = self.pattern.find(normal.as_str())?;
        Some(Cow::Owned(found.to_owned()))
    }
}

/// Where a parameter stands in paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    segments: Vec<Segment>,
    /// Whether more may follow.
    rest: Rest,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    Exact(Box<str>),
    Any,
    Named,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    Nothing,
    Anything,
}

impl Pattern {
    /// Reads `/users/{id}/**`, in which `name` is the parameter that is wanted.
    pub(super) fn new(pattern: &str, name: &str) -> Result<Self, Error> {
        let wrong = |problem| Error::PathPattern { pattern: pattern.to_owned(), problem };
        let Some(path) = pattern.strip_prefix('/') else {
            return Err(wrong("it does not begin with /"));
        };
        let (path, rest) = match path.strip_suffix("**") {
            Some(before) => (before.strip_suffix('/').unwrap_or(before), Rest::Anything),
            None => (path, Rest::Nothing),
        };
        let mut segments = Vec::new();
        for text in path.split('/').filter(|text| !text.is_empty()) {
            segments.push(segment(text, name).map_err(wrong)?);
        }
        let named = segments.iter().filter(|part| **part == Segment::Named);
        match named.count() {
            0 => Err(wrong("it has no such parameter")),
            1 => Ok(Self { segments, rest }),
            _ => Err(wrong("it has the parameter twice")),
        }
    }

    /// The segment that has the name, if the path is as the pattern says.
    pub(super) fn find<'p>(&self, path: &'p str) -> Option<&'p str> {
        let mut given = Path::segments_of(path);
        let mut found = None;
        for segment in &self.segments {
            let text = given.next()?;
            match segment {
                Segment::Exact(exact) if **exact != *text => return None,
                Segment::Named => found = Some(text),
                Segment::Exact(_) | Segment::Any => {}
            }
        }
        let fits = self.rest == Rest::Anything || given.next().is_none();
        found.filter(|_| fits)
    }
}

fn segment(text: &str, name: &str) -> Result<Segment, &'static str> {
    if text == "*" {
        return Ok(Segment::Any);
    }
    let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    match inner {
        Some(inner) if inner == name => Ok(Segment::Named),
        Some(inner) if inner.contains(['{', '}', '*']) || inner.is_empty() => {
            Err("a parameter is one name in braces")
        }
        Some(_) => Ok(Segment::Any),
        None if text.contains(['{', '}', '*']) => {
            Err("braces and stars stand for whole segments, and ** is last")
        }
        None => {
            let rooted = format!("/{text}");
            let path = Path::new(&rooted).map_err(|_| "it is no path")?;
            let normal = path.as_str().trim_start_matches('/');
            Ok(Segment::Exact(normal.into()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_segment_is_found_where_the_path_fits() {
        let found = |pattern: &str, path: &str| {
            Pattern::new(pattern, "id").unwrap().find(path).map(str::to_owned)
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(found("/users/{id}", "/users/ann"), some("ann"));
        assert_eq!(found("/users/{id}", "/users/ann/posts"), None);
        assert_eq!(found("/users/{id}", "/users"), None);
        assert_eq!(found("/users/{id}/**", "/users/ann"), some("ann"));
        assert_eq!(found("/users/{id}/**", "/users/ann/posts/3"), some("ann"));
        assert_eq!(found("/{org}/*/{id}", "/acme/repos/7"), some("7"));
        assert_eq!(found("/caf%c3%a9/{id}", "/caf%C3%A9/7"), some("7"));
        assert_eq!(found("/{id}/**", "/"), None);
    }

    #[test]
    fn patterns_that_cannot_be_are_refused() {
        for wrong in
            ["users/{id}", "/users", "/{id}/{id}", "/{id}/a*", "/{i{d}", "/{id}/**/x", "/{id}/.."]
        {
            let error = Pattern::new(wrong, "id").unwrap_err().to_string();
            assert!(error.contains("write for example /users/{id}/**"), "{error}");
        }
    }
}
