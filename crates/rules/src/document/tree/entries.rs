//! The fields of a mapping as it is built.

use std::{collections::HashMap, rc::Rc};

use super::{
    super::{
        findings::{Finding, Findings},
        span::Span,
    },
    Entry, Node, Value,
};

/// A field, if its name is a text.
pub(super) fn entry<'t>(
    name: &Node<'t>,
    value: Rc<Node<'t>>,
    findings: &mut Findings,
) -> Option<Entry<'t>> {
    let Value::Text(text, _) = &name.value else {
        let message = format!("the name of a field must be a text, not {}", name.kind());
        findings.error(name.span, message);
        return None;
    };
    Some(Entry {
        name: text.clone(),
        name_span: name.span,
        value,
    })
}

/// The entries without those that are there twice, which are reported.
pub(super) fn unique<'t>(mut entries: Vec<Entry<'t>>, findings: &mut Findings) -> Vec<Entry<'t>> {
    let mut first: HashMap<&str, Span> = HashMap::with_capacity(entries.len());
    let mut is_first = Vec::with_capacity(entries.len());
    for entry in &entries {
        let known = first.get(&*entry.name).copied();
        is_first.push(known.is_none());
        match known {
            None => drop(first.insert(&entry.name, entry.name_span)),
            Some(known) => {
                let name: String = entry.name.chars().take(64).collect();
                let finding =
                    Finding::error(entry.name_span, format!("field {name:?} is given twice"));
                let finding = finding.help("again here: keep one of them");
                findings.push(finding.related(known, "first here"));
            }
        }
    }
    let mut is_first = is_first.into_iter();
    entries.retain(|_| is_first.next().unwrap_or(true));
    entries
}
