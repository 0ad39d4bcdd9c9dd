//! A file as it was written: data, comments, and the styles that matter.

/// A whole file.
#[derive(Clone, Debug, Default)]
pub(super) struct File {
    pub(super) root: Collection,
    /// Whether anything in it has an anchor.
    pub(super) has_anchors: bool,
}

/// A comment, with its `#`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Comment {
    pub(super) text: String,
    /// Whether a blank line stands before it.
    pub(super) after_blank: bool,
}

/// A list or a mapping.
#[derive(Clone, Debug, Default)]
pub(super) struct Collection {
    pub(super) kind: Kind,
    pub(super) layout: Layout,
    pub(super) entries: Vec<Entry>,
    /// Comments after the last entry.
    pub(super) tail: Vec<Comment>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    List,
    #[default]
    Mapping,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Layout {
    /// A line for each entry.
    #[default]
    Block,
    /// In brackets.
    Flow,
}

/// An item of a list, or a field of a mapping and its value.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The name of the field; an item has none.
    pub(super) key: Option<Scalar>,
    pub(super) value: Node,
    /// Comments on lines of their own before it.
    pub(super) above: Vec<Comment>,
    /// Comments behind it on its line; several if what they were behind moved onto one line.
    pub(super) beside: Vec<Comment>,
    /// Whether a blank line stands before it, or before it and after the comments above it.
    pub(super) after_blank: bool,
}

/// A value.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The anchor and the tag as they were written, each with a blank after it.
    pub(super) properties: String,
    pub(super) value: Value,
}

#[derive(Clone, Debug)]
pub(super) enum Value {
    /// Not even a null: nothing stands there.
    Nothing,
    Scalar(Scalar),
    /// `*name`.
    Alias(String),
    Collection(Collection),
}

/// A text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scalar {
    pub(super) text: String,
    pub(super) style: Style,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Quoted,
    /// `|`
    Literal,
    /// `>`
    Folded,
}

impl Node {
    pub(super) const NOTHING: Self = Self {
        properties: String::new(),
        value: Value::Nothing,
    };

    /// The list or mapping it is, if it is one.
    pub(super) const fn collection(&self) -> Option<&Collection> {
        match &self.value {
            Value::Collection(collection) => Some(collection),
            _ => None,
        }
    }
}
