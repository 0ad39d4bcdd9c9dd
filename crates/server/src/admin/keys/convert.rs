//! From an answer of the engine to what a client reads.

use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

use serde_json::{Value, json};
use tollgate::{MatchedLimit, OnFailure};
use tollgate_core::{Cost, Decision, Micros, Sharing, Timestamp};
use tollgate_rules::{Facts, Live, Query, UnknownScope, document};
use tollgate_wire::check::CheckBody;

use crate::{counting::Counting, engine::Answer};

/// The facts of a check.
pub(super) fn facts(body: &CheckBody<'_>) -> Result<Facts, UnknownScope> {
    let text = |fact: &Option<Cow<'_, str>>| fact.as_deref().map(Arc::from);
    let mut facts = Facts::default();
    facts.user = text(&body.user_id);
    facts.org = text(&body.org_id);
    facts.api_key = text(&body.api_key);
    facts.ip = text(&body.ip);
    facts.tier = text(&body.tier);
    facts.endpoint = text(&body.endpoint);
    facts.method = text(&body.method);
    facts.region = text(&body.region);
    let attributes = body.attributes.iter();
    facts.attributes = attributes
        .map(|(name, value)| (Arc::from(&**name), Arc::from(&**value)))
        .collect();
    facts.cost = body.cost.map(Cost::new);
    facts.scope = body.scope.as_deref().map(str::parse).transpose()?;
    Ok(facts)
}

/// What is said of counters besides their numbers, by the name of the rule and the period.
pub(super) type Keys = BTreeMap<(String, String), Named>;

/// What a counter counts by, and how its limit is shared.
pub(super) struct Named {
    key: String,
    sharing: Sharing,
}

/// The keys of a request, as they are now.
pub(super) fn keys(live: &Live, query: &Query<'_>, now: Timestamp) -> Keys {
    let keys = live.with_snapshot(|snapshot| {
        let plan = snapshot.plan(query, live.directory(), now);
        let lines = plan.lines().iter();
        let named = lines.map(|line| {
            let (rule, limit) = (line.rule(), &line.limit().limit);
            let named = Named {
                key: plan.key_in_words(line),
                sharing: limit.sharing(rule.consistency()),
            };
            let name = (rule.name.to_string(), limit.period().to_string());
            (name, named)
        });
        named.collect()
    });
    keys.unwrap_or_default()
}

/// Every counter as it is `now`, and whether the `next` request would pass.
pub(super) fn counters(now: &Answer, next: &Answer, counting: Counting, keys: &Keys) -> Value {
    let ruling = &next.ruling;
    let pairs = now.ruling.decisions().zip(ruling.decisions());
    let counters = pairs.map(|((met, state), (_, verdict))| {
        let mut json = counter(met, state, now.at());
        let named = keys.get(&(met.rule.name.to_string(), met.period.to_string()));
        let sharing = named.map_or(Sharing::Exact, |named| named.sharing);
        let counted = counting.of(sharing);
        let wait = verdict.retry_after().filter(|_| !verdict.is_allowed());
        let wait = wait.map(|wait| Micros::from(wait).as_secs_ceil());
        if let Value::Object(members) = &mut json {
            let key = named.map_or("", |named| named.key.as_str());
            members.insert("key".to_owned(), json!(key));
            members.insert("counted".to_owned(), json!(counted));
            members.insert("allowed".to_owned(), json!(verdict.is_allowed()));
            members.insert("retry_after".to_owned(), json!(wait));
        }
        json
    });
    let counters: Vec<Value> = counters.collect();
    json!({
        "revision": ruling.revision(),
        "allowed": ruling.is_allowed(),
        "blocked": !ruling.is_allowed() && counters.is_empty(),
        "rule": ruling.rule().map(|rule| rule.name.as_str()),
        "reason": ruling.reason().word(),
        "counters": counters,
        "fallback": ruling.fallback().map(OnFailure::word),
        "consistency": counting.words(),
    })
}

fn counter(met: &MatchedLimit, decision: &Decision, at: Timestamp) -> Value {
    let reset = at.saturating_add(Micros::from(decision.reset_after()));
    json!({
        "rule": met.rule.name.as_str(),
        "rule_id": document::rule_json(&met.rule).get("id"),
        "period": met.period.to_string(),
        "window_s": met.period.length().as_secs_ceil(),
        "limit": decision.limit(),
        "remaining": decision.remaining(),
        "reset": reset.as_secs_ceil(),
        "overridden": met.is_overridden,
    })
}
