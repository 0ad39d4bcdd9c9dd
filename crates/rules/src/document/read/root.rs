//! The whole file.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    rc::Rc,
    sync::Arc,
};

use tollgate_core::LimitSet;

use super::{
    super::{
        findings::{Finding, Findings},
        span::Span,
        tree::{Node, Tree, Value},
    },
    exception,
    fields::{Fields, Shape},
    rule,
    rule::Origin,
    scalar, throttle, trial,
    trial::Sited,
};
use crate::{
    Action, ExpectRule, Name, RuleSet, Tier,
    nearest::did_you_mean,
    review::{Flaw, Locus, Severity},
};

static FILE: Shape = Shape {
    what: "a rules file",
    fields: &["version", "default_tier", "tiers", "rules", "overrides", "tests"],
    later: &["timezone", "anchor", "concurrency"],
    elsewhere: &[
        ("rule", "did you mean \"rules\"?"),
        ("name", "a rule belongs into the list rules: write rules: and indent - name: below it"),
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
        && let Some(tiers) = tiers(node, findings)
    {
        draft.set.tiers = tiers;
    }
    default_tier(&mut draft.set, &fields, findings);
    if let Some(node) = fields.find("rules") {
        let rules = scalar::items(node, "rules", RuleSet::RULES_MAX, findings);
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
    let finding = Finding::error(Span::default(), "the document is empty");
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
            let span = fields.name_span("tiers").unwrap_or_else(|| fields.node.head());
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
    let items = scalar::items(node, "overrides", RuleSet::OVERRIDES_MAX, findings);
    for node in items.unwrap_or_default() {
        let Some(read) = exception::exception(node, key_of, findings) else {
            continue;
        };
        let is_of_broken = read.rule.as_ref().is_some_and(|rule| draft.broken.contains(rule));
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
            broken: HashSet::new(),
            is_whole: tree.is_whole,
            places: Places { root: Rc::clone(root), rules: HashMap::new(), overrides: Vec::new() },
        }
    }
}

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
    (rank, default.and_then(|node| throttle::one_or_more(node, findings)))
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
                rule.map_or_else(|| self.root.head(), |rule| within(rule, field.unwrap_or("name")))
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

/// Everything that could be read, with where it stands.
pub(super) struct Draft<'t> {
    pub(super) set: RuleSet,
    pub(super) trials: Vec<Sited>,
    /// Rules that are there but could not be read.
    pub(super) broken: HashSet<Name>,
    /// Whether the text was read to its end.
    pub(super) is_whole: bool,
    pub(super) places: Places<'t>,
}

impl Draft<'_> {
    /// Reports what is wrong with the whole. While parts are missing, what might be due to that is
    /// not reported.
    pub(super) fn review(&self, review: impl Fn(&RuleSet) -> Vec<Flaw>, findings: &mut Findings) {
        if !self.is_whole {
            return;
        }
        self.check_expected(findings);
        let is_partial = findings.errors() > 0;
        for flaw in review(&self.set) {
            if is_partial && flaw.severity == Severity::Warning {
                continue;
            }
            let span = self.places.find(&flaw.at);
            let mut finding = match flaw.severity {
                Severity::Error => Finding::error(span, flaw.message),
                Severity::Warning => Finding::warning(span, flaw.message),
            };
            finding.help = flaw.help;
            finding.related = flaw.related.map(|(at, how)| (self.places.find(&at), how.to_owned()));
            findings.push(finding);
        }
    }

    fn knows_rule(&self, name: &Name) -> bool {
        self.places.rules.contains_key(name)
    }

    fn check_expected(&self, findings: &mut Findings) {
        let expected = self.trials.iter().flat_map(|trial| &trial.rules);
        for (span, rule) in expected {
            let (name, noun, known): (_, _, Vec<&Name>) = match rule {
                ExpectRule::Rule(name) if !self.knows_rule(name) => {
                    (name, "rule", self.set.rules.keys().collect())
                }
                ExpectRule::Tier(name) if !self.set.tiers.contains_key(name) => {
                    (name, "tier", self.set.tiers.keys().collect())
                }
                _ => continue,
            };
            findings.push_error(|| {
                let finding = Finding::error(*span, format!("there is no {noun} {name:?}"));
                let nearest = did_you_mean(name.as_str(), known.into_iter().map(Name::as_str));
                let general = || "name a rule of this file, tier:NAME, or none".to_owned();
                finding.help(nearest.unwrap_or_else(general))
            });
        }
    }
}
