//! One node.

use std::{borrow::Cow, collections::HashMap, rc::Rc};

use granit_parser::ErrorKind;

use super::super::{
    findings::{Finding, Findings},
    span::Span,
};

/// A text, a list or a mapping, and where it stands.
#[derive(Debug)]
pub(in crate::document) struct Node<'t> {
    pub(in crate::document) span: Span,
    pub(in crate::document) value: Value<'t>,
}

#[derive(Debug)]
pub(in crate::document) enum Value<'t> {
    /// Nothing: an empty value, `null` or `~`.
    Nothing,
    Text(Cow<'t, str>, Style),
    List(Vec<Rc<Node<'t>>>),
    Map(Vec<Entry<'t>>),
}

/// How a text was written. Where a number is wanted, quotes say that it is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::document) enum Style {
    Plain,
    Quoted,
}

/// A field and its value. No two fields of a mapping have the same name.
#[derive(Debug)]
pub(in crate::document) struct Entry<'t> {
    pub(in crate::document) name: Cow<'t, str>,
    pub(in crate::document) name_span: Span,
    pub(in crate::document) value: Rc<Node<'t>>,
}

impl<'t> Node<'t> {
    /// What it is, for a message.
    pub(in crate::document) const fn kind(&self) -> &'static str {
        match self.value {
            Value::Nothing => "nothing",
            Value::Text(..) => "a text",
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
        }
    }

    /// The field of a mapping.
    pub(in crate::document) fn entry(&self, name: &str) -> Option<&Entry<'t>> {
        match &self.value {
            Value::Map(entries) => entries.iter().find(|entry| entry.name == name),
            _ => None,
        }
    }

    /// Where to point to speak about the whole: a mapping by its first field, since the whole may be
    /// many lines.
    pub(in crate::document) fn head(&self) -> Span {
        match &self.value {
            Value::Map(entries) => entries.first().map_or(self.span, |first| first.name_span),
            _ => self.span,
        }
    }
}

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
    Some(Entry { name: text.clone(), name_span: name.span, value })
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

type Advice = (String, &'static str);

/// A message and what to do about it.
pub(super) fn explain(kind: &ErrorKind) -> (String, Option<&'static str>) {
    let advice = brackets(kind).or_else(|| layout(kind)).or_else(|| texts(kind));
    match advice {
        Some((message, help)) => (message, Some(help)),
        None => (format!("this is not YAML: {kind}"), None),
    }
}

/// Lists and mappings in brackets.
fn brackets(kind: &ErrorKind) -> Option<Advice> {
    let (message, help) = match kind {
        ErrorKind::UnclosedFlowCollection { open } => (
            format!("{open:?} is not closed"),
            "close it, or check the quotes and brackets after it",
        ),
        ErrorKind::MismatchedFlowCollectionEnd { open, close } => {
            (format!("{open:?} is closed by {close:?}"), "brackets close in pairs: [ ] and { }")
        }
        ErrorKind::MisplacedFlowCollectionEnd => (
            "a closing bracket without an opening one".to_owned(),
            "remove it, or quote the text it belongs to",
        ),
        ErrorKind::ExpectedFlowMappingSeparator => (
            "a mapping in braces goes on without a comma".to_owned(),
            "write { a: 1, b: 2 }, or close the braces",
        ),
        ErrorKind::ExpectedFlowSequenceSeparator => (
            "a list in brackets goes on without a comma".to_owned(),
            "write [a, b], or close the brackets",
        ),
        _ => return None,
    };
    Some((message, help))
}

/// Indentation, fields and items.
fn layout(kind: &ErrorKind) -> Option<Advice> {
    let (message, help) = match kind {
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabInPlainScalar
        | ErrorKind::TabAtBlockScalarStart => {
            ("a tab where YAML wants spaces", "indent with spaces, here and below")
        }
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => (
            "a colon where no field can begin",
            "quote a text that holds \": \", close the brackets before it, or check the indentation",
        ),
        ErrorKind::InvalidIndentation
        | ErrorKind::ExpectedBlockMappingKey
        | ErrorKind::ExpectedBlockSequenceEntry
        | ErrorKind::BlockSequenceEntryNotAllowed
        | ErrorKind::MappingKeyNotAllowed => (
            "this line does not fit those above it",
            "fields of one mapping begin in the same column, items of a list with the same \"- \"",
        ),
        ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => {
            ("a field has no colon", "write name: value, with a blank after the colon")
        }
        ErrorKind::CommentNotSeparated => {
            ("a comment sticks to what is before it", "put a blank before the #")
        }
        ErrorKind::DirectiveDisallowed => {
            ("a line that begins with % is a YAML directive, and none is read", "remove the line")
        }
        _ => return None,
    };
    Some((message.to_owned(), help))
}

/// Texts and their quotes.
fn texts(kind: &ErrorKind) -> Option<Advice> {
    let (message, help) = match kind {
        ErrorKind::UnclosedQuotedScalar | ErrorKind::DocumentIndicatorInQuotedScalar => {
            ("a quoted text has no end".to_owned(), "close the quotes")
        }
        ErrorKind::InvalidQuotedScalarIndent => (
            "a quoted text goes on where the next field should begin".to_owned(),
            "close the quotes where the text ends",
        ),
        ErrorKind::InvalidTrailingSingleQuotedScalar
        | ErrorKind::InvalidTrailingDoubleQuotedScalar => (
            "something follows the closing quotes".to_owned(),
            "write \\\" for a quote inside of quotes, or put a comma between two texts",
        ),
        ErrorKind::UnknownQuotedScalarEscape => (
            "an unknown escape in a quoted text".to_owned(),
            "write \\\\ for a backslash, or use single quotes",
        ),
        ErrorKind::UnexpectedCharacter { character } if !character.is_ascii_punctuation() => {
            (format!("{character:?} is no letter"), "remove it")
        }
        ErrorKind::UnexpectedCharacter { character } => {
            (format!("a text may not begin with {character:?}"), "quote the text")
        }
        _ => return None,
    };
    Some((message, help))
}
