//! From what is in force to what the database has.

use std::sync::Arc;

use super::{EntryDelta, InForce, Origin, Publish, Trouble, Watcher};
use crate::{
    CatalogError, Head, OverrideDelta, OverrideMark, Revision,
    catalog::{EntryWalk, Next, blocking},
    lastgood::LastGood,
};

impl<P: Publish> Watcher<P> {
    /// Fetches what is new and puts it in force. An error means that the database has no answer; that its
    /// answer cannot be used is in the status.
    pub(super) async fn sync(&mut self) -> Result<(), CatalogError> {
        if !self.is_ready {
            self.catalog.ready().await?;
            self.is_ready = true;
        }
        let head = self.catalog.head().await?;
        self.status.send_modify(|status| status.head = Some(head));
        // Rules that cannot be followed do not hold up an emergency override, nor the other way round.
        let rules = self.follow_rules(head).await?;
        let overrides = self.follow_overrides(head).await?;
        let skipped = self.skipped.clone().map(Trouble::Unreadable);
        let trouble = rules.or(overrides).or(skipped);
        // Said to the others before it is said here: whoever reads that we are ahead of the database may
        // rely on the next write going above us.
        let reported = self.report().await;
        if let Err(error) = &reported
            && error.is_transient()
        {
            return reported;
        }
        // Others do not see what we run, but we do run it.
        let unreported = reported.err().map(|error| Trouble::Unreported(error.to_string()));
        let now = self.catalog.now();
        self.status.send_modify(|status| {
            if trouble.is_some() {
                status.stale_since.get_or_insert(now);
            } else {
                status.stale_since = None;
                status.synced_at = Some(now);
            }
            status.trouble = trouble.or(unreported);
        });
        Ok(())
    }

    /// Notes that the database has no answer.
    pub(super) fn fail(&self, error: &CatalogError) {
        let now = self.catalog.now();
        self.status.send_modify(|status| {
            status.stale_since.get_or_insert(now);
            status.trouble = Some(Trouble::Database(error.to_string()));
        });
    }

    async fn follow_rules(&mut self, head: Head) -> Result<Option<Trouble>, CatalogError> {
        if let Some(ours) = &self.revision {
            let is_same = ours.number == head.revision && ours.hash == head.hash;
            if is_same {
                return Ok(None);
            }
            // The same number with other content was written after a restore, too.
            if head.revision <= ours.number {
                let (database, in_force) = (head.revision, ours.number);
                return Ok(Some(Trouble::Older { database, in_force }));
            }
        }
        match self.catalog.latest().await {
            Ok(revision) => Ok(self.put_in_force(revision, Origin::Database).await),
            Err(error) if error.is_transient() => Err(error),
            Err(error) => Ok(Some(Trouble::Unreadable(error.to_string()))),
        }
    }

    /// Publishes a revision, and keeps a copy of it on disk if it came from elsewhere.
    pub(super) async fn put_in_force(
        &mut self,
        revision: Arc<Revision>,
        origin: Origin,
    ) -> Option<Trouble> {
        if self.revision.as_ref().is_some_and(|ours| ours.number >= revision.number) {
            return None;
        }
        let (publish, news) = (Arc::clone(&self.publish), Arc::clone(&revision));
        let done = blocking(move || Ok(publish.rules(&news))).await;
        match done {
            Ok(Ok(())) => {}
            Ok(Err(refused)) => return Some(Trouble::Refused(refused.to_string())),
            Err(error) => return Some(Trouble::Refused(error.to_string())),
        }
        let in_force = InForce { revision: revision.number, hash: revision.hash, origin };
        self.revision = Some(Arc::clone(&revision));
        self.status.send_modify(|status| status.in_force = Some(in_force));
        if let (Some(last_good), Origin::Database) = (self.last_good.clone(), origin) {
            let saved = blocking(move || Ok(last_good.save_rules(&revision))).await;
            self.note_last_good(
                saved
                    .map_err(|error| error.to_string())
                    .and_then(|saved| saved.map_err(|error| error.to_string())),
            );
        }
        None
    }

    async fn follow_overrides(&mut self, head: Head) -> Result<Option<Trouble>, CatalogError> {
        if head.override_seq < self.mark.seq() {
            let (database, in_force) = (head.override_seq, self.mark.seq());
            return Ok(Some(Trouble::OlderOverrides { database, in_force }));
        }
        let bloated =
            |last_good: &LastGood| self.mark != OverrideMark::default() && last_good.is_bloated();
        if self.last_good.as_ref().is_some_and(bloated) {
            // Asking for everything writes the copy anew.
            self.mark = OverrideMark::default();
        }
        let Some(mut walk) = self.catalog.override_walk(&self.mark).await? else {
            return Ok(None);
        };
        if let Some(last_good) = &self.last_good {
            last_good.begin_walk();
        }
        if walk.is_whole() {
            self.skipped = None;
        }
        loop {
            match self.catalog.override_page(walk).await {
                Ok(Next::Page(page, next)) => {
                    self.take(page).await;
                    walk = next;
                }
                Ok(Next::Last(page, mark, entries)) => {
                    self.take(page).await;
                    return self.follow_entries(entries, mark).await;
                }
                Err(error) if error.is_transient() => return Err(error),
                Err(error) => return Ok(Some(Trouble::Unreadable(error.to_string()))),
            }
        }
    }

    /// The second part of a walk: the mark is reached with its end.
    async fn follow_entries(
        &mut self,
        walk: EntryWalk,
        mark: OverrideMark,
    ) -> Result<Option<Trouble>, CatalogError> {
        let mut walk = Some(walk);
        while let Some(ahead) = walk {
            let page = match self.catalog.entry_page(ahead).await {
                Ok(page) => page,
                Err(error) if error.is_transient() => return Err(error),
                Err(error) => return Ok(Some(Trouble::Unreadable(error.to_string()))),
            };
            self.skipped = page.skipped.or(self.skipped.take());
            // A release that can read what this one left out fetches all of it, and does not go on from the copy.
            let kept_mark = || match self.skipped {
                None => mark.clone(),
                Some(_) => mark.unshared(),
            };
            let reached = page.next.is_none().then(kept_mark);
            self.take_entries(page.delta, reached).await;
            walk = page.next;
        }
        self.status.send_modify(|status| status.override_seq = mark.seq());
        self.mark = mark;
        Ok(None)
    }

    /// Puts a page in force, and on disk.
    async fn take(&mut self, mut page: OverrideDelta) {
        self.skipped = page.skipped.take().or(self.skipped.take());
        let (publish, last_good) = (Arc::clone(&self.publish), self.last_good.clone());
        let done = blocking(move || {
            let saved = last_good.map_or(Ok(()), |file| file.save_overrides(&page));
            publish.overrides(page);
            Ok(saved.map_err(|error| error.to_string()))
        });
        let saved = done.await.map_err(|error| error.to_string()).flatten();
        self.note_last_good(saved);
    }

    /// The same of the entries. The last page comes with the mark that is reached.
    async fn take_entries(&mut self, page: EntryDelta, mark: Option<OverrideMark>) {
        let (publish, last_good) = (Arc::clone(&self.publish), self.last_good.clone());
        let done = blocking(move || {
            let saved = last_good.map_or(Ok(()), |file| file.save_entries(&page, mark.as_ref()));
            publish.entries(page);
            Ok(saved.map_err(|error| error.to_string()))
        });
        let saved = done.await.map_err(|error| error.to_string()).flatten();
        self.note_last_good(saved);
    }

    fn note_last_good(&self, saved: Result<(), String>) {
        self.status.send_modify(|status| status.last_good = saved.err());
    }
}
