//! Reading overrides.

use std::{collections::BTreeMap, sync::Arc};

use tollgate_core::Timestamp;
use tollgate_rules::{Field, Name};

use super::{OverrideId, OverrideSeq, Removal, StoredOverride};
use crate::{
    Catalog, CatalogError,
    catalog::blocking,
    codec,
    sql::{Row, Session, Value, Wanted, values},
};

/// The most overrides on a page.
pub const OVERRIDES_PAGE_MAX: u32 = 10_000;

/// Which overrides are asked for, oldest write first.
///
/// ```
/// use tollgate_catalog::Listing;
///
/// let of_login = Listing::default().rule("login".parse()?).count(100);
/// # let _ = of_login;
/// # Ok::<(), tollgate_rules::NameError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    rule: Option<Name>,
    facts: Option<String>,
    in_force_at: Option<Timestamp>,
    after: Option<Cursor>,
    count: Option<u32>,
}

impl Listing {
    /// Only those that name this rule.
    #[must_use]
    pub fn rule(mut self, name: Name) -> Self {
        self.rule = Some(name);
        self
    }

    /// Only those for exactly this key.
    #[must_use]
    pub fn key(mut self, key: &BTreeMap<Field, Arc<str>>) -> Self {
        self.facts = Some(codec::facts(key));
        self
    }

    /// Only those that count at this moment; without it also those that have ended lately.
    #[must_use]
    pub const fn in_force_at(mut self, now: Timestamp) -> Self {
        self.in_force_at = Some(now);
        self
    }

    /// Only those after the last one of the page before.
    #[must_use]
    pub fn after(self, last: &StoredOverride) -> Self {
        self.after_place(Cursor::of(last))
    }

    /// Only those after a place in the order.
    #[must_use]
    pub fn after_place(mut self, place: Cursor) -> Self {
        self.after = Some(place);
        self
    }

    /// At most this many, at most [`OVERRIDES_PAGE_MAX`].
    #[must_use]
    pub const fn count(mut self, count: u32) -> Self {
        self.count = Some(count);
        self
    }
}

/// A place in the order of overrides: by their last write, then by id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    pub(super) seq: OverrideSeq,
    pub(super) id: u64,
}

impl Cursor {
    /// The place of an override.
    pub const fn of(stored: &StoredOverride) -> Self {
        Self { seq: stored.seq, id: stored.id.get() }
    }

    /// The place of an override by its last write and its id.
    pub const fn at(seq: OverrideSeq, id: OverrideId) -> Self {
        let id = id.get();
        Self { seq, id }
    }
}

impl Catalog {
    /// The overrides that were made through the API, a page at a time.
    ///
    /// # Errors
    ///
    /// If one of them cannot be read, or the database has no answer.
    pub async fn overrides(&self, listing: &Listing) -> Result<Vec<StoredOverride>, CatalogError> {
        let rows = self.database.read(async |session| page(session, listing).await);
        read_all(rows.await?).await
    }

    /// One override, also if it has ended; none if it is not known, or not any more.
    ///
    /// # Errors
    ///
    /// As for [`Catalog::overrides`].
    pub async fn override_by_id(
        &self,
        id: OverrideId,
    ) -> Result<Option<StoredOverride>, CatalogError> {
        let read = async |session: &mut Session| {
            let sql = format!("{SELECT} WHERE id = $1");
            let row = session.row(sql, values![id]).await?;
            row.as_ref().map(read).transpose()
        };
        self.database.read(read).await
    }
}

const SELECT: &str = "SELECT id, seq, body, author, created_at, removed_at, removed_by, rule_id, rule FROM overrides";

async fn page(session: &mut Session, listing: &Listing) -> Result<Vec<Row>, CatalogError> {
    let mut wanted = Wanted::default();
    let after = listing.after.clone().unwrap_or_default();
    let id = OverrideId::new(after.id).map_or(Value::Int(Some(0)), Value::from);
    let (seq, id) = (wanted.bind(after.seq), wanted.bind(id));
    wanted.only(format!("(seq, id) > ({seq}, {id})"));
    wanted.equal("rule", listing.rule.as_ref().map(Name::as_str));
    wanted.equal("facts", listing.facts.as_deref());
    if let Some(now) = listing.in_force_at {
        let now = wanted.bind(now);
        wanted.only(format!("(gone_at IS NULL OR gone_at > {now})"));
    }
    let count = listing.count.unwrap_or(OVERRIDES_PAGE_MAX).min(OVERRIDES_PAGE_MAX);
    let (sql, values) = wanted.query(SELECT, &format!("ORDER BY seq, id LIMIT {count}"));
    session.rows(sql, values).await
}

/// A page after a place, with nothing left out.
pub(super) async fn after(session: &mut Session, cursor: Cursor) -> Result<Vec<Row>, CatalogError> {
    let listing = Listing { after: Some(cursor), ..Listing::default() };
    page(session, &listing).await
}

/// Outside of the transaction, which is not held up by it.
pub(super) async fn read_all(rows: Vec<Row>) -> Result<Vec<StoredOverride>, CatalogError> {
    blocking(move || rows.iter().map(read).collect()).await
}

/// As [`read_all`], without what only a newer release can read; and why that was left out.
pub(super) async fn read_known(
    rows: Vec<Row>,
) -> Result<(Vec<StoredOverride>, Option<String>), CatalogError> {
    blocking(move || {
        let (mut known, mut skipped) = (Vec::with_capacity(rows.len()), None);
        for row in &rows {
            match read(row) {
                Ok(stored) => known.push(stored),
                Err(error @ CatalogError::UnreadableOverride { .. }) => {
                    skipped.get_or_insert(error.to_string());
                }
                Err(error) => return Err(error),
            }
        }
        Ok((known, skipped))
    })
    .await
}

/// Where a row stands in the order.
pub(super) fn place(row: &Row) -> Result<(OverrideSeq, OverrideId), CatalogError> {
    let (id, seq) = (row.int(0)?, row.int(1)?);
    Ok((OverrideSeq::from_row(seq)?, OverrideId::from_row(id)?))
}

fn read(row: &Row) -> Result<StoredOverride, CatalogError> {
    let id = OverrideId::from_row(row.int(0)?)?;
    let removed_by = row.maybe_text(6)?.unwrap_or_default();
    let removed = row.maybe_moment(5)?.map(|at| Removal { at, by: removed_by.into() });
    let unreadable = |why: String| CatalogError::UnreadableOverride { id, why };
    let mut what = codec::read_override(row.text(2)?).map_err(unreadable)?;
    // What the rule is called now, not what it was called then.
    let named = row.maybe_text(8)?.map(str::parse::<Name>).transpose();
    what.rule = named.map_err(|error| unreadable(error.to_string()))?;
    let rule_id = row.maybe_text(7)?.map(codec::read_rule_id).transpose();
    Ok(StoredOverride {
        what,
        rule_id: rule_id.map_err(unreadable)?,
        id,
        seq: OverrideSeq::from_row(row.int(1)?)?,
        author: row.text(3)?.into(),
        created_at: row.moment(4)?,
        removed,
    })
}
