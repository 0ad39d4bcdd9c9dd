//! The first snapshot of a node.

use std::{sync::Arc, time::Duration};

use super::{EntryDelta, Origin, Publish, Watcher};
use crate::{
    CatalogError, OverrideDelta, OverrideMark, Revision, catalog::blocking, deadline::within,
    lastgood::Loaded,
};

/// A node has no rules to decide by.
#[derive(Debug, thiserror::Error)]
#[error("no snapshot: {database}; and {last_good}")]
#[non_exhaustive]
pub struct NoSnapshot {
    /// Why there is none from the database.
    pub database: CatalogError,
    /// Why there is none on disk.
    pub last_good: String,
}

impl<P: Publish> Watcher<P> {
    /// Puts the first snapshot in force: from the database if it answers within the deadline, else the
    /// last good copy on disk.
    ///
    /// # Errors
    ///
    /// If there is neither. [`Watcher::run`] may be called all the same: it goes on asking the database.
    pub async fn start(&mut self, deadline: Duration) -> Result<(), NoSnapshot> {
        let copy = self.last_good_rules().await;
        // What was in force before the restart does not go back either.
        let is_ahead =
            |head: crate::RevisionNumber| copy.as_ref().is_ok_and(|copy| copy.number > head);
        let asked = async {
            self.catalog.ready().await?;
            Ok(self.catalog.head().await?.revision)
        };
        let asked = within(deadline, asked).await;
        let database = match asked {
            Ok(head) if !is_ahead(head) => {
                self.is_ready = true;
                let synced = within(deadline, self.sync()).await;
                match (synced, self.revision.is_some()) {
                    (Ok(()), true) => return Ok(()),
                    (Err(error), true) => {
                        self.go_on_after(&error).await;
                        return Ok(());
                    }
                    (Err(error), false) => error,
                    (Ok(()), false) => CatalogError::Corrupt(self.trouble()),
                }
            }
            Ok(head) => CatalogError::Corrupt(format!("the database is only at revision {head}")),
            Err(error) => error,
        };
        self.fail(&database);
        match copy {
            Ok(copy) => self.serve_copy(copy, database).await,
            Err(last_good) => Err(NoSnapshot { database, last_good }),
        }
    }

    /// The rules are there, but the overrides did not all come in time: those of the copy are better than
    /// none, and the status says so.
    async fn go_on_after(&mut self, error: &CatalogError) {
        self.fail(error);
        if self.mark == OverrideMark::default() {
            self.last_good_overrides().await;
        }
    }

    async fn serve_copy(
        &mut self,
        copy: Arc<Revision>,
        database: CatalogError,
    ) -> Result<(), NoSnapshot> {
        if let Some(trouble) = self.put_in_force(copy, Origin::LastGood).await {
            return Err(NoSnapshot { database, last_good: trouble.to_string() });
        }
        self.last_good_overrides().await;
        Ok(())
    }

    async fn last_good_rules(&mut self) -> Result<Arc<Revision>, String> {
        let Some(last_good) = self.last_good.clone() else {
            return Err("no folder for a last good copy".to_owned());
        };
        let loaded = blocking(move || Ok(last_good.load_rules())).await;
        let loaded = loaded.map_err(|error| error.to_string())?;
        match loaded {
            Ok(Some(revision)) => Ok(Arc::new(revision)),
            Ok(None) => Err("no last good copy on disk".to_owned()),
            Err(error) => {
                let why = error.to_string();
                self.status.send_modify(|status| status.last_good = Some(why.clone()));
                Err(why)
            }
        }
    }

    /// Overrides that are lost are a nuisance; rules that are not served would be an outage.
    async fn last_good_overrides(&mut self) {
        let Some(last_good) = self.last_good.clone() else {
            return;
        };
        let publish = Arc::clone(&self.publish);
        let each = move |page: OverrideDelta, entries: EntryDelta| {
            publish.overrides(page);
            publish.entries(entries);
        };
        let loaded = blocking(move || Ok(last_good.load_overrides(each))).await;
        match loaded {
            Ok(Ok(Some(Loaded { mark, cut_off, skipped }))) => {
                let cut_off = cut_off.map(|why| {
                    format!(
                        "the last good copy of the overrides ends early, the rest is lost: {why}"
                    )
                });
                self.status.send_modify(|status| {
                    status.override_seq = mark.seq();
                    status.last_good = cut_off.or(status.last_good.take());
                });
                self.skipped = skipped;
                self.mark = mark;
            }
            Ok(Ok(None)) => {}
            Ok(Err(error)) => {
                self.status.send_modify(|status| status.last_good = Some(error.to_string()))
            }
            Err(error) => {
                self.status.send_modify(|status| status.last_good = Some(error.to_string()))
            }
        }
    }

    fn trouble(&self) -> String {
        let status = self.status.borrow();
        status.trouble.as_ref().map(ToString::to_string).unwrap_or_default()
    }
}
