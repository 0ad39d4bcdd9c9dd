//! Making and ending overrides.

use axum::http::StatusCode;
use serde_json::{Value, json};
use tollgate_catalog::{
    CatalogError, Cursor, Draft, Goal, Listing, OVERRIDES_BATCH_MAX, OverrideId, OverrideSeq,
    OverridesWritten, StoredOverride,
};
use tollgate_core::Timestamp;
use tollgate_rules::{
    Action, Field, KeyField, Override, RuleSet, document,
    normalise::{address, network_of},
    review::{Flaw, Severity, review_overrides},
};
use tollgate_wire::admin::{items, without};

use super::{
    super::{
        call::Call, cursor, fits, params::Params, problem::Problem, reply::Reply, route::Outcome,
        shared::PAGE, trouble, trouble::Begin, when,
    },
    bounds, standing,
};

pub(super) async fn create(call: Call) -> Outcome {
    let overrides = sent(&call)?;
    refuse_ended(&call, &overrides)?;
    let head = call.latest().await?;
    let fitted: Vec<Override> = overrides.into_iter().map(|it| fit(&head.set, it)).collect();
    let flaws = review_overrides(&head.set, &fitted);
    let is_error = |flaw: &&Flaw| flaw.severity == Severity::Error;
    let (errors, warnings): (Vec<&Flaw>, Vec<&Flaw>) = flaws.iter().partition(is_error);
    if !errors.is_empty() {
        let errors = errors.into_iter().map(trouble::flaw).collect();
        return Err(Problem::invalid("an override does not fit the rules", errors));
    }
    bounds::hold(&call, &head.set, &fitted)?;
    standing::hold(&call, &head.set, &fitted).await?;
    fits::overrides(&call, &head.set, &fitted)?;
    let warnings: Vec<Value> = warnings.into_iter().map(trouble::flaw).collect();
    let shown: Vec<Value> = fitted.iter().map(document::override_json).collect();
    if call.is_dry() {
        let body = json!({ "dry_run": true, "overrides": shown, "warnings": warnings });
        return Ok(Reply::json(&body));
    }
    let drafts = fitted.into_iter().map(Draft::from).collect();
    let author = call.author();
    let written = call.state.catalog.put_overrides(drafts, &author).await;
    let written = written.map_err(|error| trouble::problem(&error))?;
    Ok(made(&call, &written, shown, warnings).await)
}

async fn made(
    call: &Call,
    written: &OverridesWritten,
    mut shown: Vec<Value>,
    warnings: Vec<Value>,
) -> Reply {
    for (json, id) in shown.iter_mut().zip(&written.ids) {
        if let Value::Object(members) = json {
            members.insert("id".to_owned(), json!(id.get()));
        }
    }
    let ids: Vec<u64> = written.ids.iter().map(|id| id.get()).collect();
    let body = json!({
        "ids": ids,
        "overrides": shown,
        "sequence": written.seq.get(),
        "warnings": warnings,
        "nodes": call.confirmed(Goal::Overrides(written.seq)).await,
    });
    let reply = Reply::json(&body);
    match ids.as_slice() {
        [id] => reply.created(format!("/ratelimit/overrides/{id}")),
        _ => reply.status(StatusCode::CREATED),
    }
}

pub(super) async fn remove(call: Call) -> Outcome {
    let stored = known(&call).await?;
    standing::may_end(&call, &stored).await?;
    let id = stored.id;
    if call.is_dry() {
        let body = json!({
            "dry_run": true,
            "id": id.get(),
            "changed": stored.removed.is_none(),
            "override": of(&call, &stored),
        });
        return Ok(Reply::json(&body));
    }
    let author = call.author();
    let removed = call.state.catalog.remove_overrides(&[id], &author).await;
    let removed = removed.map_err(|error: CatalogError| trouble::problem(&error))?;
    let body = json!({
        "id": id.get(),
        "changed": !removed.ids.is_empty(),
        "sequence": removed.seq.get(),
        "nodes": call.confirmed(Goal::Overrides(removed.seq)).await,
    });
    Ok(Reply::json(&body))
}

/// One override, or a list of them: all that is wrong with any is told at once.
fn sent(call: &Call) -> Result<Vec<Override>, Problem> {
    let Some(items) = items(&call.body) else {
        let text = without(&call.body, OURS);
        let read = document::read_override(&text);
        return read.map(|it| vec![it]).map_err(|report| trouble::refused(&report));
    };
    if items.is_empty() || items.len() > OVERRIDES_BATCH_MAX {
        let count = items.len();
        let detail = format!("{count} overrides given, from 1 to {OVERRIDES_BATCH_MAX} are taken");
        return Err(Problem::bad(detail));
    }
    let (mut read, mut errors) = (Vec::with_capacity(items.len()), Vec::new());
    for (index, (before, item)) in items.into_iter().enumerate() {
        match document::read_override(&without(item, OURS)) {
            Ok(it) => read.push(it),
            Err(report) if errors.len() < ERRORS_MAX => {
                let path = format!("/{index}");
                errors.extend(trouble::found(&report, Begin::after(before), Some(&path)));
            }
            Err(_) => break,
        }
    }
    match errors.is_empty() {
        true => Ok(read),
        false => Err(Problem::invalid("not every override can be read", errors)),
    }
}

/// The most overrides whose errors are told.
const ERRORS_MAX: usize = 200;

fn refuse_ended(call: &Call, overrides: &[Override]) -> Result<(), Problem> {
    let now = call.now();
    let ended =
        overrides.iter().enumerate().filter(|(_, it)| it.until.is_some_and(|end| end <= now));
    let errors: Vec<Value> = ended.map(|(index, _)| ended_already(index)).collect();
    match errors.is_empty() {
        true => Ok(()),
        false => Err(Problem::invalid("an override would have ended already", errors)),
    }
}

fn ended_already(index: usize) -> Value {
    json!({
        "severity": "error",
        "path": "until",
        "at": format!("override {}", index.saturating_add(1)),
        "message": "until is in the past",
        "help": "give a moment to come, or leave it out",
    })
}

/// An address as the rule counts it.
fn fit(set: &RuleSet, exception: Override) -> Override {
    let rule = exception.rule.as_ref().and_then(|name| set.rules.get(name));
    match rule.map(|rule| &rule.action) {
        Some(Action::Throttle(throttle)) => exception.fitted(&throttle.key),
        _ => exception,
    }
}

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
    let mut page = Page { last: after, ..Page::default() };
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
                page.found.push(of(&call, stored));
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
    Ok(Reply::json(&of(&call, &stored)))
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
    let fields = [("user", Field::User), ("org", Field::Org), ("api_key", Field::ApiKey)];
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

/// The override, with who made it and whether it counts.
pub(super) fn of(call: &Call, stored: &StoredOverride) -> Value {
    let mut json = document::override_json(&stored.what);
    let removed = stored.removed.as_ref();
    let more = [
        ("id", json!(stored.id.get())),
        ("sequence", json!(stored.seq.get())),
        ("created_by", json!(&*stored.author)),
        ("created_at", json!(when::shown(stored.created_at))),
        ("in_force", json!(counts(call, stored))),
        ("removed_by", json!(removed.map(|removal| &*removal.by))),
        ("removed_at", json!(removed.map(|removal| when::shown(removal.at)))),
    ];
    if let Value::Object(members) = &mut json {
        members.extend(more.map(|(name, value)| (name.to_owned(), value)));
    }
    json
}

/// Whether it changes anything now: it has not ended, and its rule is there. One whose rule was deleted does not
/// come back with another of the same name.
fn counts(call: &Call, stored: &StoredOverride) -> bool {
    let live = call.state.engine.live();
    let has_rule = match stored.rule_id {
        None => Some(true),
        Some(id) => live.with_snapshot(|snapshot| snapshot.deciding().any(|rule| rule.id == id)),
    };
    stored.is_in_force(call.now()) && has_rule.unwrap_or(false)
}

/// The members that we add to what was written.
pub(super) const OURS: &[&str] = &[
    "id",
    "sequence",
    "created_by",
    "created_at",
    "in_force",
    "removed_by",
    "removed_at",
    "nodes",
];
