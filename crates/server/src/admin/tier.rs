//! The tier of an API key or a user: one that is declared, and stays so.

use std::sync::Arc;

use tollgate_catalog::{EntryBody, EntryKind, EntryListing, EntryPlace};
use tollgate_rules::Name;

use super::{
    call::Call,
    form::{Form, Said},
    problem::Problem,
};

/// The tier of a body; one that nobody declared is an error.
pub(super) async fn declared(call: &Call, form: &mut Form) -> Result<Said<Arc<str>>, Problem> {
    let said = form.identifier("tier");
    let Said::This(tier) = &said else {
        return Ok(said);
    };
    let head = call.latest().await?;
    if !head.set.tiers.contains_key(&**tier) {
        let known: Vec<&str> = head.set.tiers.keys().map(|name| name.as_str()).take(20).collect();
        let known = known.join(", ");
        form.wrong("tier", format!("{tier:?} is not declared: known are {known}"));
    }
    Ok(said)
}

/// So many entries are looked at together.
const LOOK: u32 = 5_000;

/// Refuses to take a tier away that API keys or users have: they would have another one without a word.
pub(super) async fn unused(call: &Call, tier: &Name) -> Result<(), Problem> {
    if call.params.truth("force") == Some(true) {
        return Ok(());
    }
    let keys = count(call, EntryKind::ApiKey, tier).await?;
    let quotas = count(call, EntryKind::Quota, tier).await?;
    if keys == 0 && quotas == 0 {
        return Ok(());
    }
    let detail = format!(
        "{keys} API keys and {quotas} quotas have the tier {tier}, and would have the default one: change them first, or \
         add force=true"
    );
    let problem = Problem::invalid(detail, Vec::new());
    Err(problem.with("api_keys", keys).with("quotas", quotas))
}

/// How many entries of a kind have a tier; keys that were revoked have nothing.
async fn count(call: &Call, kind: EntryKind, tier: &Name) -> Result<u64, Problem> {
    let has = |body: &EntryBody| {
        let stated = match body {
            EntryBody::ApiKey(key) if key.revoked_at.is_none() => key.tier.as_deref(),
            EntryBody::Quota(quota) => quota.quota.tier.as_deref(),
            _ => None,
        };
        stated == Some(tier.as_str())
    };
    let (mut count, mut after) = (0_u64, None);
    loop {
        let listing =
            EntryListing { kind, user: None, org: None, after: after.take(), count: LOOK };
        let some = call.reading(call.state.catalog.entries(&listing)).await?;
        let found = some.iter().filter(|entry| has(&entry.body)).count();
        count = count.saturating_add(u64::try_from(found).unwrap_or(u64::MAX));
        let is_over = u32::try_from(some.len()).is_ok_and(|count| count < LOOK);
        let Some(last) = some.last().filter(|_| !is_over) else {
            return Ok(count);
        };
        after = Some(EntryPlace { seq: last.seq, id: Arc::clone(&last.id) });
    }
}
