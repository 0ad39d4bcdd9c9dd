//! The fields of a mapping.

use std::str::FromStr;

use tollgate_core::LimitSet;

use super::{
    super::{
        findings::{Finding, Findings},
        report::{Lines, Report},
        span::Span,
        tree::{Entry, Node, Value, build},
    },
    exception, root,
    root::{Draft, tier},
    rule::{Origin, rule},
    throttle,
};
use crate::{
    Override, Rule, RuleSet, Tier, Trial,
    nearest::{did_you_mean, nearest},
    review::{Flaw, review, review_for_redis},
};

/// Which fields a mapping may have.
pub(super) struct Shape {
    /// What it is, with its article.
    pub(super) what: &'static str,
    /// What it may have.
    pub(super) fields: &'static [&'static str],
    /// What it will have one day.
    pub(super) later: &'static [&'static str],
    /// What belongs elsewhere, and where.
    pub(super) elsewhere: &'static [(&'static str, &'static str)],
}

/// The fields of a mapping, all of which are known.
#[derive(Clone, Copy)]
pub(super) struct Fields<'n, 't> {
    pub(super) node: &'n Node<'t>,
    shape: &'static Shape,
}

impl Shape {
    /// The fields of `node`; those that it may not have are reported.
    pub(super) fn open<'n, 't>(
        &'static self,
        node: &'n Node<'t>,
        findings: &mut Findings,
    ) -> Option<Fields<'n, 't>> {
        let what = self.what;
        let entries = match &node.value {
            Value::Map(entries) => entries,
            Value::Nothing => {
                let finding = Finding::error(node.span, format!("{what} has no value"));
                findings.push(finding.help("give it fields, or remove it"));
                return None;
            }
            _ => {
                let kind = node.kind();
                let message = format!("{what} must be a mapping of fields, not {kind}");
                findings.push(Finding::error(node.head(), message).note(self.allowed()));
                return None;
            }
        };
        let unknown = entries.iter().filter(|entry| !self.knows(entry));
        for entry in unknown {
            findings.push_error(|| self.refuse(entry));
        }
        Some(Fields { node, shape: self })
    }

    fn knows(&self, entry: &Entry<'_>) -> bool {
        self.fields.contains(&&*entry.name)
    }

    /// Whether an unknown field is one of ours in another spelling.
    fn is_meant(&self, entry: &Entry<'_>, name: &str) -> bool {
        let mut elsewhere = self.elsewhere.iter();
        let is_synonym = elsewhere
            .any(|(field, help)| *field == entry.name && help.contains(&format!("mean {name:?}")));
        let is_near = nearest(&entry.name, self.fields.iter().copied()) == Some(name);
        !self.knows(entry) && (entry.name == "<<" || is_synonym || is_near)
    }

    fn refuse(&self, entry: &Entry<'_>) -> Finding {
        let name: String = entry.name.chars().take(64).collect();
        if self.later.contains(&name.as_str()) {
            let finding = Finding::error(entry.name_span, format!("{name} is not supported yet"));
            return finding.help("remove it: it would not be enforced");
        }
        let finding = Finding::error(entry.name_span, format!("unknown field {name:?}"));
        if name == "<<" {
            return finding.help("mappings are not merged: write the fields out");
        }
        let mut elsewhere = self.elsewhere.iter();
        if let Some((_, place)) = elsewhere.find(|(field, _)| *field == name) {
            return finding.help(*place);
        }
        let mut finding = finding.note(self.allowed());
        finding.help = did_you_mean(&name, self.fields.iter().copied());
        finding
    }

    fn allowed(&self) -> String {
        format!("{} may have: {}", self.what, self.fields.join(", "))
    }
}

impl<'n, 't> Fields<'n, 't> {
    /// The value of a field.
    pub(super) fn find(&self, name: &str) -> Option<&'n Node<'t>> {
        self.node.entry(name).map(|entry| &*entry.value)
    }

    /// Whether there is no field at all, known or not.
    pub(super) fn is_empty(&self) -> bool {
        matches!(&self.node.value, Value::Map(entries) if entries.is_empty())
    }

    /// Where the field's name stands.
    pub(super) fn name_span(&self, name: &str) -> Option<Span> {
        self.node.entry(name).map(|entry| entry.name_span)
    }

    /// The value of a field that must be there; `example` shows how.
    pub(super) fn need(
        &self,
        name: &str,
        example: &str,
        findings: &mut Findings,
    ) -> Option<&'n Node<'t>> {
        let found = self.find(name);
        if found.is_none() && !self.is_misspelt(name) {
            let message = format!("{} has no {name}", self.shape.what);
            let finding = Finding::error(self.node.head(), message);
            findings.push(finding.help(format!("add {example}")));
        }
        found
    }

    /// Whether the field is there under a name that was refused.
    fn is_misspelt(&self, name: &str) -> bool {
        match &self.node.value {
            Value::Map(entries) => entries.iter().any(|entry| self.shape.is_meant(entry, name)),
            _ => false,
        }
    }
}

/// What a rules file holds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Document {
    /// Rules, tiers and overrides.
    pub rules: RuleSet,
    /// The tests beside them.
    pub trials: Vec<Trial>,
}

/// What came of reading a file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reading {
    /// The document, unless there was an error.
    pub document: Option<Document>,
    /// Every error and warning.
    pub report: Report,
}

/// The rules of a file; its warnings and tests are left aside.
///
/// ```
/// use tollgate_rules::RuleSet;
///
/// let rules: RuleSet = "version: 1\nrules: [{ name: login, key: [user], limit: 5/min }]".parse()?;
/// assert_eq!(rules.rules.len(), 1);
/// assert!("version: 2".parse::<RuleSet>().is_err());
/// # Ok::<(), tollgate_rules::document::Report>(())
/// ```
impl FromStr for RuleSet {
    type Err = Report;

    fn from_str(text: &str) -> Result<Self, Report> {
        let Reading { document, report } = read("rules", text);
        document.map(|document| document.rules).ok_or(report)
    }
}

/// Reads a rules file; `source` is what it is called in the report.
///
/// ```
/// use tollgate_rules::document;
///
/// let text = "
/// version: 1
/// rules:
///   - { name: search, key: [user], missing: shared, limit: 10/s }
/// ";
/// let reading = document::read("rules.yaml", text);
/// assert!(reading.report.is_clean(), "{}", reading.report);
/// assert_eq!(reading.document.unwrap().rules.rules.len(), 1);
/// ```
pub fn read(source: &str, text: &str) -> Reading {
    read_with(source, text, review)
}

/// As [`read`], for whoever counts in Redis: a limit that cannot be counted there is an error.
///
/// ```
/// use tollgate_rules::document;
///
/// let text = "version: 1\nrules: [{ name: huge, key: [user], missing: shared, limit: 10000000000000000/day }]";
/// assert!(document::read("rules.yaml", text).document.is_some());
/// assert!(document::read_for_redis("rules.yaml", text).document.is_none());
/// ```
pub fn read_for_redis(source: &str, text: &str) -> Reading {
    read_with(source, text, |set| {
        let mut flaws = review_for_redis(set);
        let told = |flaw: &Flaw| flaws.iter().any(|known| known.message == flaw.message);
        let others: Vec<Flaw> = review(set).into_iter().filter(|flaw| !told(flaw)).collect();
        flaws.extend(others);
        flaws
    })
}

fn read_with(source: &str, text: &str, review: impl Fn(&RuleSet) -> Vec<Flaw>) -> Reading {
    let mut findings = Findings::default();
    let tree = build(text, &mut findings);
    let draft = root::root(&tree, &mut findings);
    if let Some(draft) = &draft {
        draft.review(review, &mut findings);
    }
    let draft = draft.filter(|_| findings.errors() == 0);
    Reading {
        document: draft.map(|draft| document(draft, text)),
        report: Report::new(source, text, findings),
    }
}

fn document(draft: Draft<'_>, text: &str) -> Document {
    let lines = Lines::new(text);
    let trials = draft.trials.into_iter().map(|sited| {
        let mut trial = sited.trial;
        trial.line = lines.line_of(sited.span);
        for (step, span) in trial.steps.iter_mut().zip(sited.steps) {
            step.line = lines.line_of(span);
        }
        trial
    });
    Document { rules: draft.set, trials: trials.collect() }
}

/// Reads one rule, as the catalog keeps it: it may carry its `id`.
///
/// # Errors
///
/// The report, if the rule cannot be read.
///
/// ```
/// use tollgate_rules::document::{read_rule, rule_json};
///
/// let rule = read_rule(r#"{"name":"login","key":["user"],"limit":"5/min"}"#).unwrap();
/// assert_eq!(read_rule(&rule_json(&rule).to_string()).unwrap(), rule);
/// ```
pub fn read_rule(text: &str) -> Result<Rule, Report> {
    single("rule", text, |node, findings| rule(node, Origin::Catalog, findings).rule)
}

/// Reads one tier, which carries its `name`.
///
/// # Errors
///
/// The report, if the tier cannot be read.
///
/// ```
/// use tollgate_rules::document::read_tier;
///
/// assert_eq!(read_tier("{ name: gold, rank: 3, default: 50/s }").unwrap().rank, 3);
/// ```
pub fn read_tier(text: &str) -> Result<Tier, Report> {
    single("tier", text, tier)
}

/// Reads limits that stand alone: one, or a list.
///
/// # Errors
///
/// The report, if they cannot be read.
///
/// ```
/// use tollgate_rules::document::{limits_json, read_limits};
///
/// let limits = read_limits(r#"["10/s", {"per": "1000/h", "burst": 50}]"#).unwrap();
/// assert_eq!(read_limits(&limits_json(&limits).to_string()).unwrap(), limits);
/// assert!(read_limits("0/s").is_err());
/// ```
pub fn read_limits(text: &str) -> Result<LimitSet, Report> {
    single("limits", text, throttle::one_or_more)
}

/// Reads one override. Whether it fits its rule is for [`crate::review`] to say; its address is to be
/// made to fit by [`Override::fitted`].
///
/// # Errors
///
/// The report, if the override cannot be read.
///
/// ```
/// use tollgate_rules::document::read_override;
///
/// let doubled = read_override("{ rule: login, key: { user: acme }, factor: 2x }").unwrap();
/// assert_eq!(doubled.rule.unwrap().as_str(), "login");
/// ```
pub fn read_override(text: &str) -> Result<Override, Report> {
    single("override", text, |node, findings| exception::exception(node, |_| None, findings))
}

fn single<T>(
    source: &str,
    text: &str,
    read: impl FnOnce(&Node<'_>, &mut Findings) -> Option<T>,
) -> Result<T, Report> {
    let mut findings = Findings::default();
    let tree = build(text, &mut findings);
    let value = match (&tree.root, tree.is_whole) {
        (Some(root), true) => read(root, &mut findings),
        (None, true) => {
            findings.error(Span::default(), format!("the {source} is empty"));
            None
        }
        (_, false) => None,
    };
    match value {
        Some(value) if findings.errors() == 0 => Ok(value),
        _ => Err(Report::new(source, text, findings)),
    }
}
