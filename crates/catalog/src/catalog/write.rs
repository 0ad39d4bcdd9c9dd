//! Writing revisions. Every write is one transaction: it makes one revision, or nothing.

use std::{collections::BTreeMap, sync::Arc};

use tollgate_core::Timestamp;
use tollgate_rules::RuleSet;

use super::{
    Catalog, audit,
    edit::{Base, Edit},
    load::{blocking, load},
    plan::{self, Opened, Plan},
    store::IN_FORCE,
};
use crate::{
    Author, CatalogError, ItemKey, ItemKind, Revision, RevisionHash, RevisionKind, RevisionNumber,
    codec,
    deadline::within,
    sql::{Outcome, Session, Value, insert, values},
};

/// What a write did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// The revision that holds what was asked for.
    pub revision: RevisionNumber,
    /// The hash of all it holds.
    pub hash: RevisionHash,
    /// How many rules, tiers, settings and overrides are new, gone or different. Zero: it was so already,
    /// and `revision` is not new.
    pub changed: u64,
}

/// Who, why, and what kind of write.
#[derive(Debug)]
struct Deed {
    author: Author,
    kind: RevisionKind,
    back_to: Option<RevisionNumber>,
}

impl Catalog {
    /// Changes single rules or tiers.
    ///
    /// # Errors
    ///
    /// [`CatalogError::Conflict`] if something is not as the editor saw it, [`CatalogError::Invalid`] if
    /// the result would not be sound; nothing is written then. Otherwise if the database fails;
    /// [`CatalogError::Undecided`] if its last answer was lost.
    pub async fn edit(&self, edit: Edit) -> Result<Written, CatalogError> {
        let deed = Deed { author: edit.author.clone(), kind: RevisionKind::Edit, back_to: None };
        let edit = Arc::new(edit);
        self.write(deed, async |_, head| {
            let (head, edit) = (Arc::clone(head), Arc::clone(&edit));
            blocking(move || plan::edited(&head, &edit)).await
        })
        .await
    }

    /// Puts a whole set in the place of what is there.
    ///
    /// # Errors
    ///
    /// As for [`Catalog::edit`].
    pub async fn apply(
        &self,
        set: &Arc<RuleSet>,
        base: Base,
        author: Author,
    ) -> Result<Written, CatalogError> {
        let deed = Deed { author, kind: RevisionKind::Apply, back_to: None };
        self.write(deed, async |_, head| {
            let (head, set) = (Arc::clone(head), Arc::clone(set));
            blocking(move || plan::applied(&head, &set, base)).await
        })
        .await
    }

    /// Brings back what an earlier revision holds, as a new revision. Overrides that were made through
    /// the API are no part of it and stay as they are.
    ///
    /// # Errors
    ///
    /// If there is no such revision; otherwise as for [`Catalog::edit`].
    pub async fn rollback(
        &self,
        to: RevisionNumber,
        author: Author,
    ) -> Result<Written, CatalogError> {
        self.rollback_from(Base::Any, to, author).await
    }

    /// As [`Catalog::rollback`], if what is there is still what the editor saw.
    ///
    /// # Errors
    ///
    /// As for [`Catalog::rollback`].
    pub async fn rollback_from(
        &self,
        base: Base,
        to: RevisionNumber,
        author: Author,
    ) -> Result<Written, CatalogError> {
        let deed = Deed { author, kind: RevisionKind::Rollback, back_to: Some(to) };
        self.write(deed, async |session, head| {
            let earlier = load(session, to, None).await?;
            plan::based(head, base, &earlier.set)?;
            Ok((*earlier.set).clone())
        })
        .await
    }

    async fn write(
        &self,
        deed: Deed,
        want: impl AsyncFnOnce(&mut Session, &Arc<Revision>) -> Result<RuleSet, CatalogError>,
    ) -> Result<Written, CatalogError> {
        let now = self.clock.now().wall;
        self.write_alone(async |session| {
            let head = self.latest_in(session).await?;
            let set = want(session, &head).await?;
            let plan = checked(&head, set).await?;
            if plan.hash == head.hash {
                let same = Written { revision: head.number, hash: head.hash, changed: 0 };
                return Ok((same, Outcome::Undo));
            }
            let written = commit(session, &head, plan, &deed, now).await?;
            Ok((written, Outcome::Commit))
        })
        .await
    }

    /// One transaction, and no other writer of this process beside it.
    pub(super) async fn write_alone<T>(
        &self,
        work: impl AsyncFnOnce(&mut Session) -> Result<(T, Outcome), CatalogError>,
    ) -> Result<T, CatalogError> {
        let lock = async { Ok(self.writer.lock().await) };
        let _alone = within(self.deadlines().write, lock).await?;
        self.database.write(work).await
    }
}

/// The plan for a set that is sound.
async fn checked(head: &Arc<Revision>, mut set: RuleSet) -> Result<Plan, CatalogError> {
    let head = Arc::clone(head);
    blocking(move || {
        plan::part_ids(&head, &mut set);
        codec::review(&set)?;
        Ok(plan::plan(&head, &set))
    })
    .await
}

/// Overrides follow a rule under its new name.
async fn rename_overrides(
    session: &mut Session,
    head: &Revision,
    opened: &[Opened],
) -> Result<(), CatalogError> {
    for Opened { key, item, .. } in opened {
        let former = head.stamps.get(key).filter(|_| key.kind == ItemKind::Rule);
        if former.is_some_and(|former| former.name != item.name) {
            let sql = "UPDATE overrides SET rule = $1 WHERE rule_id = $2";
            session.execute(sql, values![&*item.name, &*key.id]).await?;
        }
    }
    Ok(())
}

async fn commit(
    session: &mut Session,
    head: &Revision,
    plan: Plan,
    deed: &Deed,
    now: Timestamp,
) -> Result<Written, CatalogError> {
    let revision = next_number(session, head.number).await?;
    let count = i64::try_from(plan.changed).unwrap_or(i64::MAX);
    let (author, reason) = (deed.author.name(), deed.author.reason());
    let back_to = deed.back_to.map_or(Value::Int(None), Value::from);
    let sql = "INSERT INTO revisions \
        (number, hash, kind, back_to, author, reason, created_at, changed) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    let row = values![revision, plan.hash, deed.kind.word(), back_to, author, reason, now, count];
    session.execute(sql, row).await?;
    close(session, revision, plan.closed).await?;
    rename_overrides(session, head, &plan.opened).await?;
    let rows = plan.opened.into_iter().map(|opened| {
        let (key, item) = (opened.key, opened.item);
        let created = opened.created_in.unwrap_or(revision);
        let (kind, id, name) = (key.kind.word(), &*key.id, &*item.name);
        values![kind, id, name, item.position, item.body, opened.hash, created, revision, IN_FORCE]
    });
    let into = "items (kind, id, name, position, body, hash, created_revision, from_revision, to_revision)";
    insert(session, into, "", rows.collect()).await?;
    let noted = audit::noted(&deed.author, revision, deed.back_to, plan.changes);
    audit::record(session, now, noted).await?;
    session.notify().await?;
    Ok(Written { revision, hash: plan.hash, changed: plan.changed })
}

/// Above everything that is written and above what any node runs: a node never goes back, also where the
/// database was restored from an older copy.
async fn next_number(
    session: &mut Session,
    head: RevisionNumber,
) -> Result<RevisionNumber, CatalogError> {
    let sql = "SELECT COALESCE(MAX(revision), 0) FROM nodes";
    let row = session.row(sql, Vec::new()).await?;
    let reported = RevisionNumber::from_row(row.map_or(Ok(0), |row| row.int(0))?)?;
    let next = head.max(reported).next();
    next.ok_or_else(|| CatalogError::Corrupt("there are no more numbers for revisions".to_owned()))
}

/// One statement closes this many.
const CLOSED_AT_ONCE: usize = 500;

async fn close(
    session: &mut Session,
    at: RevisionNumber,
    keys: Vec<ItemKey>,
) -> Result<(), CatalogError> {
    let mut by_kind: BTreeMap<ItemKind, Vec<ItemKey>> = BTreeMap::new();
    for key in keys {
        by_kind.entry(key.kind).or_default().push(key);
    }
    for (kind, keys) in by_kind {
        for some in keys.chunks(CLOSED_AT_ONCE) {
            let places: Vec<String> = (0..some.len()).map(|at| format!("${}", at + 4)).collect();
            let sql = format!(
                "UPDATE items SET to_revision = $1 WHERE kind = $2 AND to_revision = $3 AND id IN ({})",
                places.join(",")
            );
            let mut row = values![at, kind.word(), IN_FORCE];
            row.extend(some.iter().map(|key| Value::from(&*key.id)));
            session.execute(sql, row).await?;
        }
    }
    Ok(())
}
