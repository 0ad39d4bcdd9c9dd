//! Putting entries, and taking them away.

use std::{collections::BTreeSet, sync::Arc};

use tollgate_core::Timestamp;
use tollgate_rules::{Block, Field};

use super::{
    EntryAt, EntryBody, EntryKind, EntryWritten, StoredEntry,
    list::{find, read},
    place::{Former, place},
    record::noted,
    row,
};
use crate::{
    Author, Catalog, CatalogError, OverrideSeq,
    catalog::{audit, log::Log},
    sql::{Outcome, Session, Value, insert, values},
};

/// The most entries in one write; whoever has more writes several times.
pub const ENTRIES_BATCH_MAX: usize = 10_000;
/// The longest entry, as it is stored.
const BODY_BYTES_MAX: usize = 16 * 1024;

impl Catalog {
    /// Puts an entry. The audit says who did it, why, and what was there before.
    ///
    /// # Errors
    ///
    /// [`CatalogError::UnknownEntry`] and [`CatalogError::EntryChanged`] if it is not there, or not as the editor saw
    /// it; otherwise if the database fails; [`CatalogError::Undecided`] if its last answer was lost.
    pub async fn put_entry(
        &self,
        at: EntryAt,
        body: EntryBody,
        author: &Author,
    ) -> Result<EntryWritten, CatalogError> {
        let text = text_of(&body)?;
        let now = self.now();
        self.write_alone(async |session| {
            let mut log = Log::begin(session, "put entry").await?;
            let (id, former) = place(session, at, &body, &mut log).await?;
            let alive = former.as_ref().filter(|former| !former.is_gone);
            if let Some(same) = alive.and_then(|former| former.same_as(&body)) {
                let (seq, entry) = (log.before, same.clone());
                return Ok((EntryWritten { seq, entry }, Outcome::Undo));
            }
            let known = alive.and_then(Former::body);
            self.hold_key_print(session, &body, known).await?;
            let entry = entry(id, body, log.seq, (now, author), alive);
            let before = alive.map(|former| (former.body(), &*former.text));
            let on_record = noted(author, &entry.id, before, (&entry.body, Some(&text)));
            log.add(&format!("{} {} {text}", entry.body.kind(), entry.id));
            store(session, vec![columns(&entry, text)]).await?;
            audit::record(session, now, vec![on_record]).await?;
            log.finish(session, now).await?;
            let seq = entry.seq;
            Ok((EntryWritten { seq, entry }, Outcome::Commit))
        })
        .await
    }

    /// Puts many new entries: all or none. At most [`ENTRIES_BATCH_MAX`] at once.
    ///
    /// # Errors
    ///
    /// As for [`Catalog::put_entry`].
    pub async fn put_entries(
        &self,
        bodies: Vec<EntryBody>,
        author: &Author,
    ) -> Result<Vec<EntryWritten>, CatalogError> {
        let given = bodies.len();
        if given > ENTRIES_BATCH_MAX {
            let (what, max) = ("entries in one write", ENTRIES_BATCH_MAX);
            return Err(CatalogError::TooMany { what, given, max });
        }
        if bodies.is_empty() {
            return Ok(Vec::new());
        }
        let now = self.now();
        self.write_alone(async |session| {
            let mut log = Log::begin(session, "put entries").await?;
            // Once for all: whoever puts them has one secret.
            let a_key = bodies.iter().find(|body| body.kind() == EntryKind::ApiKey);
            if let Some(key) = a_key {
                self.hold_key_print(session, key, None).await?;
            }
            let (mut written, mut ids) = (Vec::with_capacity(given), BTreeSet::new());
            let (mut rows, mut on_record) = (Vec::with_capacity(given), Vec::with_capacity(given));
            for body in bodies {
                let text = text_of(&body)?;
                let (id, _) = place(session, EntryAt::New, &body, &mut log).await?;
                if !ids.insert((body.kind(), Arc::clone(&id))) {
                    let (kind, id) = (body.kind(), id.to_string());
                    return Err(CatalogError::EntryChanged { kind, id });
                }
                let entry = entry(id, body, log.seq, (now, author), None);
                on_record.push(noted(author, &entry.id, None, (&entry.body, Some(&text))));
                log.add(&format!("{} {} {text}", entry.body.kind(), entry.id));
                rows.push(columns(&entry, text));
                let seq = entry.seq;
                written.push(EntryWritten { seq, entry });
            }
            store(session, rows).await?;
            audit::record(session, now, on_record).await?;
            log.finish(session, now).await?;
            Ok((written, Outcome::Commit))
        })
        .await
    }

    /// Takes an entry away; none if there is none.
    ///
    /// # Errors
    ///
    /// As for [`Catalog::put_entry`].
    pub async fn remove_entry(
        &self,
        kind: EntryKind,
        id: &str,
        author: &Author,
    ) -> Result<Option<EntryWritten>, CatalogError> {
        self.remove_seen(kind, id, None, author).await
    }

    /// As [`Catalog::remove_entry`], if it is still as the editor saw it.
    ///
    /// # Errors
    ///
    /// As for [`Catalog::put_entry`].
    pub async fn remove_seen(
        &self,
        kind: EntryKind,
        id: &str,
        seen: Option<OverrideSeq>,
        author: &Author,
    ) -> Result<Option<EntryWritten>, CatalogError> {
        let now = self.now();
        self.write_alone(async |session| {
            let Some(row) = find(session, kind, id).await? else {
                return Ok((None, Outcome::Undo));
            };
            let mut entry = read(&row)?;
            if entry.is_gone {
                return Ok((None, Outcome::Undo));
            }
            if seen.is_some_and(|seen| seen != entry.seq) {
                let id = id.to_owned();
                return Err(CatalogError::EntryChanged { kind, id });
            }
            let mut log = Log::begin(session, "remove entry").await?;
            log.add(&format!("{kind} {id}"));
            let sql = "UPDATE entries SET seq = $1, removed_at = $2, changed_at = $2, \
                changed_by = $3, gone_at = CASE WHEN gone_at < $2 THEN gone_at ELSE $2 END \
                WHERE kind = $4 AND id = $5";
            let row_of = values![log.seq, now, author.name(), kind.word(), id];
            session.execute(sql, row_of).await?;
            let before = (Some(&entry.body), row.text(3)?);
            let on_record = noted(author, id, Some(before), (&entry.body, None));
            audit::record(session, now, vec![on_record]).await?;
            let seq = log.seq;
            log.finish(session, now).await?;
            (entry.seq, entry.is_gone) = (seq, true);
            entry.changed = (now, author.name().into());
            Ok((Some(EntryWritten { seq, entry }), Outcome::Commit))
        })
        .await
    }
}

/// An entry as it is from now on. One that was there keeps who made it.
fn entry(
    id: Arc<str>,
    body: EntryBody,
    seq: OverrideSeq,
    changed: (Timestamp, &Author),
    former: Option<&Former>,
) -> StoredEntry {
    let changed: (Timestamp, Arc<str>) = (changed.0, changed.1.name().into());
    StoredEntry {
        id,
        body,
        seq,
        created: former.map_or_else(|| changed.clone(), |former| former.created.clone()),
        changed,
        is_gone: false,
    }
}

fn text_of(body: &EntryBody) -> Result<String, CatalogError> {
    let text = row::to_text(body).map_err(CatalogError::Corrupt)?;
    let (given, max) = (text.len(), BODY_BYTES_MAX);
    if given > max {
        let what = "bytes of an entry";
        return Err(CatalogError::TooMany { what, given, max });
    }
    Ok(text)
}

/// What an entry is found by, and when it ends without leaving a trace.
fn columns(entry: &StoredEntry, text: String) -> Vec<Value> {
    let user = match &entry.body {
        EntryBody::ApiKey(key) => key.user.as_deref(),
        EntryBody::Quota(quota) => Some(&*quota.quota.user),
        EntryBody::Block(body) => blocked(&body.block, &Field::User),
        EntryBody::Token(_) => None,
    };
    let org = match &entry.body {
        EntryBody::ApiKey(key) => key.org.as_deref(),
        EntryBody::Block(body) => blocked(&body.block, &Field::Org),
        EntryBody::Quota(_) | EntryBody::Token(_) => None,
    };
    let (name, gone_at) = match &entry.body {
        EntryBody::ApiKey(key) => (Some(&*key.name), None),
        EntryBody::Quota(_) => (None, None),
        EntryBody::Block(block) => (Some(&*block.block.value), block.block.until),
        EntryBody::Token(token) => (Some(&*token.name), None),
    };
    let (created, changed) = (&entry.created, &entry.changed);
    values![
        entry.body.kind().word(),
        &*entry.id,
        entry.seq,
        user,
        org,
        name,
        text,
        gone_at,
        created.0,
        &*created.1,
        changed.0,
        &*changed.1
    ]
}

/// Who is blocked, if it is by this fact: so a block is found by its user or its organisation.
fn blocked<'b>(block: &'b Block, by: &Field) -> Option<&'b str> {
    (block.field == *by).then_some(&*block.value)
}

async fn store(session: &mut Session, rows: Vec<Vec<Value>>) -> Result<(), CatalogError> {
    let into = "entries (kind, id, seq, user_name, org, name, body, gone_at, created_at, \
        created_by, changed_at, changed_by)";
    let replace = "ON CONFLICT (kind, id) DO UPDATE SET seq = excluded.seq, \
        user_name = excluded.user_name, org = excluded.org, name = excluded.name, \
        body = excluded.body, gone_at = excluded.gone_at, removed_at = NULL, \
        created_at = excluded.created_at, created_by = excluded.created_by, \
        changed_at = excluded.changed_at, changed_by = excluded.changed_by";
    insert(session, into, replace, rows).await
}
