//! What an admin has decided about a key stands: those who make exceptions for a while neither cover it nor end it.

use std::sync::Arc;

use axum::http::StatusCode;
use tollgate_catalog::{AuditListing, Listing, OverrideId, StoredOverride};
use tollgate_rules::{Name, Override, RuleSet};

use super::super::{call::Call, guard::turned_away, problem::Problem};
use crate::authority::{Permission, Role};

/// The most overrides of one key that are looked at.
const LOOK: u32 = 1_000;
/// The audit rows of one override that are looked at for how it came about.
const ROWS: u32 = 100;

/// Refuses an override by whoever may make them for a while only, where a permanent one, or one that an admin made, is in
/// force: the newer one and the temporary one would win.
pub(super) async fn hold(call: &Call, set: &RuleSet, all: &[Override]) -> Result<(), Problem> {
    if call.may(Permission::Overrides).is_ok() {
        return Ok(());
    }
    for wanted in all {
        let is_covered = |known: &&Override| {
            known.key == wanted.key && share(known.rule.as_ref(), wanted.rule.as_ref())
        };
        let now = call.now();
        let counts = |known: &&Override| known.until.is_none_or(|until| now < until);
        let in_file = set.overrides.iter().filter(counts).find(is_covered);
        if in_file.is_some() {
            return Err(in_force("one that is written in the rules"));
        }
        let listing = Listing::default().key(&wanted.key).in_force_at(now).count(LOOK);
        let known = call.reading(call.state.catalog.overrides(&listing)).await?;
        for stored in known.iter().filter(|stored| is_covered(&&stored.what)) {
            if is_of_admin(call, stored).await? {
                return Err(in_force(&format!("override {}", stored.id)));
            }
        }
        // What was not looked at may be an admin's.
        if u32::try_from(known.len()).is_ok_and(|count| count >= LOOK) {
            return Err(in_force(&format!("one of {LOOK} overrides or more")));
        }
    }
    Ok(())
}

/// Refuses the end of a permanent exception, or of one that an admin made, by whoever may make them for a while only.
pub(super) async fn may_end(call: &Call, stored: &StoredOverride) -> Result<(), Problem> {
    let wanted = Permission::Overrides;
    let Err(refused) = call.may(wanted) else {
        return Ok(());
    };
    match is_of_admin(call, stored).await? {
        true => Err(turned_away(refused, wanted)),
        false => Ok(()),
    }
}

/// Whether it takes an admin to make it, or an admin made it. The audit knows in which role; what was written past the
/// API, or is not on record any more, is taken for an admin's.
async fn is_of_admin(call: &Call, stored: &StoredOverride) -> Result<bool, Problem> {
    if stored.what.until.is_none() {
        return Ok(true);
    }
    let listing = AuditListing {
        object_kind: Some("override".into()),
        object: Some(object(stored.id)),
        count: ROWS,
        ..AuditListing::default()
    };
    let rows = call.reading(call.state.catalog.audit(&listing)).await?;
    let mut made = rows
        .iter()
        .filter(|row| matches!(&*row.noted.action, "override.create" | "override.update"));
    let is_for_a_while = |role: Option<&str>| {
        let role = role.and_then(|role| role.parse::<Role>().ok());
        role.is_some_and(|role| !role.may(Permission::Overrides))
    };
    // The newest comes first.
    let last = made.next();
    Ok(!last.is_some_and(|row| is_for_a_while(row.noted.author.role())))
}

fn object(id: OverrideId) -> Arc<str> {
    id.to_string().into()
}

/// Whether both change one rule: none is every rule.
fn share(one: Option<&Name>, other: Option<&Name>) -> bool {
    one.is_none() || other.is_none() || one == other
}

fn in_force(which: &str) -> Problem {
    let detail = format!(
        "{which} is in force for this key, and takes whoever has the permission overrides to change: ask an admin"
    );
    Problem::new(StatusCode::FORBIDDEN, "override-in-force", detail)
        .with("wanted", Permission::Overrides.word())
}
