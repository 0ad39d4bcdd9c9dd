//! An explanation in words, and as JSON.

use std::fmt;

use serde_json::{Value, json};
use tollgate_core::{Limit, Sharing};

use super::{Explanation, Fate, TierFound};
use crate::{Action, Block, Rule, UnknownTier};

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unknown = self.tier_note().map(|note| format!(" ({note})"));
        let unknown = unknown.unwrap_or_default();
        writeln!(f, "revision {}, tier {}{unknown}", self.revision, self.tier)?;
        if self.tier_found.is_refused() {
            return writeln!(f, "denied before any rule: nothing names the tier");
        }
        if let Some(blocked) = &self.blocked {
            let reason = self
                .block
                .as_ref()
                .and_then(|block| block.reason.as_deref());
            let reason = reason.map(|reason| format!(": {reason}"));
            let reason = reason.unwrap_or_default();
            return writeln!(f, "denied before any rule: {blocked} is blocked{reason}");
        }
        for considered in &self.rules {
            let rule = &considered.rule;
            writeln!(
                f,
                "{} {}: {}",
                mark(&considered.fate),
                rule.name,
                in_words(rule, &considered.fate)
            )?;
        }
        match self.far {
            0 => Ok(()),
            1 => writeln!(f, "1 more rule does not match"),
            far => writeln!(f, "{far} more rules do not match"),
        }
    }
}

const fn mark(fate: &Fate) -> char {
    match fate {
        Fate::Applied { .. } => '+',
        Fate::Ended | Fate::Denied { .. } => '!',
        _ => '-',
    }
}

fn in_words(rule: &Rule, fate: &Fate) -> String {
    match fate {
        Fate::Applied { limits, .. } if limits.is_empty() => {
            "applies without limit, by override".to_owned()
        }
        Fate::Applied {
            limits, overridden, ..
        } => {
            let whose = if *overridden { ", by override" } else { "" };
            format!("applies {}{}{whose}", counted_by(rule), limits.join("; "))
        }
        Fate::OutsideScope => "matches, but its key is outside the scope asked for".to_owned(),
        Fate::GroupTaken { group } => {
            format!("matches, but another throttle of group {group} came first")
        }
        Fate::Skipped { field } => format!("skipped: no {field}"),
        Fate::Denied { field } => format!("denies: no {field}"),
        Fate::Ended => match rule.action {
            Action::Allow => "allows, and ends the walk".to_owned(),
            _ => "blocks, and ends the walk".to_owned(),
        },
        Fate::NotReached => "would match, but the walk had ended".to_owned(),
        Fate::Missed(miss) => format!("does not match: {miss}"),
    }
}

fn counted_by(rule: &Rule) -> String {
    match &rule.action {
        Action::Throttle(throttle) if throttle.key.is_global() => {
            "to everyone together: ".to_owned()
        }
        Action::Throttle(throttle) => format!("by {}: ", throttle.key),
        Action::Block | Action::Allow => String::new(),
    }
}

impl Explanation {
    /// How nodes that share counters count each limit that applies.
    pub fn sharing(&self) -> impl Iterator<Item = (&Rule, &Limit, Sharing)> {
        self.rules.iter().flat_map(|considered| {
            let counted: &[Limit] = match &considered.fate {
                Fate::Applied { counted, .. } => counted,
                _ => &[],
            };
            let rule = &*considered.rule;
            let limits = counted.iter();
            limits.map(move |limit| (rule, limit, limit.sharing(rule.consistency())))
        })
    }

    /// What becomes of a tier that nothing names.
    fn tier_note(&self) -> Option<String> {
        let TierFound::Unknown { stated, policy } = &self.tier_found else {
            return None;
        };
        Some(match policy {
            UnknownTier::Default => {
                format!(
                    "the request states {stated}, which nothing names: it counts as the default"
                )
            }
            UnknownTier::Keep => {
                "not declared: no rule for a tier and no defaults are about it".to_owned()
            }
            UnknownTier::Refuse => "nothing names it, and unknown_tier is refuse".to_owned(),
        })
    }

    /// The same for programs.
    pub fn to_json(&self) -> Value {
        let rules = self.rules.iter().map(|considered| {
            let rule = &considered.rule;
            json!({
                "rule": rule.name.as_str(),
                "action": rule.action.word(),
                "fate": word(&considered.fate),
                "text": in_words(rule, &considered.fate),
            })
        });
        json!({
            "revision": self.revision,
            "tier": self.tier,
            "tier_declared": self.tier_found == TierFound::Known,
            "tier_note": self.tier_note(),
            "blocked": self.blocked,
            "block": self.block.as_deref().map(block_json),
            "rules": rules.collect::<Vec<Value>>(),
            "not_shown": self.far,
        })
    }
}

fn block_json(block: &Block) -> Value {
    json!({
        "field": block.field.to_string(),
        "value": &*block.value,
        "reason": block.reason.as_deref(),
    })
}

const fn word(fate: &Fate) -> &'static str {
    match fate {
        Fate::Applied { .. } => "applied",
        Fate::OutsideScope => "outside_scope",
        Fate::GroupTaken { .. } => "group_taken",
        Fate::Skipped { .. } => "skipped",
        Fate::Denied { .. } => "denied",
        Fate::Ended => "ended",
        Fate::NotReached => "not_reached",
        Fate::Missed(_) => "missed",
    }
}
