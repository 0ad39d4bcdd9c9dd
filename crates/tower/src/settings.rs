//! What can be set.

use std::{fmt, sync::Arc};

use crate::{RequestHead, counts::Tally};

/// Which header fields carry the numbers.
///
/// ```
/// use tollgate_tower::{Fields, TollgateLayer};
///
/// let layer = TollgateLayer::embedded("100/min")?.fields(Fields::Both);
/// # Ok::<(), tollgate_tower::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fields {
    /// `X-RateLimit-Limit`, `-Remaining` and `-Reset`.
    #[default]
    Vendor,
    /// `RateLimit` and `RateLimit-Policy` of the IETF's draft.
    Draft,
    /// Both.
    Both,
}

/// What `X-RateLimit-Reset` means.
///
/// ```
/// use tollgate_tower::{ResetAs, TollgateLayer};
///
/// let layer = TollgateLayer::embedded("100/min")?.reset_as(ResetAs::Seconds);
/// # Ok::<(), tollgate_tower::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResetAs {
    /// A moment, in seconds since 1970.
    #[default]
    Epoch,
    /// Seconds from now.
    Seconds,
}

/// What becomes of a request that has no key.
///
/// ```
/// use tollgate_tower::{Missing, TollgateLayer, header};
///
/// let layer = TollgateLayer::embedded("100/min")?.key(header("x-api-key")).missing(Missing::Deny);
/// # Ok::<(), tollgate_tower::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// All such requests share one budget. Gates and servers are asked without the fact, so that their rules decide.
    #[default]
    Shared,
    /// It passes, and nobody is asked.
    Skip,
    /// It is denied with 403.
    Deny,
}

/// What becomes of a request whose facts no rule can be asked about: a path that climbs above the root, a header of
/// more than 1,024 bytes, a proxy's header that names no client.
///
/// ```
/// use tollgate_tower::{Malformed, TollgateLayer};
///
/// let layer = TollgateLayer::embedded("100/min")?.malformed(Malformed::Pass);
/// # Ok::<(), tollgate_tower::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Malformed {
    /// It is answered with 400: if it passed, a client could choose not to be limited.
    #[default]
    Reject,
    /// It passes.
    Pass,
}

/// Whether a browser's question before a request of another origin is charged.
///
/// ```
/// use tollgate_tower::{Preflights, TollgateLayer};
///
/// let layer = TollgateLayer::embedded("100/min")?.preflights(Preflights::Charged);
/// # Ok::<(), tollgate_tower::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Preflights {
    /// `OPTIONS` with `Access-Control-Request-Method` passes, and nobody is asked.
    #[default]
    Free,
    /// It is a request like any other.
    Charged,
}

/// What a denial does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    #[default]
    Enforce,
    Shadow,
}

/// What a request weighs.
pub(crate) type Weigh = dyn Fn(&RequestHead<'_>) -> u64 + Send + Sync;

/// All settings but the key.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) fields: Fields,
    pub(crate) reset_as: ResetAs,
    pub(crate) missing: Missing,
    pub(crate) malformed: Malformed,
    pub(crate) preflights: Preflights,
    pub(crate) mode: Mode,
    /// What the limits of a plain limiter are called.
    pub(crate) name: Arc<str>,
    pub(crate) cost: Option<Arc<Weigh>>,
    pub(crate) tally: Arc<Tally>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            fields: Fields::default(),
            reset_as: ResetAs::default(),
            missing: Missing::default(),
            malformed: Malformed::default(),
            preflights: Preflights::default(),
            mode: Mode::default(),
            name: Arc::from("default"),
            cost: None,
            tally: Arc::default(),
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("fields", &self.fields)
            .field("missing", &self.missing)
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}
