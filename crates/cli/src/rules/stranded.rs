//! Overrides that a change of rules leaves without effect.

use std::collections::BTreeSet;

use tollgate_catalog::{Catalog, Listing, StoredOverride};
use tollgate_rules::{
    Override, RuleSet,
    review::{Flaw, Locus, review_overrides},
};

use crate::{
    overrides::described,
    say::{Format, remark},
    when,
};

/// Of so many overrides in force it is looked whether they still count.
const LOOKED_AT_MAX: u32 = 10_000;
const SHOWN_MAX: usize = 20;

/// Overrides in force that counted before and do not count after, each with the reason.
pub(super) async fn stranded(
    catalog: &Catalog,
    before: &RuleSet,
    after: &RuleSet,
) -> anyhow::Result<Vec<String>> {
    let listing = Listing::default().in_force_at(when::now()).count(LOOKED_AT_MAX);
    let stored = catalog.overrides(&listing).await?;
    let overrides: Vec<Override> = stored.iter().map(|stored| stored.what.clone()).collect();
    let already: BTreeSet<usize> = flawed(before, &overrides).map(|(index, _)| index).collect();
    let news = flawed(after, &overrides).filter(|(index, _)| !already.contains(index));
    let told = news.filter_map(|(index, flaw)| {
        let StoredOverride { id, what, .. } = stored.get(index)?;
        let what = described(what);
        Some(format!("override {id} no longer counts, {what}: {}", flaw.message))
    });
    Ok(told.collect())
}

/// Tells of them on the side.
pub(super) fn warn(format: Format, stranded: &[String]) {
    if format == Format::Json {
        return;
    }
    for told in stranded.iter().take(SHOWN_MAX) {
        remark(&format!("warning: {told}"));
    }
    if let Some(more) = stranded.len().checked_sub(SHOWN_MAX).filter(|more| *more > 0) {
        remark(&format!("warning: {more} more overrides no longer count"));
    }
}

/// Which overrides cannot count, by their places. That two of them say the same is no flaw here.
fn flawed(set: &RuleSet, overrides: &[Override]) -> impl Iterator<Item = (usize, Flaw)> {
    let flaws = review_overrides(set, overrides).into_iter();
    flaws.filter_map(|flaw| match flaw.at {
        Locus::Override { index, .. } if flaw.related.is_none() => Some((index, flaw)),
        _ => None,
    })
}
