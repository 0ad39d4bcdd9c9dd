//! A token for whoever starts a server for the first time.

use std::time::Duration;

use tollgate_catalog::{
    Author, Catalog, EntryAt, EntryBody, EntryDelta, EntryKind, EntryListing, Scope, TokenBody,
};
use tollgate_core::{Clock as _, SystemClock};

use crate::{
    authority::{Authority, Role},
    config::Settings,
    identity::secret::{Kind, Secret, token_digest},
};

/// How long it opens anything: long enough to issue tokens that have owners, not for ever in some log.
pub(crate) const SPAN: Duration = Duration::from_secs(30 * 86_400);
/// Who holds it.
pub(crate) const NAME: &str = "first-start";
/// What the audit says issued it.
pub(crate) const ISSUED_BY: &str = "server";

/// Makes a token of an admin, where nobody else can reach the server, nobody brought a token along, and none was ever
/// made. It is shown once, by whoever announces the server.
pub(crate) async fn issued(
    settings: &Settings,
    authority: &Authority,
    catalog: &Catalog,
) -> Option<Secret> {
    let is_alone = settings.database.is_sqlite() && settings.listen.are_loopback();
    if !is_alone || settings.token.is_some() || !has_none(catalog).await {
        return None;
    }
    let secret = Secret::generate(Kind::Token);
    let body = TokenBody {
        name: NAME.into(),
        hint: secret.hint().into(),
        digest: token_digest(secret.as_str()),
        role: Role::Admin.word().into(),
        scopes: None,
        issuers: None,
        expires_at: Some(SystemClock.now().wall.saturating_add(SPAN.into())),
        revoked_at: None,
    };
    let author = Author::new(ISSUED_BY).because("the first start");
    let written = catalog
        .put_entry(EntryAt::New, EntryBody::Token(body), &author)
        .await;
    match written {
        Ok(written) => {
            // It opens from the first moment on, not only once the watcher has come by.
            authority.take(&EntryDelta {
                scope: Scope::Changes,
                entries: vec![written.entry],
                kept: Vec::new(),
                is_first: true,
                is_last: true,
            });
            Some(secret)
        }
        Err(error) => {
            tracing::warn!(%error, "No first token could be made; the next start tries again.");
            None
        }
    }
}

/// Whether no token was ever made; those that were revoked were made.
async fn has_none(catalog: &Catalog) -> bool {
    let listing = EntryListing {
        kind: EntryKind::Token,
        user: None,
        org: None,
        after: None,
        count: 1,
    };
    let found = catalog.entries(&listing).await;
    found.is_ok_and(|found| found.is_empty())
}
