//! A key by a function.

use std::{borrow::Cow, fmt};

use super::{Facts, Key, Role};
use crate::RequestHead;

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
