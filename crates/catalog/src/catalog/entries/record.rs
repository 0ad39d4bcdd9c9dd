//! What a write to an entry puts on record.

use super::{EntryBody, row};
use crate::{Author, catalog::Noted};

/// The row about one entry. `before` is what is stored until now, as read and as text.
pub(super) fn noted(
    author: &Author,
    id: &str,
    before: Option<(Option<&EntryBody>, &str)>,
    after: (&EntryBody, Option<&str>),
) -> Noted {
    let kind = after.0.kind();
    let word = match (before, after) {
        (_, (_, None)) => "remove",
        (_, (EntryBody::Quota(_), _)) => "put",
        (None, _) => "create",
        (Some((was, _)), (is, _)) => deed(was, is),
    };
    let object = (kind.word(), id);
    let before = before.and_then(|(_, text)| row::redacted(text));
    let after = after.1.and_then(row::redacted);
    Noted::done(author, format!("{kind}.{word}"), object, before, after)
}

/// What somebody did who made this of that.
fn deed(was: Option<&EntryBody>, is: &EntryBody) -> &'static str {
    let (is_revoked, is_rotated) = match (was, is) {
        (Some(EntryBody::ApiKey(was)), EntryBody::ApiKey(is)) => {
            (was.revoked_at.is_none() && is.revoked_at.is_some(), was.digest != is.digest)
        }
        (Some(EntryBody::Token(was)), EntryBody::Token(is)) => {
            (was.revoked_at.is_none() && is.revoked_at.is_some(), was.digest != is.digest)
        }
        _ => (false, false),
    };
    match (is_revoked, is_rotated) {
        (true, _) => "revoke",
        (false, true) => "rotate",
        (false, false) => "update",
    }
}
