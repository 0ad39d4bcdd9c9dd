//! A change of rules or tiers: made, or only looked at.

use std::sync::Arc;

use serde_json::{Value, json};
use tollgate_catalog::{CatalogError, Conflict, Edit, Goal, Revision, Written};
use tollgate_rules::{
    RuleSet, diff,
    review::{Locus, Severity, review},
};

use super::{call::Call, problem::Problem, reply::Reply, trouble};

/// What came of a change.
#[derive(Debug)]
pub(super) enum Change {
    /// Nothing was written.
    Dry(Dry),
    /// It is in the catalog.
    Made(Made),
}

/// What would come of a change.
#[derive(Debug)]
pub(super) struct Dry {
    before: Arc<Revision>,
    after: RuleSet,
}

/// A change that is in the catalog.
#[derive(Debug)]
pub(super) struct Made {
    /// What the catalog holds since.
    pub(super) revision: Arc<Revision>,
    /// Whether it was not so before.
    is_new: bool,
}

/// What a write is that came second, and would change nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Twice {
    /// Done: the same was sent again because an answer was lost.
    Fine,
    /// A conflict as any other.
    Conflict,
}

/// Makes an edit, or looks at what it would do.
pub(super) async fn make(call: &Call, edit: Edit, twice: Twice) -> Result<Change, Problem> {
    let catalog = &call.state.catalog;
    if call.is_dry() {
        let preview = call.reading(catalog.preview(edit)).await?;
        let (before, after) = (preview.head, preview.set);
        return Ok(Change::Dry(Dry { before, after }));
    }
    match catalog.edit(edit).await {
        Ok(written) => made(call, &written).await.map(Change::Made),
        Err(CatalogError::Conflict(conflict)) if twice == Twice::Fine && is_so(&conflict) => {
            let revision = Arc::clone(&conflict.head);
            let is_new = false;
            Ok(Change::Made(Made { revision, is_new }))
        }
        Err(error) => Err(trouble::problem(&error)),
    }
}

/// Whether what was to be written is there already.
fn is_so(conflict: &Conflict) -> bool {
    conflict.found.is_some() && diff(&conflict.head.set, &conflict.ours).is_empty()
}

/// What the catalog holds after a write. Others may have written since.
pub(super) async fn made(call: &Call, written: &Written) -> Result<Made, Problem> {
    let (number, is_new) = (written.revision, written.changed > 0);
    let latest = call.latest().await?;
    let revision = match latest.number == number {
        true => latest,
        false => call.reading(call.state.catalog.load(number)).await?,
    };
    Ok(Made { revision, is_new })
}

impl Dry {
    /// What a change from one to the other would be.
    pub(super) const fn new(before: Arc<Revision>, after: RuleSet) -> Self {
        Self { before, after }
    }

    /// What would change. Warnings are told of what was changed only.
    pub(super) fn reply(&self, is_told: &dyn Fn(&Locus) -> bool) -> Reply {
        let difference = diff(&self.before.set, &self.after);
        let number = self.before.number;
        let body = json!({
            "dry_run": true,
            "revision": number.get(),
            "changed": !difference.is_empty(),
            "differences": trouble::differences(&difference),
            "warnings": warnings(&self.after, is_told),
        });
        Reply::json(&body).revision(number)
    }
}

impl Made {
    /// Whether it was not so before.
    pub(super) const fn is_new(&self) -> bool {
        self.is_new
    }

    /// The answer to a write: what is there now, the revision, and who runs it.
    pub(super) async fn reply(&self, call: &Call, mut body: Value) -> Reply {
        let number = self.revision.number;
        let nodes = call.confirmed(Goal::Revision(number)).await;
        if let Value::Object(members) = &mut body {
            members.insert("revision".to_owned(), json!(number.get()));
            members.insert("changed".to_owned(), json!(self.is_new));
            members.insert("nodes".to_owned(), nodes);
        }
        Reply::json(&body).revision(number)
    }
}

/// What is probably not meant, of all that is told.
pub(super) fn warnings(set: &RuleSet, is_told: &dyn Fn(&Locus) -> bool) -> Vec<Value> {
    let flaws = review(set).into_iter();
    let warnings = flaws.filter(|flaw| flaw.severity == Severity::Warning && is_told(&flaw.at));
    warnings.map(|flaw| trouble::flaw(&flaw)).collect()
}
