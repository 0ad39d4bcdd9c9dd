//! The fields of a mapping.

use super::super::{
    findings::{Finding, Findings},
    span::Span,
    tree::{Entry, Node, Value},
};

use crate::nearest::{did_you_mean, nearest};

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
