//! Where the parts of a rule set stand in the text.

use std::{collections::HashMap, rc::Rc};

use super::super::{span::Span, tree::Node};
use crate::{Name, review::Locus};

/// The nodes that parts of a rule set came from.
pub(super) struct Places<'t> {
    pub(super) root: Rc<Node<'t>>,
    pub(super) rules: HashMap<Name, Rc<Node<'t>>>,
    /// Those of [`crate::RuleSet::overrides`], in the same order.
    pub(super) overrides: Vec<Rc<Node<'t>>>,
}

impl Places<'_> {
    /// Where to point for a flaw.
    pub(super) fn find(&self, at: &Locus) -> Span {
        match at {
            Locus::Rule { name, field } => {
                let rule = self.rules.get(name);
                rule.map_or_else(
                    || self.root.head(),
                    |rule| within(rule, field.unwrap_or("name")),
                )
            }
            Locus::Override { index, field } => {
                let exception = self.overrides.get(*index);
                exception.map_or_else(
                    || self.root.head(),
                    |exception| within(exception, field.unwrap_or_default()),
                )
            }
            Locus::Tier(name) => {
                let tiers = self.root.entry("tiers");
                let tier = tiers.and_then(|tiers| tiers.value.entry(name.as_str()));
                tier.map_or_else(|| self.root.head(), |tier| tier.name_span)
            }
            Locus::DefaultTier => within(&self.root, "default_tier"),
            Locus::Whole => self.root.head(),
        }
    }
}

/// The value of a field, or as far on the way to it as there is one.
fn within(node: &Node<'_>, path: &str) -> Span {
    let mut span = node.head();
    let mut node = node;
    for name in path.split('.') {
        let Some(entry) = node.entry(name) else { break };
        node = &entry.value;
        span = node.span;
    }
    span
}
