//! The admin token that the first start of a server makes: for a terminal or a file, never for a log.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tokio::time::{MissedTickBehavior, interval};
use tollgate_catalog::{
    Author, Catalog, CatalogError, EntryAt, EntryBody, EntryDelta, EntryKind, EntryListing, Scope,
    TokenBody,
};
use tollgate_core::{Clock as _, SystemClock};

use crate::{
    authority::{Authority, Caller, Door, Refused, Role},
    config::Settings,
    identity::secret::{Kind, Secret, token_digest},
    stop::Stop,
};

/// How long it opens anything: long enough to issue tokens that have owners.
pub(crate) const SPAN: Duration = Duration::from_secs(30 * 86_400);
/// Who holds it.
pub(crate) const NAME: &str = "first-start";
/// What the audit says issued it.
pub(crate) const ISSUED_BY: &str = "server";

/// The file in the data folder that holds it until it is shown on a terminal, revoked or expired.
const FILE: &str = "first-token";
/// How often the file is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(10);
/// The most of the file that is read: a token is shorter.
const BYTES_MAX: u64 = 256;
/// Who may read and write the file.
const OWNER_ONLY: u32 = 0o600;

/// A token that was made at this start.
#[derive(Clone, Debug)]
pub(crate) struct FirstToken {
    pub(crate) secret: Secret,
    pub(crate) file: PathBuf,
}

impl FirstToken {
    /// Removes the file once the token is on a terminal.
    pub(crate) fn forget_file(&self) {
        remove(&self.file);
    }
}

/// Makes a token of an admin, where nobody else can reach the server, nobody brought a token along, and none was ever
/// made. It is in a file before it opens anything, so that a start that is cut off does not lose it.
pub(crate) async fn issued(
    settings: &Settings,
    authority: &Authority,
    catalog: &Catalog,
) -> Option<FirstToken> {
    let is_alone = settings.database.is_sqlite() && settings.listen.are_loopback();
    if !is_alone || settings.token.is_some() || !has_none(catalog).await {
        return None;
    }
    let secret = Secret::generate(Kind::Token);
    let file = settings.data.join(FILE);
    if let Err(error) = write(&file, &secret) {
        tracing::warn!(%error, path = %file.display(), "No first token could be made; the next start tries again.");
        return None;
    }
    match stored(&secret, authority, catalog).await {
        Ok(()) => Some(FirstToken { secret, file }),
        Err(error) => {
            tracing::warn!(%error, "No first token could be made; the next start tries again.");
            remove(&file);
            None
        }
    }
}

async fn stored(
    secret: &Secret,
    authority: &Authority,
    catalog: &Catalog,
) -> Result<(), CatalogError> {
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
    let body = EntryBody::Token(body);
    let written = catalog.put_entry(EntryAt::New, body, &author).await?;
    // It opens from the first moment on, not only once the watcher has come by.
    authority.take(&EntryDelta {
        scope: Scope::Changes,
        entries: vec![written.entry],
        kept: Vec::new(),
        is_first: true,
        is_last: true,
    });
    Ok(())
}

/// Readable for the owner alone from its first byte on.
fn write(path: &Path, secret: &Secret) -> io::Result<()> {
    // A leftover of a start that was cut off: its token opens nothing.
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(OWNER_ONLY);
    let mut file = options.open(path)?;
    file.write_all(format!("{}\n", secret.as_str()).as_bytes())?;
    file.sync_all()
}

/// Removes the file once its token is revoked or has expired.
pub(crate) async fn tidy(data: PathBuf, authority: Arc<Authority>, mut stop: Stop) {
    let path = data.join(FILE);
    let mut turn = interval(LOOK_EVERY);
    turn.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while let Some(token) = read(&path) {
        let caller = Caller { door: Door::Loopback, token: Some(&token), name: None };
        if let Err(Refused::Revoked | Refused::Expired) = authority.shows(caller) {
            remove(&path);
            return;
        }
        tokio::select! {
            _ = turn.tick() => {}
            () = stop.heard() => return,
        }
    }
}

/// What the file holds, if it is there.
fn read(path: &Path) -> Option<String> {
    let mut text = String::new();
    let file = File::open(path).ok()?;
    file.take(BYTES_MAX).read_to_string(&mut text).ok()?;
    Some(text.trim().to_owned())
}

fn remove(path: &Path) {
    if let Err(error) = fs::remove_file(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(%error, path = %path.display(), "The file with the first token cannot be removed: remove it.");
    }
}

/// Whether no token was ever made; those that were revoked were made.
async fn has_none(catalog: &Catalog) -> bool {
    let listing =
        EntryListing { kind: EntryKind::Token, user: None, org: None, after: None, count: 1 };
    let found = catalog.entries(&listing).await;
    found.is_ok_and(|found| found.is_empty())
}
