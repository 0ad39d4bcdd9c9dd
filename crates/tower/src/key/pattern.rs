//! Patterns of paths with a name for one segment.

use tollgate::rules::normalise::Path;

use crate::Error;

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
        let wrong = |problem| Error::PathPattern {
            pattern: pattern.to_owned(),
            problem,
        };
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
    let inner = text
        .strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'));
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
            Pattern::new(pattern, "id")
                .unwrap()
                .find(path)
                .map(str::to_owned)
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
        for wrong in [
            "users/{id}",
            "/users",
            "/{id}/{id}",
            "/{id}/a*",
            "/{i{d}",
            "/{id}/**/x",
            "/{id}/..",
        ] {
            let error = Pattern::new(wrong, "id").unwrap_err().to_string();
            assert!(
                error.contains("write for example /users/{id}/**"),
                "{error}"
            );
        }
    }
}
