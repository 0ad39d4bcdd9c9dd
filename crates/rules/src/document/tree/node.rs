//! One node.

use std::{borrow::Cow, rc::Rc};

use super::super::span::Span;

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
