//! Where an entry goes, and what is there.

use std::sync::Arc;

use tollgate_core::Timestamp;

use super::{
    EntryAt, EntryBody, EntryKind, StoredEntry,
    list::{find, read},
};
use crate::{
    CatalogError, OverrideSeq,
    catalog::log::Log,
    sql::{Row, Session},
};

/// What is stored under an id until now.
#[derive(Debug)]
pub(super) struct Former {
    pub(super) text: String,
    pub(super) is_gone: bool,
    pub(super) created: (Timestamp, Arc<str>),
    seq: OverrideSeq,
    /// None if only a newer release can read it.
    entry: Option<StoredEntry>,
}

impl Former {
    fn of(row: &Row) -> Result<Self, CatalogError> {
        Ok(Self {
            text: row.text(3)?.to_owned(),
            is_gone: row.maybe_int(4)?.is_some(),
            created: (row.moment(5)?, row.text(6)?.into()),
            seq: OverrideSeq::from_row(row.int(2)?)?,
            entry: read(row).ok(),
        })
    }

    pub(super) fn body(&self) -> Option<&EntryBody> {
        self.entry.as_ref().map(|entry| &entry.body)
    }

    /// What is there, if it says the same.
    pub(super) fn same_as(&self, body: &EntryBody) -> Option<&StoredEntry> {
        self.entry.as_ref().filter(|entry| entry.body == *body)
    }
}

/// The id under which an entry goes, and what is stored there; or why it cannot go there.
pub(super) async fn place(
    session: &mut Session,
    at: EntryAt,
    body: &EntryBody,
    log: &mut Log,
) -> Result<(Arc<str>, Option<Former>), CatalogError> {
    let kind = body.kind();
    let named = match body {
        EntryBody::Quota(quota) => Some(Arc::clone(&quota.quota.user)),
        _ => None,
    };
    let id = match (&at, &named) {
        (EntryAt::New, Some(named)) => Arc::clone(named),
        (EntryAt::New, None) => {
            let number = log.next_id()?;
            return Ok((format!("{}{number}", letter(kind)).into(), None));
        }
        (EntryAt::Id { id, .. } | EntryAt::Either(id), _) => Arc::clone(id),
    };
    let unknown = || CatalogError::UnknownEntry { kind, id: id.to_string() };
    // The id of a quota is its user.
    if named.as_ref().is_some_and(|named| *named != id) {
        return Err(unknown());
    }
    let former = find(session, kind, &id).await?;
    let former = former.as_ref().map(Former::of).transpose()?;
    let alive = former.as_ref().filter(|former| !former.is_gone);
    let is_as_seen = match &at {
        EntryAt::New => alive.is_none(),
        EntryAt::Id { seen, .. } => {
            let found = alive.ok_or_else(unknown)?.seq;
            seen.is_none_or(|seen| seen == found)
        }
        EntryAt::Either(_) => true,
    };
    if !is_as_seen {
        let id = id.to_string();
        return Err(CatalogError::EntryChanged { kind, id });
    }
    // Numbers are ours to give.
    let is_given = || number_of(kind, &id).is_some_and(|number| log.is_given(number));
    if named.is_none() && former.is_none() && !is_given() {
        return Err(unknown());
    }
    Ok((id, former))
}

/// What the ids of a kind begin with; a quota's is its user.
const fn letter(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::ApiKey => "k",
        EntryKind::Quota => "",
        EntryKind::Block => "b",
        EntryKind::Token => "t",
    }
}

fn number_of(kind: EntryKind, id: &str) -> Option<u64> {
    let digits = id.strip_prefix(letter(kind))?;
    let number: u64 = digits.parse().ok()?;
    (number > 0 && number.to_string() == digits).then_some(number)
}
