//! Putting in force what the catalog says.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering::Relaxed},
};

use tollgate_catalog::{EntryDelta, LivePublisher, OverrideDelta, Publish, Refused, Revision};
use tollgate_rules::{Live, RuleSet, review::review_for_redis};

use super::demo_rules;
use crate::{authority::Authority, config::Demo, counting::Counting, telemetry::Recorder};

/// Puts revisions in force, and the demonstration as long as there was none.
#[derive(Debug)]
pub(crate) struct Publisher {
    catalog: LivePublisher,
    live: Arc<Live>,
    recorder: Arc<Recorder>,
    demo: Demo,
    counting: Counting,
    authority: Arc<Authority>,
    shows_demo: AtomicBool,
}

/// Whose rules are in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Those that somebody wrote, if anybody did.
    Own,
    /// Those of the demonstration.
    Demo,
}

impl Publisher {
    pub(crate) fn new(
        live: Arc<Live>,
        recorder: Arc<Recorder>,
        demo: Demo,
        counting: Counting,
    ) -> Self {
        Self {
            catalog: LivePublisher::new(Arc::clone(&live)),
            live,
            recorder,
            demo,
            counting,
            authority: Arc::new(Authority::new(None)),
            shows_demo: AtomicBool::new(false),
        }
    }

    /// Which tells them of tokens.
    #[must_use]
    pub(crate) fn telling(mut self, authority: Arc<Authority>) -> Self {
        self.authority = authority;
        self
    }

    /// Whose rules are in force.
    pub(crate) fn shown(&self) -> Shown {
        if self.shows_demo.load(Relaxed) { Shown::Demo } else { Shown::Own }
    }

    /// What cannot be counted where counters are is kept out, as what cannot be read is.
    fn fits(&self, revision: &Revision) -> Result<(), Refused> {
        if self.counting == Counting::Alone {
            return Ok(());
        }
        let flaws = review_for_redis(&revision.set);
        let Some(first) = flaws.first() else {
            return Ok(());
        };
        let others = flaws.len().saturating_sub(1);
        let others = match others {
            0 => String::new(),
            others => format!(" (and {others} more)"),
        };
        Err(Refused(format!(
            "revision {} has limits that cannot be counted in Redis: {}: {}{others}",
            revision.number, first.at, first.message
        )))
    }

    /// Nothing was ever written to the catalog.
    fn is_untouched(revision: &Revision) -> bool {
        revision.number.get() == 0 && *revision.set == RuleSet::default()
    }
}

impl Publish for Publisher {
    fn rules(&self, revision: &Arc<Revision>) -> Result<(), Refused> {
        let is_demo = self.demo == Demo::Offered && Self::is_untouched(revision);
        if is_demo {
            self.live.publish(&demo_rules(), revision.number.get());
        } else {
            self.fits(revision)?;
            self.catalog.rules(revision)?;
        }
        self.shows_demo.store(is_demo, Relaxed);
        if let Some(snapshot) = self.live.snapshot() {
            self.recorder.rules_changed(&snapshot);
        }
        Ok(())
    }

    fn overrides(&self, delta: OverrideDelta) {
        self.catalog.overrides(delta);
    }

    fn entries(&self, delta: EntryDelta) {
        self.authority.take(&delta);
        self.catalog.entries(delta);
    }
}
