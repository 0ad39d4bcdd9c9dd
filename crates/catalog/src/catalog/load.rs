//! Reading revisions: whole, or what changed since the last one.

use std::sync::Arc;

use super::{Catalog, assembly::Assembly, store};
use crate::{CatalogError, Revision, RevisionInfo, RevisionNumber, sql::Session};

impl Catalog {
    /// What a revision holds.
    ///
    /// # Errors
    ///
    /// If there is no such revision, if a newer release wrote into it what this one cannot read, if it is
    /// damaged, or if the database has no answer.
    pub async fn load(&self, number: RevisionNumber) -> Result<Arc<Revision>, CatalogError> {
        self.database.read(async |session| load(session, number, None).await).await
    }

    /// What the newest revision holds. Only what changed since the last call is read.
    ///
    /// # Errors
    ///
    /// As for [`Catalog::load`].
    pub async fn latest(&self) -> Result<Arc<Revision>, CatalogError> {
        self.database.read(async |session| self.latest_in(session).await).await
    }

    /// As [`Catalog::latest`], in a transaction.
    pub(super) async fn latest_in(
        &self,
        session: &mut Session,
    ) -> Result<Arc<Revision>, CatalogError> {
        let head = store::head(session).await?;
        let revision = load(session, head.revision, self.newest()).await?;
        self.remember(&revision);
        Ok(revision)
    }
}

/// Reads a revision. Where an earlier one is at hand and the database knows it by the same hash, only the
/// difference is read; the hash of the result says whether that went well.
pub(super) async fn load(
    session: &mut Session,
    number: RevisionNumber,
    known: Option<Arc<Revision>>,
) -> Result<Arc<Revision>, CatalogError> {
    if number == RevisionNumber::ZERO {
        return Ok(Arc::new(Revision::zero()));
    }
    let Some(info) = store::info(session, number).await? else {
        let head = store::head(session).await?.revision;
        return Err(CatalogError::UnknownRevision { wanted: number, head });
    };
    if let Some(known) = known {
        if known.number == number && known.hash == info.hash {
            return Ok(known);
        }
        if let Some(revision) = advance(session, &known, &info).await? {
            return Ok(revision);
        }
    }
    let stored = store::items(session, number).await?;
    let revision =
        blocking(move || Ok(Assembly::default().with(number, stored)?.finish(number))).await?;
    if revision.hash != info.hash {
        let why = format!("the content of revision {number} does not have its hash");
        return Err(CatalogError::Corrupt(why));
    }
    Ok(Arc::new(revision))
}

/// The difference applied to a revision that is at hand; none where that does not lead there.
async fn advance(
    session: &mut Session,
    known: &Arc<Revision>,
    info: &RevisionInfo,
) -> Result<Option<Arc<Revision>>, CatalogError> {
    let (earlier, later) = (known.number, info.number);
    if earlier == RevisionNumber::ZERO || earlier >= later {
        return Ok(None);
    }
    let theirs = store::info(session, earlier).await?;
    if theirs.is_none_or(|theirs| theirs.hash != known.hash) {
        return Ok(None);
    }
    let closed = store::closed_since(session, earlier, later).await?;
    let stored = store::items_since(session, earlier, later).await?;
    let known = Arc::clone(known);
    let revision = blocking(move || {
        let assembly = Assembly::from(&*known).without(&closed);
        Ok(assembly.with(later, stored)?.finish(later))
    });
    let revision = revision.await?;
    Ok((revision.hash == info.hash).then(|| Arc::new(revision)))
}

/// Reading thousands of rules takes a while; the threads that serve requests are not for that.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CatalogError> + Send + 'static,
) -> Result<T, CatalogError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(CatalogError::Failed(error.into())))
}
