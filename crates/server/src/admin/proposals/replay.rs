//! An earlier request, as it would be read now.

use axum::{
    extract::Query,
    http::{HeaderMap, HeaderName, HeaderValue, Uri},
};
use tollgate_catalog::Asked;

use super::super::{params::Params, problem::Problem, route::Route, routes};

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
        let name = expected
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'));
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
