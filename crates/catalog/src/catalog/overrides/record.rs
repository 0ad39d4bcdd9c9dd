//! What a write to the overrides puts on record.

use std::collections::BTreeMap;

use super::OverrideId;
use crate::{
    Author, CatalogError,
    catalog::Noted,
    sql::{Session, Value},
};

/// One query asks for this many.
const ASKED_AT_ONCE: usize = 500;

/// What is there of these, those that were taken away left out.
pub(super) async fn former(
    session: &mut Session,
    ids: impl IntoIterator<Item = OverrideId>,
) -> Result<BTreeMap<OverrideId, String>, CatalogError> {
    let ids: Vec<OverrideId> = ids.into_iter().collect();
    let mut found = BTreeMap::new();
    for some in ids.chunks(ASKED_AT_ONCE) {
        let places: Vec<String> = (1..=some.len()).map(|at| format!("${at}")).collect();
        let places = places.join(",");
        let sql =
            format!("SELECT id, body FROM overrides WHERE removed_at IS NULL AND id IN ({places})");
        let values = some.iter().copied().map(Value::from).collect();
        for row in session.rows(sql, values).await? {
            found.insert(OverrideId::from_row(row.int(0)?)?, row.text(1)?.to_owned());
        }
    }
    Ok(found)
}

/// The row about one override.
pub(super) fn noted(
    author: &Author,
    id: OverrideId,
    before: Option<String>,
    after: Option<String>,
) -> Noted {
    let word = match (&before, &after) {
        (_, None) => "remove",
        (None, Some(_)) => "create",
        (Some(_), Some(_)) => "update",
    };
    let object = ("override", &*id.to_string());
    Noted::done(author, format!("override.{word}"), object, before, after)
}
