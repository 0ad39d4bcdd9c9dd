//! What a throttle counts, and how much of it may pass.

use tollgate_core::{AlgorithmName, Bands, Consistency, Limit, LimitSet, OnFailure};

use super::{
    super::{
        findings::{Finding, Findings},
        span::Span,
        tree::{Node, Value},
    },
    fields::{Fields, Shape},
    scalar,
};
use crate::{
    CostRule, Field, Key, KeyError, KeyField, Missing, Response, Throttle, nearest::did_you_mean,
    normalise,
};

/// The fields that only a throttle has.
const OWN: [&str; 11] = [
    "key",
    "missing",
    "limit",
    "limits",
    "algorithm",
    "group",
    "cost",
    "consistency",
    "on_failure",
    "warn_at",
    "hard_at",
];

const MISSING: [(&str, Missing); 3] =
    [("skip", Missing::Skip), ("shared", Missing::Shared), ("deny", Missing::Deny)];
const CONSISTENCY: [(&str, Consistency); 3] =
    [("exact", Consistency::Exact), ("leased", Consistency::Leased), ("local", Consistency::Local)];
const ON_FAILURE: [(&str, OnFailure); 3] =
    [("open", OnFailure::Open), ("closed", OnFailure::Closed), ("local", OnFailure::Local)];

/// How `missing` is written.
pub(in crate::document) fn missing_word(missing: Missing) -> &'static str {
    let mut words = MISSING.iter();
    words.find(|(_, value)| *value == missing).map_or("skip", |(word, _)| word)
}

/// The throttle that the fields of a rule describe.
pub(super) fn throttle(fields: &Fields<'_, '_>, findings: &mut Findings) -> Option<Throttle> {
    let defaults = Defaults::read(fields, findings);
    let limits = limit_or_limits(fields, defaults, findings);
    let example = "key: [user], or key: [] for one counter for everyone";
    let key = fields.need("key", example, findings).and_then(|node| key(node, findings));
    let missing = fields.find("missing");
    let missing = missing.and_then(|node| scalar::word(node, "missing", &MISSING, findings));
    let group = fields.find("group");
    let group = group.and_then(|node| scalar::parsed(node, "group", findings));
    let cost = fields.find("cost");
    let cost = cost.and_then(|node| scalar::parsed::<CostRule>(node, "cost", findings));
    let said = fields.find("consistency");
    let consistency =
        said.and_then(|node| scalar::word(node, "consistency", &CONSISTENCY, findings));
    let on_failure = fields
        .find("on_failure")
        .and_then(|node| scalar::word(node, "on_failure", &ON_FAILURE, findings));
    let mut throttle = Throttle::new(key?, limits?);
    if let (Some(node), Some(Consistency::Leased)) = (said, consistency) {
        for limit in throttle.limits.iter() {
            remark_unleased(node, limit, findings);
        }
    }
    throttle.missing = missing.unwrap_or_default();
    throttle.group = group;
    throttle.cost = cost.unwrap_or_default();
    throttle.consistency = consistency.unwrap_or_default();
    throttle.on_failure = on_failure.unwrap_or_default();
    Some(throttle)
}

/// Remarks upon a limit that is not leased although somebody wrote that it should be. Where it is only the
/// default, nobody expects it: `tollgate explain` tells.
fn remark_unleased(node: &Node<'_>, limit: &Limit, findings: &mut Findings) {
    if let Err(why) = limit.refresh() {
        let message = format!("{limit} is counted exactly, not leased: {why}");
        let help = "write exact, or leave it out: each limit is leased that can be";
        findings.push(Finding::warning(node.span, message).help(help));
    }
}

/// Reports what a block or an allow may not have.
pub(super) fn refuse(fields: &Fields<'_, '_>, action: &str, findings: &mut Findings) {
    for name in OWN {
        if let Some(span) = fields.name_span(name) {
            let message = format!("a rule with action: {action} has no {name}");
            let help = "only a throttle counts: remove it, or write action: throttle";
            findings.push(Finding::error(span, message).help(help));
        }
    }
}

static LIMIT: Shape = Shape {
    what: "a limit",
    fields: &["per", "burst", "algorithm", "warn_at", "hard_at"],
    later: &["timezone", "anchor", "concurrency"],
    elsewhere: &[("limit", "did you mean \"per\"?"), ("rate", "did you mean \"per\"?")],
};

/// What a limit has unless it says otherwise.
#[derive(Clone, Copy, Default)]
pub(super) struct Defaults {
    pub(super) algorithm: Option<AlgorithmName>,
    pub(super) warn_at: Option<u16>,
    pub(super) hard_at: Option<u16>,
}

impl Defaults {
    /// From the fields `algorithm`, `warn_at` and `hard_at`.
    pub(super) fn read(fields: &Fields<'_, '_>, findings: &mut Findings) -> Self {
        let algorithm = fields.find("algorithm");
        let (warn_at, hard_at) = (fields.find("warn_at"), fields.find("hard_at"));
        Self {
            algorithm: algorithm.and_then(|node| scalar::parsed(node, "algorithm", findings)),
            warn_at: warn_at.and_then(|node| scalar::percent(node, "warn_at", 1..=100, findings)),
            hard_at: hard_at
                .and_then(|node| scalar::percent(node, "hard_at", 100..=1_000, findings)),
        }
    }

    const fn or(self, other: Self) -> Self {
        Self {
            algorithm: match self.algorithm {
                Some(name) => Some(name),
                None => other.algorithm,
            },
            warn_at: match self.warn_at {
                Some(percent) => Some(percent),
                None => other.warn_at,
            },
            hard_at: match self.hard_at {
                Some(percent) => Some(percent),
                None => other.hard_at,
            },
        }
    }
}

/// The limits of the fields `limit` or `limits`, of which there must be one.
pub(super) fn limit_or_limits(
    fields: &Fields<'_, '_>,
    defaults: Defaults,
    findings: &mut Findings,
) -> Option<LimitSet> {
    match (fields.find("limit"), fields.find("limits")) {
        (Some(node), None) => limit(node, defaults, findings).map(LimitSet::from),
        (None, Some(node)) => limits(node, defaults, findings),
        (None, None) => fields.need("limit", "limit: 100/min", findings).and(None),
        (Some(_), Some(_)) => {
            let spans = (fields.name_span("limit"), fields.name_span("limits"));
            if let (Some(limit), Some(limits)) = spans {
                let finding = Finding::error(limits, "limit and limits are both given");
                let finding = finding.help("put them all into limits");
                findings.push(finding.related(limit, "limit is here"));
            }
            None
        }
    }
}

/// A list of limits.
pub(super) fn limits(
    node: &Node<'_>,
    defaults: Defaults,
    findings: &mut Findings,
) -> Option<LimitSet> {
    let items = scalar::items(node, "limits", Limit::PER_KEY_MAX, findings)?;
    let read: Vec<Option<Limit>> =
        items.iter().map(|item| limit(item, defaults, findings)).collect();
    let limits: Option<Vec<Limit>> = read.into_iter().collect();
    LimitSet::new(limits?).map_err(|error| findings.error(node.span, error.to_string())).ok()
}

/// One limit or a list of them.
pub(super) fn one_or_more(node: &Node<'_>, findings: &mut Findings) -> Option<LimitSet> {
    match node.value {
        Value::List(_) => limits(node, Defaults::default(), findings),
        _ => limit(node, Defaults::default(), findings).map(LimitSet::from),
    }
}

/// `5/min`, or `{ per: 10/s, burst: 20 }`.
pub(super) fn limit(node: &Node<'_>, defaults: Defaults, findings: &mut Findings) -> Option<Limit> {
    if let Value::List(_) = node.value {
        let finding = Finding::error(node.span, "limit is one limit, not a list");
        findings.push(finding.help("write limits: for several"));
        return None;
    }
    let Value::Map(_) = node.value else {
        let limit: Limit = scalar::parsed(node, "a limit", findings)?;
        return with(limit, None, defaults, node.span, findings);
    };
    let fields = LIMIT.open(node, findings)?;
    let own = Defaults::read(&fields, findings);
    let burst_node = fields.find("burst");
    let burst = burst_node.map(|node| scalar::whole(node, "burst", 0..=u64::MAX, findings));
    let per = fields.need("per", "per: 10/s", findings)?;
    let limit: Limit = scalar::parsed(per, "per", findings)?;
    let span = burst_node.map_or(per.span, |node| node.span);
    match burst {
        Some(None) => None,
        burst => with(limit, burst.flatten(), own.or(defaults), span, findings),
    }
}

fn with(
    limit: Limit,
    burst: Option<u64>,
    defaults: Defaults,
    span: Span,
    findings: &mut Findings,
) -> Option<Limit> {
    let built = || {
        let standard = Bands::default();
        let bands = Bands::new(
            defaults.warn_at.unwrap_or(standard.warn_at()),
            defaults.hard_at.unwrap_or(standard.hard_at()),
        )?;
        let limit = match defaults.algorithm {
            Some(name) => limit.with_algorithm(name)?,
            None => limit,
        };
        let limit = match burst {
            Some(burst) => limit.with_burst(burst)?,
            None => limit,
        };
        limit.with_bands(bands)
    };
    built().map_err(|error| findings.error(span, error.to_string())).ok()
}

/// `[user, ip/56]`, `user|ip`, `[]`.
pub(super) fn key(node: &Node<'_>, findings: &mut Findings) -> Option<Key> {
    if let Value::Map(_) = node.value {
        let finding = Finding::error(node.head(), "key must be a list of facts, not a mapping");
        findings.push(finding.help("write key: [user], and values under match"));
        return None;
    }
    let read: Vec<Option<KeyField>> = scalar::one_or_many(node)
        .take(Key::FIELDS_MAX + 1)
        .map(|item| key_field(item, findings))
        .collect();
    let fields: Option<Vec<KeyField>> = read.into_iter().collect();
    Key::new(fields?).map_err(|error| findings.error(node.span, error.to_string())).ok()
}

fn key_field(node: &Node<'_>, findings: &mut Findings) -> Option<KeyField> {
    let given = scalar::text(node, "key", findings)?;
    report(parse(given), node.span, findings)
}

/// A field by name.
pub(super) fn named_field(name: &str, span: Span, findings: &mut Findings) -> Option<Field> {
    report(field(name), span, findings)
}

fn report<T>(read: Result<T, Wrong>, span: Span, findings: &mut Findings) -> Option<T> {
    read.map_err(|wrong| {
        let mut finding = Finding::error(span, wrong.message);
        finding.help = wrong.help;
        findings.push(finding);
    })
    .ok()
}

struct Wrong {
    message: String,
    help: Option<String>,
}

impl From<KeyError> for Wrong {
    fn from(error: KeyError) -> Self {
        Self { message: error.to_string(), help: None }
    }
}

fn parse(text: &str) -> Result<KeyField, Wrong> {
    let mut prefix = None;
    let mut fields = Vec::new();
    for part in text.split('|').take(Key::FIELDS_MAX + 1) {
        let (name, bits) = match part.trim().split_once('/') {
            Some(("ip", bits)) => ("ip", Some(bits)),
            _ => (part.trim(), None),
        };
        fields.push(field(name)?);
        prefix = prefix.or(bits);
    }
    let field = KeyField::first_of(fields)?;
    let Some(bits) = prefix else {
        return Ok(field);
    };
    let wrong = || Wrong {
        message: format!("\"ip/{}\" counts no network of IPv6", short(bits)),
        help: Some("write ip/N with N from 1 to 128, for example ip/56".to_owned()),
    };
    let bits: u8 = bits.parse().map_err(|_| wrong())?;
    field.with_ipv6_prefix(bits).map_err(|_| wrong())
}

/// An attribute's name is as in a request.
fn field(name: &str) -> Result<Field, Wrong> {
    if name.is_empty() {
        return Err(KeyError::NoAlternative.into());
    }
    let field = name.parse().map_err(|error: crate::UnknownField| {
        // Requests have other names for two of them.
        let word = name.strip_suffix("_id").unwrap_or(name);
        let named = Field::NAMED.map(|field| field.word());
        Wrong { message: error.to_string(), help: did_you_mean(word, named) }
    })?;
    match &field {
        Field::Attribute(name) if normalise::identifier(name) != Ok(Some(name)) => Err(Wrong {
            message: format!("attribute {:?} has blanks or controls in its name", short(name)),
            help: None,
        }),
        _ => Ok(field),
    }
}

fn short(text: &str) -> String {
    text.chars().take(64).collect()
}

static RESPONSE: Shape = Shape {
    what: "a response",
    fields: &["status", "message", "retry_after"],
    later: &[],
    elsewhere: &[],
};

/// `{ status: 429, message: slow down, retry_after: 30 }`.
pub(super) fn response(node: &Node<'_>, findings: &mut Findings) -> Option<Response> {
    let fields = RESPONSE.open(node, findings)?;
    let mut response = Response::default();
    if let Some(node) = fields.find("status") {
        response.status = scalar::whole(node, "status", Response::STATUS_RANGE, findings);
    }
    if let Some(node) = fields.find("message") {
        response.message = scalar::prose(node, "message", Response::MESSAGE_BYTES_MAX, findings);
    }
    if let Some(node) = fields.find("retry_after") {
        let range = 1..=Response::RETRY_AFTER_S_MAX;
        response.retry_after_s = scalar::whole(node, "retry_after, in seconds,", range, findings);
    }
    Some(response)
}
