//! What API keys, quotas, blocks and tokens have in common: entries of the catalog, by id, in the order of their writes.

use serde_json::{Value, json};
use tollgate_catalog::{
    EntryAt, EntryBody, EntryKind, EntryListing, EntryPlace, EntryWritten, OverrideSeq, StoredEntry,
};

use super::{call::Call, cursor, masked::masked, problem::Problem, shared::PAGE, trouble, when};

/// So many are looked at for one page of a list that leaves some out.
const LOOK_MAX: u32 = 5_000;

/// A page of entries, and where the next one begins.
#[derive(Debug)]
pub(super) struct Found {
    /// The entries, oldest write first.
    pub(super) entries: Vec<StoredEntry>,
    /// The next page.
    pub(super) next_cursor: Option<String>,
}

/// A page of the entries of a kind, of a user or an organisation if the query names one, of those that are kept.
pub(super) async fn page(
    call: &Call,
    kind: EntryKind,
    keeps: impl Fn(&StoredEntry) -> bool,
) -> Result<Found, Problem> {
    let limit = call.params.whole("limit").unwrap_or(PAGE);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let after = call.params.text("cursor");
    let listing = EntryListing {
        kind,
        user: call.params.text("user_id").map(Into::into),
        org: call.params.text("org_id").map(Into::into),
        after: after.map(|after| place(kind, after)).transpose()?,
        count: LOOK_MAX,
    };
    let all = call.reading(call.state.catalog.entries(&listing)).await?;
    let is_cut = u32::try_from(all.len()).is_ok_and(|count| count >= LOOK_MAX);
    let mut found = Found { entries: Vec::new(), next_cursor: None };
    let mut last = None;
    for entry in all {
        if found.entries.len() >= limit {
            found.next_cursor = last.map(|place| written(kind, &place));
            return Ok(found);
        }
        last = Some((entry.seq, entry.id.to_string()));
        if keeps(&entry) {
            found.entries.push(entry);
        }
    }
    found.next_cursor = last.filter(|_| is_cut).map(|place| written(kind, &place));
    Ok(found)
}

fn written(kind: EntryKind, (seq, id): &(OverrideSeq, String)) -> String {
    cursor::written(kind.word(), &format!("{seq}.{id}"))
}

fn place(kind: EntryKind, text: &str) -> Result<EntryPlace, Problem> {
    let place = cursor::read(kind.word(), text)?;
    let parts = place.split_once('.').and_then(|(seq, id)| {
        let seq = seq.parse().ok().and_then(OverrideSeq::new)?;
        Some(EntryPlace { seq, id: id.into() })
    });
    parts.ok_or_else(cursor::bad)
}

/// The entry of an id; another than those that are there is 404.
pub(super) async fn known(call: &Call, kind: EntryKind, id: &str) -> Result<StoredEntry, Problem> {
    let found = call.reading(call.state.catalog.entry(kind, id)).await?;
    found.ok_or_else(|| unknown(kind, id))
}

/// There is none of this id.
pub(super) fn unknown(kind: EntryKind, id: &str) -> Problem {
    let id: String = masked(id).chars().take(128).collect();
    let what = kind.word().replace('_', " ");
    Problem::not_found(format!("there is no {what} {id:?}: list them to see which there are"))
}

/// Writes an entry.
pub(super) async fn put(
    call: &Call,
    at: EntryAt,
    body: EntryBody,
) -> Result<EntryWritten, Problem> {
    let author = call.author();
    let written = call.state.catalog.put_entry(at, body, &author).await;
    written.map_err(|error| trouble::problem(&error))
}

/// What every entry has, beside what it says.
pub(super) fn stamped(mut json: Value, entry: &StoredEntry) -> Value {
    let ((created_at, created_by), (changed_at, changed_by)) = (&entry.created, &entry.changed);
    let more = [
        ("id", json!(&*entry.id)),
        ("seq", json!(entry.seq.get())),
        ("created_at", json!(when::shown(*created_at))),
        ("created_by", json!(&**created_by)),
        ("changed_at", json!(when::shown(*changed_at))),
        ("changed_by", json!(&**changed_by)),
    ];
    if let Value::Object(members) = &mut json {
        members.extend(more.map(|(name, value)| (name.to_owned(), value)));
    }
    json
}

/// The same object with another member.
pub(super) fn with(mut json: Value, name: &str, value: Value) -> Value {
    if let Value::Object(members) = &mut json {
        members.insert(name.to_owned(), value);
    }
    json
}
