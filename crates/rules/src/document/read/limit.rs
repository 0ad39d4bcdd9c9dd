//! Limits.

use tollgate_core::{AlgorithmName, Bands, Limit, LimitSet};

use super::{
    super::{
        findings::{Finding, Findings},
        span::Span,
        tree::{Node, Value},
    },
    fields::{Fields, Shape},
    list, scalar,
};

static LIMIT: Shape = Shape {
    what: "a limit",
    fields: &["per", "burst", "algorithm", "warn_at", "hard_at"],
    later: &["timezone", "anchor", "concurrency"],
    elsewhere: &[
        ("limit", "did you mean \"per\"?"),
        ("rate", "did you mean \"per\"?"),
    ],
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
    let items = list::items(node, "limits", Limit::PER_KEY_MAX, findings)?;
    let read: Vec<Option<Limit>> = items
        .iter()
        .map(|item| limit(item, defaults, findings))
        .collect();
    let limits: Option<Vec<Limit>> = read.into_iter().collect();
    LimitSet::new(limits?)
        .map_err(|error| findings.error(node.span, error.to_string()))
        .ok()
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
    built()
        .map_err(|error| findings.error(span, error.to_string()))
        .ok()
}
