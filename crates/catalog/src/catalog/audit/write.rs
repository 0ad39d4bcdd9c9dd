//! Writing the audit.

use std::{collections::BTreeMap, sync::Arc};

use tollgate_core::Timestamp;

use super::{Ended, Noted};
use crate::{
    Author, Catalog, CatalogError,
    sql::{Outcome, Session, insert, values},
};

/// The most rows that one write adds, each about one thing: as many as there can be overrides or entries in it. The rest is counted in rows about many.
const ROWS_MAX: usize = 10_000;
/// The most that is put on record at once by [`Catalog::note`].
pub(super) const NOTED_MAX: usize = 1_000;
/// The longest text of what was there; of what is longer only its length and its hash are kept.
const JSON_BYTES_MAX: usize = 64 * 1024;
/// The longest action and kind.
const WORD_CHARS_MAX: usize = 64;
/// The longest id.
const ID_CHARS_MAX: usize = 500;
/// The id of a row about many things.
const MANY: &str = "*";

impl Catalog {
    /// Puts on record what was no write to the catalog, at most 1,000 at once.
    ///
    /// # Errors
    ///
    /// If there are more, or the database fails.
    pub async fn note(&self, noted: Vec<Noted>) -> Result<(), CatalogError> {
        let given = noted.len();
        if given > NOTED_MAX {
            let (what, max) = ("rows for the audit", NOTED_MAX);
            return Err(CatalogError::TooMany { what, given, max });
        }
        let now = self.now();
        self.write_alone(async |session| {
            record(session, now, noted).await?;
            Ok(((), Outcome::Commit))
        })
        .await
    }
}

impl Noted {
    /// Something that was done to one thing.
    pub(in crate::catalog) fn done(
        author: &Author,
        action: String,
        object: (&str, &str),
        before: Option<String>,
        after: Option<String>,
    ) -> Self {
        Self {
            author: author.clone(),
            action: action.into(),
            object: (object.0.into(), object.1.into()),
            before,
            after,
            ended: Ended::Done,
            times: 1,
        }
    }
}

/// Adds rows, in the transaction of what they are about.
pub(in crate::catalog) async fn record(
    session: &mut Session,
    now: Timestamp,
    noted: Vec<Noted>,
) -> Result<(), CatalogError> {
    let noted = bounded(noted);
    if noted.is_empty() {
        return Ok(());
    }
    let sql = "SELECT COALESCE(MAX(id), 0) FROM audit";
    let row = session.row(sql, Vec::new()).await?;
    let last = row.map_or(Ok(0), |row| row.int(0))?;
    let rows = (1..).zip(noted).map(|(at, noted): (i64, Noted)| {
        let Noted { author, object, .. } = &noted;
        values![
            last.saturating_add(at),
            now,
            author.name(),
            author.role(),
            author.from(),
            author.request(),
            cut(&noted.action, WORD_CHARS_MAX),
            cut(&object.0, WORD_CHARS_MAX),
            cut(&object.1, ID_CHARS_MAX),
            json(noted.before.as_deref()).as_deref(),
            json(noted.after.as_deref()).as_deref(),
            author.reason(),
            noted.ended.word(),
            i64::try_from(noted.times).unwrap_or(i64::MAX),
        ]
    });
    let into = "audit (id, at, actor, role, from_address, request_id, action, object_kind, \
        object_id, before_json, after_json, reason, ended, times)";
    insert(session, into, "", rows.collect()).await
}

/// The first of them, and how many more of each kind there are.
fn bounded(mut noted: Vec<Noted>) -> Vec<Noted> {
    let rest = noted.split_off(ROWS_MAX.min(noted.len()));
    let mut more: BTreeMap<Arc<str>, Noted> = BTreeMap::new();
    for one in rest {
        let many = more.entry(Arc::clone(&one.action)).or_insert_with(|| Noted {
            object: (Arc::clone(&one.object.0), MANY.into()),
            before: None,
            times: 0,
            ..one
        });
        many.times = many.times.saturating_add(1);
        many.after = Some(format!("{{\"more\":{}}}", many.times));
    }
    noted.extend(more.into_values());
    noted
}

/// PostgreSQL keeps no zero characters in a text.
fn cut(text: &str, chars_max: usize) -> String {
    let kept = text.chars().filter(|&sign| sign != '\0');
    kept.take(chars_max).collect()
}

fn json(text: Option<&str>) -> Option<String> {
    let text = text?;
    let bytes = text.len();
    Some(if bytes > JSON_BYTES_MAX {
        let hash = blake3::hash(text.as_bytes());
        format!("{{\"too_long\":{bytes},\"blake3\":\"{hash}\"}}")
    } else {
        text.replace('\0', "")
    })
}
