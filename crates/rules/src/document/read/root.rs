//! The whole file.

use std::{collections::HashMap, rc::Rc, sync::Arc};

use super::{
    super::{
        findings::{Finding, Findings},
        tree::{Node, Tree, Value},
    },
    draft::Draft,
    exception,
    fields::{Fields, Shape},
    list,
    places::Places,
    rule::{self, Origin},
    scalar, tier, trial,
};
use crate::{Action, Name, RuleSet};

static FILE: Shape = Shape {
    what: "a rules file",
    fields: &[
        "version",
        "default_tier",
        "tiers",
        "rules",
        "overrides",
        "tests",
    ],
    later: &["timezone", "anchor", "concurrency"],
    elsewhere: &[
        ("rule", "did you mean \"rules\"?"),
        (
            "name",
            "a rule belongs into the list rules: write rules: and indent - name: below it",
        ),
    ],
};

/// The only version there is.
const VERSION: u32 = 1;

/// Reads all that can be read.
pub(super) fn root<'t>(tree: &Tree<'t>, findings: &mut Findings) -> Option<Draft<'t>> {
    let Some(root) = &tree.root else {
        if tree.is_whole {
            nothing(findings);
        }
        return None;
    };
    if let (Value::Nothing, true) = (&root.value, tree.is_whole) {
        nothing(findings);
        return None;
    }
    let fields = FILE.open(root, findings)?;
    if tree.is_whole || fields.find("version").is_some() {
        version(&fields, findings);
    }
    let mut draft = Draft::new(root, tree);
    if let Some(node) = fields.find("tiers")
        && let Some(tiers) = tier::tiers(node, findings)
    {
        draft.set.tiers = tiers;
    }
    default_tier(&mut draft.set, &fields, findings);
    if let Some(node) = fields.find("rules") {
        let rules = list::items(node, "rules", RuleSet::RULES_MAX, findings);
        for node in rules.unwrap_or_default() {
            add_rule(&mut draft, node, findings);
        }
    }
    if let Some(node) = fields.find("overrides") {
        add_overrides(&mut draft, node, findings);
    }
    if let Some(node) = fields.find("tests") {
        draft.trials = trial::trials(node, findings);
    }
    Some(draft)
}

fn nothing(findings: &mut Findings) {
    let finding = Finding::error(super::super::span::Span::default(), "the document is empty");
    findings.push(finding.help("begin with version: 1"));
}

fn version(fields: &Fields<'_, '_>, findings: &mut Findings) {
    let Some(node) = fields.need("version", "version: 1 as the first line", findings) else {
        return;
    };
    let Some(version) = scalar::whole(node, "version", 0..=u32::MAX, findings) else {
        return;
    };
    if version != VERSION {
        let message =
            format!("version {version} is not known: this release reads version {VERSION}");
        findings.push(Finding::error(node.span, message).help("write version: 1"));
    }
}

fn default_tier(set: &mut RuleSet, fields: &Fields<'_, '_>, findings: &mut Findings) {
    let given = fields.find("default_tier");
    let name: Option<Name> = match given {
        Some(node) => scalar::parsed(node, "default_tier", findings),
        None => RuleSet::default_tier_name(),
    };
    match (name, given) {
        (Some(name), None) if !set.tiers.contains_key(&name) => {
            let message = format!("tier {name:?} is not declared, and no default_tier is given");
            let span = fields
                .name_span("tiers")
                .unwrap_or_else(|| fields.node.head());
            let finding = Finding::error(span, message);
            findings
                .push(finding.help("add default_tier: with the tier of requests that state none"));
            set.default_tier = set.tiers.keys().next().cloned().unwrap_or(name);
        }
        (Some(name), _) => set.default_tier = name,
        (None, _) => {}
    }
}

fn add_rule<'t>(draft: &mut Draft<'t>, node: &Rc<Node<'t>>, findings: &mut Findings) {
    let attempt = rule::rule(node, Origin::File, findings);
    let Some(name) = attempt.name else { return };
    if let Some(first) = draft.places.rules.get(&name) {
        let span = |node: &Node<'_>| {
            let name = node.entry("name");
            name.map_or_else(|| node.head(), |entry| entry.value.span)
        };
        let finding = Finding::error(span(node), format!("two rules are called {name:?}"));
        let finding = finding.help("give this one another name");
        findings.push(finding.related(span(first), "first here"));
        return;
    }
    draft.places.rules.insert(name.clone(), Rc::clone(node));
    match attempt.rule {
        Some(rule) => drop(draft.set.rules.insert(name, Arc::new(rule))),
        None => drop(draft.broken.insert(name)),
    }
}

fn add_overrides<'t>(draft: &mut Draft<'t>, node: &Node<'t>, findings: &mut Findings) {
    let rules = &draft.set.rules;
    let key_of = |name: &Name| match &rules.get(name)?.action {
        Action::Throttle(throttle) => Some(throttle.key.clone()),
        _ => None,
    };
    let items = list::items(node, "overrides", RuleSet::OVERRIDES_MAX, findings);
    for node in items.unwrap_or_default() {
        let Some(read) = exception::exception(node, key_of, findings) else {
            continue;
        };
        let is_of_broken = read
            .rule
            .as_ref()
            .is_some_and(|rule| draft.broken.contains(rule));
        if !is_of_broken {
            draft.set.overrides.push(read);
            draft.places.overrides.push(Rc::clone(node));
        }
    }
}

impl<'t> Draft<'t> {
    fn new(root: &Rc<Node<'t>>, tree: &Tree<'t>) -> Self {
        Self {
            set: RuleSet::default(),
            trials: Vec::new(),
            broken: std::collections::HashSet::new(),
            is_whole: tree.is_whole,
            places: Places {
                root: Rc::clone(root),
                rules: HashMap::new(),
                overrides: Vec::new(),
            },
        }
    }
}
