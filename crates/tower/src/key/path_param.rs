//! A key by a part of the path.

use std::{borrow::Cow, sync::Arc};

use tollgate::rules::normalise::Path;

use super::{Facts, Key, Role, pattern::Pattern};
use crate::{Error, RequestHead};

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
