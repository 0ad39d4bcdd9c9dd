//! Lists, and values that may stand alone or in a list.

use std::{collections::HashSet, hash::Hash, rc::Rc};

use super::super::{
    findings::{Finding, Findings},
    tree::{Node, Value},
};

/// The nodes of a list of at most `max`.
pub(super) fn items<'n, 't>(
    node: &'n Node<'t>,
    what: &str,
    max: usize,
    findings: &mut Findings,
) -> Option<&'n [Rc<Node<'t>>]> {
    match &node.value {
        Value::List(items) if items.len() <= max => Some(items),
        Value::List(items) => {
            let message = format!(
                "{what} has {} values, at most {max} are allowed",
                items.len()
            );
            findings.error(node.span, message);
            None
        }
        Value::Nothing => {
            let finding = Finding::error(node.span, format!("{what} has no value"));
            findings.push(finding.help("write [] for none, or remove the field"));
            None
        }
        _ => {
            let message = format!("{what} must be a list, not {}", node.kind());
            let finding = Finding::error(node.head(), message);
            findings.push(finding.help("write [...], or put \"- \" before each item"));
            None
        }
    }
}

/// One value, or a list of at most `max`, each read by `each`. Nothing if one of them is wrong.
pub(super) fn values<T: Clone + Eq + Hash>(
    node: &Node<'_>,
    what: &str,
    max: usize,
    findings: &mut Findings,
    each: impl Fn(&Node<'_>, &str, &mut Findings) -> Option<T>,
) -> Option<Vec<T>> {
    let Value::List(_) = node.value else {
        return each(node, what, findings).map(|value| vec![value]);
    };
    let items = items(node, what, max, findings)?;
    if items.is_empty() {
        let finding = Finding::error(node.span, format!("{what} is an empty list"));
        findings.push(finding.help("nothing is in it: name a value, or remove the field"));
        return None;
    }
    let read: Vec<Option<T>> = items
        .iter()
        .map(|item| each(item, what, findings))
        .collect();
    let mut known = HashSet::new();
    let mut unique = Vec::with_capacity(read.len());
    for (item, value) in items.iter().zip(&read) {
        let Some(value) = value else { continue };
        if known.insert(value) {
            unique.push(value.clone());
        } else {
            let finding = Finding::warning(item.span, format!("{what} lists this value twice"));
            findings.push(finding.help("remove it"));
        }
    }
    read.iter().all(Option::is_some).then_some(unique)
}

/// The nodes of a list, or the one node that stands for a list of one.
pub(super) fn one_or_many<'n, 't>(node: &'n Node<'t>) -> impl Iterator<Item = &'n Node<'t>> {
    let (many, alone): (&[Rc<Node<'t>>], _) = match &node.value {
        Value::List(items) => (items, None),
        _ => (&[], Some(node)),
    };
    many.iter().map(|item| &**item).chain(alone)
}
