//! The one point where the control plane touches decisions.

use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::{ArcSwapOption, Guard};

use crate::{Directory, RuleSet, Snapshot, UnknownTier};

/// The snapshot in force, and the directory beside it. Decisions load a pointer; whoever manages the rules
/// stores another.
///
/// ```
/// use tollgate_rules::{Live, Published, RuleSet};
///
/// let live = Live::new();
/// assert!(live.snapshot().is_none());
/// assert_eq!(live.publish(&RuleSet::default(), 7), Published::InForce);
/// assert_eq!(live.publish(&RuleSet::default(), 6), Published::Older { in_force: 7 });
/// ```
#[derive(Debug, Default)]
pub struct Live {
    snapshot: ArcSwapOption<Snapshot>,
    directory: Directory,
    /// One publisher at a time: each succeeds the one before.
    publishing: Mutex<()>,
    unknown_tier: UnknownTier,
}

/// What became of a revision that was published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Published {
    /// Every request from now on is held against it.
    InForce,
    /// A later one is in force; revisions never go back.
    Older {
        /// Which.
        in_force: u64,
    },
}

/// What [`Live::load`] found; it stays what it is whatever is published meanwhile.
///
/// ```
/// use tollgate_rules::{Live, RuleSet};
///
/// let live = Live::new();
/// assert!(live.load().snapshot().is_none());
/// live.publish(&RuleSet::default(), 7);
/// assert_eq!(live.load().snapshot().map(|snapshot| snapshot.revision()), Some(7));
/// ```
#[derive(Debug)]
pub struct Loaded(Guard<Option<Arc<Snapshot>>>);

impl Loaded {
    /// The snapshot; none as long as none was ever published.
    #[inline]
    pub fn snapshot(&self) -> Option<&Snapshot> {
        self.0.as_deref()
    }
}

impl Live {
    /// Without any snapshot: nothing can be decided yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// With another answer for requests whose tier nothing names.
    ///
    /// ```
    /// use tollgate_rules::{Live, UnknownTier};
    ///
    /// let live = Live::new().with_unknown_tier(UnknownTier::Refuse);
    /// assert!(live.snapshot().is_none());
    /// ```
    #[must_use]
    pub fn with_unknown_tier(mut self, policy: UnknownTier) -> Self {
        self.unknown_tier = policy;
        self
    }

    /// Compiles a revision and puts it in force, unless a later one is.
    pub fn publish(&self, rules: &RuleSet, revision: u64) -> Published {
        let _one = self.publishing.lock().unwrap_or_else(PoisonError::into_inner);
        let former = self.snapshot.load_full();
        let snapshot = match &former {
            Some(former) if former.revision() > revision => {
                return Published::Older { in_force: former.revision() };
            }
            Some(former) => former.succeed(rules, revision),
            None => Snapshot::compile(rules, revision).with_unknown_tier(self.unknown_tier),
        };
        self.snapshot.store(Some(Arc::new(snapshot)));
        Published::InForce
    }

    /// The snapshot in force, for as long as the caller keeps it.
    pub fn snapshot(&self) -> Option<Arc<Snapshot>> {
        self.snapshot.load_full()
    }

    /// The snapshot in force, without touching its count of users: for one decision or one batch.
    #[inline]
    pub fn load(&self) -> Loaded {
        Loaded(self.snapshot.load())
    }

    /// Runs `with` on the snapshot in force, without touching its count of users.
    #[inline]
    pub fn with_snapshot<R>(&self, with: impl FnOnce(&Snapshot) -> R) -> Option<R> {
        self.snapshot.load().as_deref().map(with)
    }

    /// Overrides and blocks.
    pub const fn directory(&self) -> &Directory {
        &self.directory
    }
}
