//! Reading overrides.

use serde_json::{Value, json};
use tollgate_catalog::{Cursor, Listing, OverrideId, OverrideSeq, StoredOverride};
use tollgate_core::Timestamp;
use tollgate_rules::{
    Field, KeyField,
    normalise::{address, network_of},
};

use super::{
    super::{
        call::Call, cursor, params::Params, problem::Problem, reply::Reply, route::Outcome,
        shared::PAGE,
    },
    view,
};

const LIST: &str = "overrides";
/// So many are looked at together.
const LOOK: u32 = 2_000;
/// So often for one page; then the client asks for the next, which goes on from there.
const LOOKS_MAX: usize = 20;

/// A page while it is filled.
#[derive(Debug, Default)]
struct Page {
    found: Vec<Value>,
    /// The last one that was looked at.
    last: Option<(OverrideSeq, OverrideId)>,
    is_over: bool,
}

pub(super) async fn list(call: Call) -> Outcome {
    let now = call.now();
    let wanted = usize::try_from(call.params.whole("limit").unwrap_or(PAGE)).unwrap_or(usize::MAX);
    let after = call.params.text("cursor").map(read_place).transpose()?;
    let mut page = Page {
        last: after,
        ..Page::default()
    };
    for _ in 0..LOOKS_MAX {
        if page.is_over || page.found.len() >= wanted {
            break;
        }
        let listing = listing(&call, now, page.last)?;
        let some = call.reading(call.state.catalog.overrides(&listing)).await?;
        page.is_over = u32::try_from(some.len()).is_ok_and(|count| count < LOOK);
        for stored in &some {
            if page.found.len() >= wanted {
                page.is_over = false;
                break;
            }
            page.last = Some((stored.seq, stored.id));
            if keeps(&call.params, stored, now) {
                page.found.push(view::of(&call, stored));
            }
        }
    }
    let last = page.last.filter(|_| !page.is_over);
    let next = last.map(|(seq, id)| cursor::written(LIST, &format!("{seq}.{id}")));
    let body = json!({ "overrides": page.found, "next_cursor": next });
    Ok(Reply::json(&body))
}

pub(super) async fn read(call: Call) -> Outcome {
    let stored = known(&call).await?;
    Ok(Reply::json(&view::of(&call, &stored)))
}

/// The override that the path names.
pub(super) async fn known(call: &Call) -> Result<StoredOverride, Problem> {
    let given = call.in_path("id");
    let shown: String = given.chars().take(64).collect();
    let unknown = || Problem::not_found(format!("there is no override {shown:?}"));
    let id = given.parse().ok().and_then(OverrideId::new);
    let read = call.state.catalog.override_by_id(id.ok_or_else(unknown)?);
    call.reading(read).await?.ok_or_else(unknown)
}

fn listing(
    call: &Call,
    now: Timestamp,
    after: Option<(OverrideSeq, OverrideId)>,
) -> Result<Listing, Problem> {
    let mut listing = Listing::default().count(LOOK);
    if let Some(rule) = call.params.text("rule") {
        let rule = rule.parse();
        listing = listing.rule(rule.map_err(|error| Problem::bad(format!("rule: {error}")))?);
    }
    if call.params.truth("active") == Some(true) {
        listing = listing.in_force_at(now);
    }
    Ok(match after {
        Some((seq, id)) => listing.after_place(Cursor::at(seq, id)),
        None => listing,
    })
}

fn keeps(params: &Params, stored: &StoredOverride, now: Timestamp) -> bool {
    let fields = [
        ("user", Field::User),
        ("org", Field::Org),
        ("api_key", Field::ApiKey),
    ];
    let has = |(name, field): &(&str, Field)| {
        let value = stored.what.key.get(field).map(|value| &**value);
        params.text(name).is_none_or(|wanted| value == Some(wanted))
    };
    let is_active = params.truth("active");
    fields.iter().all(has)
        && params.text("ip").is_none_or(|ip| has_address(stored, ip))
        && is_active.is_none_or(|active| stored.is_in_force(now) == active)
}

/// An address in any spelling; IPv6 also by the network that it is counted by, which is stored.
fn has_address(stored: &StoredOverride, wanted: &str) -> bool {
    let Some(value) = stored.what.key.get(&Field::Ip) else {
        return false;
    };
    let (Ok(known), Ok(wanted)) = (address(value), address(wanted)) else {
        return **value == *wanted;
    };
    known == wanted || known == network_of(wanted, KeyField::IPV6_PREFIX_DEFAULT)
}

fn read_place(text: &str) -> Result<(OverrideSeq, OverrideId), Problem> {
    let place = cursor::read(LIST, text)?;
    let numbers = place.split_once('.').and_then(|(seq, id)| {
        let (seq, id) = (seq.parse().ok()?, id.parse().ok()?);
        Some((OverrideSeq::new(seq)?, OverrideId::new(id)?))
    });
    numbers.ok_or_else(cursor::bad)
}
