//! The fields of a mapping.

use super::super::{
    findings::{Finding, Findings},
    span::Span,
    tree::{Entry, Node, Value},
};

use crate::nearest::did_you_mean;

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
    what: &'static str,
}

impl Shape {
    /// The fields of `node`; those that it may not have are reported.
    pub(super) fn open<'n, 't>(
        &self,
        node: &'n Node<'t>,
        findings: &mut Findings,
    ) -> Option<Fields<'n, 't>> {
        let Value::Map(entries) = &node.value else {
            let message = format!(
                "{} must be a mapping of fields, not {}",
                self.what,
                node.kind()
            );
            let finding = Finding::error(node.head(), message);
            findings.push(finding.note(self.allowed()));
            return None;
        };
        for entry in entries {
            if !self.fields.contains(&&*entry.name) {
                findings.push(self.refuse(entry));
            }
        }
        let what = self.what;
        Some(Fields { node, what })
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
        if found.is_none() {
            let message = format!("{} has no {name}", self.what);
            let finding = Finding::error(self.node.head(), message);
            findings.push(finding.help(format!("add {example}")));
        }
        found
    }
}
