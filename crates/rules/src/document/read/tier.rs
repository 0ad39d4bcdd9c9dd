//! Tiers.

use std::collections::BTreeMap;

use tollgate_core::LimitSet;

use super::{
    super::{
        findings::{Finding, Findings},
        tree::{Node, Value},
    },
    fields::{Fields, Shape},
    limit, scalar,
};
use crate::{Name, Tier};

macro_rules! tier {
    ($fields:expr) => {
        Shape {
            what: "a tier",
            fields: $fields,
            later: &[],
            elsewhere: &[
                ("limit", "did you mean \"default\"?"),
                ("limits", "did you mean \"default\"? it may be a list"),
            ],
        }
    };
}

static IN_FILE: Shape = tier!(&["rank", "default"]);
static ALONE: Shape = tier!(&["name", "rank", "default"]);

/// The mapping of tiers by name. A tier that is wrong is there all the same, without default limits:
/// that it is declared is not in doubt.
pub(super) fn tiers(node: &Node<'_>, findings: &mut Findings) -> Option<BTreeMap<Name, Tier>> {
    let Value::Map(entries) = &node.value else {
        let message = format!("tiers must be a mapping by name, not {}", node.kind());
        let finding = Finding::error(node.head(), message);
        findings.push(finding.help("write for example free: { rank: 1, default: 1000/h }"));
        return None;
    };
    if entries.len() > Tier::COUNT_MAX || entries.is_empty() {
        let (given, max) = (entries.len(), Tier::COUNT_MAX);
        let message = format!("{given} tiers are declared: write 1 to {max}");
        findings.error(node.head(), message);
        return None;
    }
    let mut tiers = BTreeMap::new();
    for entry in entries {
        let name: Result<Name, _> = entry.name.parse();
        let fields = IN_FILE.open(&entry.value, findings);
        let (rank, default) = fields.map_or((None, None), |fields| content(&fields, findings));
        match name {
            Err(error) => findings.error(entry.name_span, error.to_string()),
            Ok(name) => {
                let mut tier = Tier::new(name.clone(), rank.unwrap_or_default());
                tier.default = default;
                tiers.insert(name, tier);
            }
        }
    }
    Some(tiers)
}

fn content(fields: &Fields<'_, '_>, findings: &mut Findings) -> (Option<u32>, Option<LimitSet>) {
    let rank = match fields.find("rank") {
        None => Some(0),
        Some(node) => scalar::whole(node, "rank", 0..=u32::MAX, findings),
    };
    let default = fields.find("default");
    (
        rank,
        default.and_then(|node| limit::one_or_more(node, findings)),
    )
}

/// One tier that carries its name.
pub(super) fn tier(node: &Node<'_>, findings: &mut Findings) -> Option<Tier> {
    let fields = ALONE.open(node, findings)?;
    let name = fields
        .need("name", "name: premium", findings)
        .and_then(|node| scalar::parsed(node, "name", findings));
    let (rank, default) = content(&fields, findings);
    let mut tier = Tier::new(name?, rank?);
    tier.default = default;
    Some(tier)
}
