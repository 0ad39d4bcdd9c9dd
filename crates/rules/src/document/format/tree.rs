//! A file as it was written: data, comments, and the styles that matter.

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, StructureStyle, options};

use super::{
    super::{BYTES_MAX, DEPTH_MAX},
    FormatError,
    check::Remarks,
};

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
    pub(super) const NOTHING: Self = Self { properties: String::new(), value: Value::Nothing };

    /// The list or mapping it is, if it is one.
    pub(super) const fn collection(&self) -> Option<&Collection> {
        match &self.value {
            Value::Collection(collection) => Some(collection),
            _ => None,
        }
    }
}

/// More comments one after another than anybody writes.
const COMMENTS_MAX: usize = 100_000;

pub(super) fn build(text: &str) -> Result<File, FormatError> {
    if text.len() > BYTES_MAX {
        let (bytes, max) = (text.len(), BYTES_MAX);
        return Err(FormatError::TooLong { bytes, max });
    }
    let options = options! {
        disallow_directives: true,
        emit_anchor_events: true,
        max_buffered_comment_events: COMMENTS_MAX,
        flow_nesting_limit: DEPTH_MAX,
        block_nesting_limit: DEPTH_MAX,
    };
    let (mut events, mut comments) = (Vec::new(), Vec::new());
    for event in Parser::new_from_str_with_options(text, options) {
        match event.map_err(|error| syntax(&error))? {
            (Event::Comment(..), span) => comments.push(place(span)),
            event => events.push(event),
        }
    }
    let mut builder = Builder {
        text,
        remarks: Remarks::new(text, comments),
        frames: Vec::new(),
        root: None,
        has_anchors: false,
        last: Last::Value,
    };
    for (event, span) in events {
        builder.step(event, span)?;
    }
    builder.finish()
}

/// A list or mapping that has not ended yet.
struct Frame {
    collection: Collection,
    properties: String,
    column: usize,
    /// The next node is the name of a field.
    wants_key: bool,
}

/// What an anchor belongs to that comes now.
enum Last {
    Key,
    Value,
    Collection,
}

struct Builder<'t> {
    text: &'t str,
    remarks: Remarks<'t>,
    frames: Vec<Frame>,
    root: Option<Node>,
    has_anchors: bool,
    last: Last,
}

impl<'t> Builder<'t> {
    fn step(&mut self, event: Event<'t>, span: Span) -> Result<(), FormatError> {
        let (start, end) = place(span);
        match event {
            Event::DocumentStart(..) if self.root.is_some() => {
                Err(unusual(span, "a second document"))
            }
            Event::Scalar(text, style, ..) => {
                let (text, style) = (text.into_owned(), style_of(style));
                self.scalar(Scalar { text, style }, span)
            }
            Event::Alias(_) => {
                let name = self.text.get(start..end).unwrap_or_default();
                self.value(Value::Alias(name.to_owned()), span)
            }
            Event::SequenceStart(style, ..) => self.open(Kind::List, layout_of(style), span),
            Event::MappingStart(style, ..) => self.open(Kind::Mapping, layout_of(style), span),
            Event::SequenceEnd | Event::MappingEnd => {
                self.close(start, end);
                Ok(())
            }
            Event::Anchor(_, name) => self.anchor(&name, span),
            _ => Ok(()),
        }
    }

    fn scalar(&mut self, scalar: Scalar, span: Span) -> Result<(), FormatError> {
        let (start, end) = place(span);
        let Some(frame) = self.frames.last_mut().filter(|frame| frame.wants_key) else {
            let is_nothing = start == end && scalar.style == Style::Plain;
            let scalar = (!is_nothing).then_some(Value::Scalar(scalar));
            return self.value(scalar.unwrap_or(Value::Nothing), span);
        };
        let is_block = matches!(scalar.style, Style::Literal | Style::Folded);
        if is_block || start == end || span.tag_span().is_some() {
            return Err(unusual(span, "this name of a field"));
        }
        frame.wants_key = false;
        self.reach(start);
        self.push_entry(Some(scalar), start);
        self.remarks.end = end;
        self.last = Last::Key;
        Ok(())
    }

    fn value(&mut self, value: Value, span: Span) -> Result<(), FormatError> {
        let (start, end) = place(span);
        self.reach(start);
        self.begin_value(start, Layout::Flow, span)?;
        let properties = self.tag(span);
        self.put(Node { properties, value });
        self.remarks.end = end;
        self.last = Last::Value;
        Ok(())
    }

    fn open(&mut self, kind: Kind, layout: Layout, span: Span) -> Result<(), FormatError> {
        let (start, end) = place(span);
        self.reach(start);
        self.begin_value(start, layout, span)?;
        if layout == Layout::Flow {
            self.remarks.end = end;
        }
        let collection = Collection { kind, layout, ..Collection::default() };
        self.frames.push(Frame {
            collection,
            properties: self.tag(span),
            column: span.start.col(),
            wants_key: kind == Kind::Mapping,
        });
        self.last = Last::Collection;
        Ok(())
    }

    fn close(&mut self, start: usize, end: usize) {
        self.reach(start);
        let Some(mut frame) = self.frames.pop() else {
            return;
        };
        frame.collection.tail = match frame.collection.layout {
            Layout::Flow => {
                self.remarks.end = end;
                self.remarks.take()
            }
            Layout::Block => {
                // A list may stand in the column of its field; then so does what comes next.
                let outer = self.frames.last();
                let is_level = outer.is_some_and(|outer| outer.column == frame.column);
                self.remarks.take_from(frame.column + usize::from(is_level))
            }
        };
        self.put(Node { properties: frame.properties, value: Value::Collection(frame.collection) });
    }

    /// Makes room for a value: a list gets a new item, a field has its place already.
    fn begin_value(&mut self, start: usize, layout: Layout, span: Span) -> Result<(), FormatError> {
        let Some(frame) = self.frames.last_mut() else {
            return Ok(());
        };
        match frame.collection.kind {
            Kind::List => self.push_entry(None, start),
            Kind::Mapping if frame.wants_key => {
                return Err(unusual(span, "a field whose name is not a text"));
            }
            // Comments between a name and a block belong to the first entry of the block.
            Kind::Mapping if layout == Layout::Block => {}
            Kind::Mapping => {
                if let Some(entry) = frame.collection.entries.last_mut() {
                    entry.above.append(&mut self.remarks.take());
                }
            }
        }
        Ok(())
    }

    fn push_entry(&mut self, key: Option<Scalar>, start: usize) {
        let entry = Entry {
            key,
            value: Node::NOTHING,
            above: self.remarks.take(),
            beside: Vec::new(),
            after_blank: self.remarks.is_after_blank(start),
        };
        if let Some(frame) = self.frames.last_mut() {
            frame.collection.entries.push(entry);
        }
    }

    /// The value of the last entry is complete.
    fn put(&mut self, node: Node) {
        let Some(frame) = self.frames.last_mut() else {
            self.root = Some(node);
            return;
        };
        frame.wants_key = frame.collection.kind == Kind::Mapping;
        if let Some(entry) = frame.collection.entries.last_mut() {
            entry.value = node;
        }
    }

    /// Gives every comment before `offset` its place.
    fn reach(&mut self, offset: usize) {
        let entries = self.frames.iter_mut().rev();
        let mut entries = entries.filter_map(|frame| frame.collection.entries.last_mut());
        let behind = self.remarks.reach(offset);
        if let Some(entry) = entries.next() {
            entry.beside.extend(behind);
        } else {
            self.remarks.put_back(behind);
        }
    }

    fn tag(&self, span: Span) -> String {
        let tag = span.tag_span().and_then(|span| span.slice(self.text));
        tag.map(|tag| format!("{tag} ")).unwrap_or_default()
    }

    fn anchor(&mut self, name: &str, span: Span) -> Result<(), FormatError> {
        self.has_anchors = true;
        let frame = self.frames.last_mut();
        let properties = match (&self.last, frame) {
            (Last::Collection, Some(frame)) => &mut frame.properties,
            (Last::Value, Some(frame)) if !frame.collection.entries.is_empty() => {
                match frame.collection.entries.last_mut() {
                    Some(entry) => &mut entry.value.properties,
                    None => return Ok(()),
                }
            }
            _ => return Err(unusual(span, "this anchor")),
        };
        properties.insert_str(0, &format!("&{name} "));
        Ok(())
    }

    fn finish(mut self) -> Result<File, FormatError> {
        self.reach(usize::MAX);
        let root = self.root.take().unwrap_or(Node::NOTHING);
        let not_a_mapping = FormatError::Unusual {
            line: 1,
            what: "a file that is not a mapping with a line for each field",
        };
        let is_bare = root.properties.is_empty();
        let mut root = match root.value {
            Value::Nothing => Collection::default(),
            Value::Collection(root) if root.kind == Kind::Mapping && is_bare => root,
            _ => return Err(not_a_mapping),
        };
        if root.layout == Layout::Flow {
            return Err(not_a_mapping);
        }
        root.tail.append(&mut self.remarks.take());
        let has_anchors = self.has_anchors;
        Ok(File { root, has_anchors })
    }
}

pub(super) fn syntax(error: &ScanError) -> FormatError {
    FormatError::Syntax {
        line: error.marker().line(),
        column: error.marker().col().saturating_add(1),
        message: error.info(),
    }
}

/// Where it begins and ends, in bytes.
pub(super) fn place(span: Span) -> (usize, usize) {
    let start = span.start.byte_offset().unwrap_or(usize::MAX);
    (start, span.end.byte_offset().unwrap_or(start))
}

pub(super) fn unusual(span: Span, what: &'static str) -> FormatError {
    let line = span.start.line();
    FormatError::Unusual { line, what }
}

pub(super) const fn style_of(style: ScalarStyle) -> Style {
    match style {
        ScalarStyle::Plain => Style::Plain,
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => Style::Quoted,
        ScalarStyle::Literal => Style::Literal,
        ScalarStyle::Folded => Style::Folded,
    }
}

pub(super) const fn layout_of(style: StructureStyle) -> Layout {
    match style {
        StructureStyle::Block => Layout::Block,
        StructureStyle::Flow => Layout::Flow,
    }
}
