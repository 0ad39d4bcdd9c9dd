//! What a rule or a tier says, field by field.

use std::sync::Arc;

use tollgate_core::Bands;

use super::words::{self, NONE, one_of, or_none, quoted, word};
use crate::{Action, Match, Response, Rule, Throttle, Tier};

/// A field and what it says.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub(super) field: String,
    pub(super) text: String,
}

impl Fact {
    pub(super) fn new(field: impl Into<String>, text: impl Into<String>) -> Self {
        let (field, text) = (field.into(), text.into());
        Self { field, text }
    }
}

/// Every field of a rule in the order of a file, always the same ones: `attributes` are those that
/// any of the compared rules asks for. A field without a line here does not compile.
pub(super) fn of_rule(rule: &Rule, attributes: &[Arc<str>]) -> Vec<Fact> {
    let Rule {
        id,
        name,
        priority,
        enabled,
        matches,
        action,
        response,
        owner,
        reason,
        renamed_from,
    } = rule;
    let throttle = match action {
        Action::Throttle(throttle) => Some(throttle),
        Action::Block | Action::Allow => None,
    };
    let mut facts = vec![
        Fact::new("id", id.to_string()),
        Fact::new("name", name.as_str()),
        Fact::new("renamed_from", or_none(renamed_from.as_ref())),
    ];
    facts.extend(of_match(matches, attributes));
    facts.extend(of_throttle(throttle));
    facts.push(Fact::new("priority", priority.to_string()));
    facts.push(Fact::new("action", action.word()));
    facts.extend(of_response(response));
    facts.push(Fact::new("enabled", enabled.to_string()));
    facts.push(Fact::new("owner", quoted(owner.as_deref())));
    facts.push(Fact::new("reason", quoted(reason.as_deref())));
    facts
}

fn of_match(matches: &Match, attributes: &[Arc<str>]) -> Vec<Fact> {
    let Match {
        tiers,
        users,
        orgs,
        api_keys,
        regions,
        endpoint,
        methods,
        networks,
        attributes: conditions,
        descriptor,
    } = matches;
    let words = |texts: &[Arc<str>]| one_of(texts.iter().map(|text| word(text)));
    let endpoint = endpoint
        .as_ref()
        .map_or(words::ANY, |pattern| pattern.as_str());
    let mut facts = vec![
        Fact::new("match.tier", one_of(tiers.iter().map(ToString::to_string))),
        Fact::new("match.user", words(users)),
        Fact::new("match.org", words(orgs)),
        Fact::new("match.api_key", words(api_keys)),
        Fact::new("match.region", words(regions)),
        Fact::new("match.endpoint", endpoint),
        Fact::new(
            "match.method",
            one_of(methods.iter().map(ToString::to_string)),
        ),
        Fact::new("match.ip", one_of(networks.iter().map(ToString::to_string))),
    ];
    facts.extend(attributes.iter().map(|name| {
        let field = format!("match.attributes.{}", word(name));
        Fact::new(field, words::attribute(conditions.get(name)))
    }));
    facts.push(Fact::new(
        "match.descriptor",
        words::descriptor(descriptor.as_deref()),
    ));
    facts
}

fn of_throttle(throttle: Option<&Throttle>) -> Vec<Fact> {
    let Some(throttle) = throttle else {
        let fields = [
            "key",
            "missing",
            "limit",
            "warn_at",
            "hard_at",
            "group",
            "cost",
            "consistency",
            "on_failure",
        ];
        return fields.map(|field| Fact::new(field, NONE)).into();
    };
    let Throttle {
        key,
        missing,
        limits,
        group,
        cost,
        consistency,
        on_failure,
    } = throttle;
    let limit = match limits.as_slice() {
        [_] => "limit",
        _ => "limits",
    };
    vec![
        Fact::new("key", key.to_string()),
        Fact::new("missing", words::missing(*missing)),
        Fact::new(limit, words::limits(limits)),
        Fact::new("warn_at", words::threshold(limits, Bands::warn_at)),
        Fact::new("hard_at", words::threshold(limits, Bands::hard_at)),
        Fact::new("group", or_none(group.as_ref())),
        Fact::new("cost", cost.to_string()),
        Fact::new("consistency", consistency.word()),
        Fact::new("on_failure", on_failure.word()),
    ]
}

fn of_response(response: &Response) -> [Fact; 3] {
    let Response {
        status,
        message,
        retry_after_s,
    } = response;
    [
        Fact::new("response.status", or_none(*status)),
        Fact::new("response.message", quoted(message.as_deref())),
        Fact::new("response.retry_after", or_none(*retry_after_s)),
    ]
}

/// Every field of a tier.
pub(super) fn of_tier(tier: &Tier) -> Vec<Fact> {
    let Tier {
        name,
        rank,
        default,
    } = tier;
    vec![
        Fact::new("name", name.as_str()),
        Fact::new("rank", rank.to_string()),
        Fact::new(
            "default",
            or_none(default.as_ref().map(words::limits_and_thresholds)),
        ),
    ]
}
