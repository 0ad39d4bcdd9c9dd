//! Putting overrides, and taking them away.

use tollgate_rules::{Action, Name, Override, Rule, RuleSet};

use super::{
    Draft, OverrideId, OverrideSeq,
    record::{former, noted},
};
use crate::{
    Author, Catalog, CatalogError,
    catalog::{audit, log::Log},
    codec,
    sql::{Outcome, Session, insert, values},
};

/// The most overrides in one write; whoever has more writes several times.
pub const OVERRIDES_BATCH_MAX: usize = 10_000;

/// What a write to the overrides did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OverridesWritten {
    /// The number of the write; nodes that know it have confirmed.
    pub seq: OverrideSeq,
    /// Whom it touched, in the order given.
    pub ids: Vec<OverrideId>,
}

impl Catalog {
    /// Puts one override.
    ///
    /// # Errors
    ///
    /// [`CatalogError::Invalid`] if it does not fit the rule it names. Otherwise if the database fails;
    /// [`CatalogError::Undecided`] if its last answer was lost.
    pub async fn put_override(
        &self,
        draft: impl Into<Draft>,
        author: &Author,
    ) -> Result<OverridesWritten, CatalogError> {
        self.put_overrides(vec![draft.into()], author).await
    }

    /// Puts up to [`OVERRIDES_BATCH_MAX`] overrides: all or none.
    ///
    /// # Errors
    ///
    /// If there are more, if one does not fit the rule it names, or the database fails; [`CatalogError::Undecided`] if its last answer was lost.
    pub async fn put_overrides(
        &self,
        drafts: Vec<Draft>,
        author: &Author,
    ) -> Result<OverridesWritten, CatalogError> {
        is_bounded(drafts.len())?;
        let now = self.clock.now().wall;
        let put = async |session: &mut Session| {
            let head = self.latest_in(session).await?;
            let drafts = fitted(&head.set, drafts)?;
            let mut log = Log::begin(session, "put").await?;
            let seq = log.seq;
            let mut former = former(session, drafts.iter().filter_map(|draft| draft.id)).await?;
            let mut ids = Vec::with_capacity(drafts.len());
            let mut rows = Vec::with_capacity(drafts.len());
            let mut on_record = Vec::with_capacity(drafts.len());
            for Draft { id, what } in &drafts {
                let id = id_of(*id, &mut log)?;
                let body = codec::override_body(what);
                let facts = codec::facts(&what.key);
                let rule = what.rule.as_ref().map(Name::as_str);
                let rule_id = rule_of(&head.set, what).map(|rule| rule.id.to_string());
                let rule_id = rule_id.as_deref();
                log.add(&format!("{id} {body}"));
                let name = author.name();
                let after = Some(body.clone());
                on_record.push(noted(author, id, former.remove(&id), after));
                rows.push(values![id, seq, rule_id, rule, facts, body, what.until, name, now]);
                ids.push(id);
            }
            let into =
                "overrides (id, seq, rule_id, rule, facts, body, gone_at, author, created_at)";
            let replace = "ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, rule_id = excluded.rule_id, \
                rule = excluded.rule, \
                facts = excluded.facts, body = excluded.body, gone_at = excluded.gone_at, \
                author = excluded.author, created_at = excluded.created_at, \
                removed_at = NULL, removed_by = NULL";
            insert(session, into, replace, rows).await?;
            audit::record(session, now, on_record).await?;
            log.finish(session, now).await?;
            Ok((OverridesWritten { seq, ids }, Outcome::Commit))
        };
        self.write_alone(put).await
    }

    /// Takes overrides away, at most [`OVERRIDES_BATCH_MAX`]. Those that are not there, or not any more,
    /// are left out of the answer.
    ///
    /// # Errors
    ///
    /// If the database fails; [`CatalogError::Undecided`] if its last answer was lost.
    pub async fn remove_overrides(
        &self,
        ids: &[OverrideId],
        author: &Author,
    ) -> Result<OverridesWritten, CatalogError> {
        is_bounded(ids.len())?;
        let now = self.clock.now().wall;
        let remove = async |session: &mut Session| {
            let mut log = Log::begin(session, "remove").await?;
            let mut former = former(session, ids.iter().copied()).await?;
            let (mut removed, mut on_record) = (Vec::new(), Vec::new());
            for &id in ids {
                let sql = "UPDATE overrides SET seq = $1, removed_at = $2, removed_by = $3, \
                    gone_at = CASE WHEN gone_at < $2 THEN gone_at ELSE $2 END \
                    WHERE id = $4 AND removed_at IS NULL";
                let row = values![log.seq, now, author.name(), id];
                if session.execute(sql, row).await? > 0 {
                    log.add(&id.to_string());
                    on_record.push(noted(author, id, former.remove(&id), None));
                    removed.push(id);
                }
            }
            if removed.is_empty() {
                let (seq, ids) = (log.before, removed);
                return Ok((OverridesWritten { seq, ids }, Outcome::Undo));
            }
            let seq = log.seq;
            audit::record(session, now, on_record).await?;
            log.finish(session, now).await?;
            Ok((OverridesWritten { seq, ids: removed }, Outcome::Commit))
        };
        self.write_alone(remove).await
    }
}

/// The given id, or the next one.
fn id_of(given: Option<OverrideId>, log: &mut Log) -> Result<OverrideId, CatalogError> {
    match given {
        Some(id) if log.is_given(id.get()) => Ok(id),
        Some(id) => Err(CatalogError::UnknownOverride(id)),
        None => OverrideId::from_row(log.next_id()?),
    }
}

/// The drafts as the rules they name count; those that cannot count are refused.
fn fitted(set: &RuleSet, drafts: Vec<Draft>) -> Result<Vec<Draft>, CatalogError> {
    let fit = |draft: Draft| match rule_of(set, &draft.what).map(|rule| &rule.action) {
        Some(Action::Throttle(throttle)) => {
            Draft { what: draft.what.fitted(&throttle.key), ..draft }
        }
        _ => draft,
    };
    let drafts: Vec<Draft> = drafts.into_iter().map(fit).collect();
    let overrides: Vec<Override> = drafts.iter().map(|draft| draft.what.clone()).collect();
    codec::review_overrides(set, &overrides)?;
    Ok(drafts)
}

fn rule_of<'s>(set: &'s RuleSet, exception: &Override) -> Option<&'s Rule> {
    let rule = set.rules.get(exception.rule.as_ref()?);
    rule.map(|rule| &**rule)
}

const fn is_bounded(given: usize) -> Result<(), CatalogError> {
    if given > OVERRIDES_BATCH_MAX {
        let (what, max) = ("overrides in one write", OVERRIDES_BATCH_MAX);
        return Err(CatalogError::TooMany { what, given, max });
    }
    Ok(())
}
