//! The canonical layout.

use super::tree::{Collection, Comment, Entry, File, Kind, Layout, Node, Value};

/// The longest line that a list or mapping in brackets is kept on.
const COLUMNS_MAX: usize = 100;
/// How far what is inside stands to the right of what it is in.
const STEP: usize = 2;

pub(super) fn write(file: &File) -> String {
    let mut writer = Writer { out: String::new() };
    writer.collection(&file.root, 0, Start::OwnLine);
    writer.out
}

/// Where a list or mapping begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    OwnLine,
    /// On the line of the `-` before it.
    AfterDash,
}

struct Writer {
    out: String,
}

impl Writer {
    fn collection(&mut self, collection: &Collection, indent: usize, start: Start) {
        for (place, entry) in collection.entries.iter().enumerate() {
            let is_first = place == 0;
            if !is_first || start == Start::OwnLine {
                let at = if is_first { Blank::Drop } else { Blank::Keep };
                self.above(entry, indent, at);
                self.indent(indent);
            }
            self.entry(entry, indent);
        }
        let is_empty = collection.entries.is_empty();
        self.comments(
            &collection.tail,
            indent,
            if is_empty { Blank::Drop } else { Blank::Keep },
        );
    }

    /// The comments above an entry, and those that find no place beside it.
    fn above(&mut self, entry: &Entry, indent: usize, blank: Blank) {
        let mut comments = entry.above.clone();
        lift(entry, indent, &mut comments);
        self.comments(&comments, indent, blank);
        if entry.after_blank && (blank == Blank::Keep || !comments.is_empty()) {
            self.blank_line();
        }
    }

    fn comments(&mut self, comments: &[Comment], indent: usize, blank: Blank) {
        for (place, comment) in comments.iter().enumerate() {
            if comment.after_blank && (blank == Blank::Keep || place > 0) {
                self.blank_line();
            }
            self.indent(indent);
            self.out.push_str(&comment.text);
            self.out.push('\n');
        }
    }

    fn entry(&mut self, entry: &Entry, indent: usize) {
        let name = entry
            .key
            .as_ref()
            .map(|key| format!("{}:", key.on_one_line()));
        self.out.push_str(name.as_deref().unwrap_or("-"));
        if let Value::Collection(collection) = &entry.value.value
            && one_line(entry, indent).is_none()
        {
            return self.block(entry, collection, indent);
        }
        let (text, lines) = match &entry.value.value {
            Value::Scalar(scalar) => scalar
                .as_block(indent + STEP)
                .unwrap_or_else(|| (scalar.on_one_line(), Vec::new())),
            _ => (one_line(entry, indent).unwrap_or_default(), Vec::new()),
        };
        self.finish_line(&entry.value, &text, entry.beside.last());
        for line in lines {
            if !line.is_empty() {
                self.indent(indent + STEP);
            }
            self.out.push_str(&line);
            self.out.push('\n');
        }
    }

    fn block(&mut self, entry: &Entry, collection: &Collection, indent: usize) {
        if is_after_dash(entry) {
            self.out.push(' ');
            return self.collection(collection, indent + STEP, Start::AfterDash);
        }
        self.finish_line(&entry.value, "", entry.beside.last());
        self.collection(collection, indent + STEP, Start::OwnLine);
    }

    fn finish_line(&mut self, node: &Node, text: &str, beside: Option<&Comment>) {
        let value = format!("{}{text}", node.properties);
        let value = if text.is_empty() {
            value.trim_end()
        } else {
            &value
        };
        if !value.is_empty() {
            self.out.push(' ');
            self.out.push_str(value);
        }
        if let Some(comment) = beside {
            self.out.push_str("  ");
            self.out.push_str(&comment.text);
        }
        self.out.push('\n');
    }

    fn indent(&mut self, columns: usize) {
        self.out.extend(std::iter::repeat_n(' ', columns));
    }

    /// One blank line, unless one is there.
    fn blank_line(&mut self) {
        let last = self.out.lines().next_back();
        if last.is_some_and(|line| !line.trim().is_empty()) {
            self.out.push('\n');
        }
    }
}

/// What becomes of a blank line before the first thing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Blank {
    Keep,
    Drop,
}

/// Comments that must stand above the entry: all but one of those beside it, and if the first entry of
/// what is in it begins on the same line, all of that one's.
fn lift(entry: &Entry, indent: usize, comments: &mut Vec<Comment>) {
    let is_block = one_line(entry, indent).is_none();
    let inner = entry
        .value
        .collection()
        .filter(|_| is_block && is_after_dash(entry));
    let kept = usize::from(inner.is_none());
    let lifted = entry.beside.len().saturating_sub(kept);
    let lifted = entry.beside.iter().take(lifted).cloned();
    comments.extend(lifted.map(without_blank));
    if let Some(first) = inner.and_then(|inner| inner.entries.first()) {
        comments.extend(first.above.iter().cloned().map(without_blank));
        lift(first, indent + STEP, comments);
    }
    if let Some(empty) = entry
        .value
        .collection()
        .filter(|inner| inner.entries.is_empty())
    {
        comments.extend(empty.tail.iter().cloned().map(without_blank));
    }
}

fn without_blank(comment: Comment) -> Comment {
    Comment {
        after_blank: false,
        ..comment
    }
}

/// Whether a block in this entry begins beside its dash.
const fn is_after_dash(entry: &Entry) -> bool {
    entry.key.is_none() && entry.value.properties.is_empty()
}

/// What is not a block, if the entry is none: nothing, an alias, or brackets that fit the line.
fn one_line(entry: &Entry, indent: usize) -> Option<String> {
    match &entry.value.value {
        Value::Nothing => Some(String::new()),
        Value::Alias(name) => Some(name.clone()),
        Value::Scalar(scalar) => Some(scalar.on_one_line()),
        Value::Collection(collection) if collection.entries.is_empty() => {
            Some(brackets(collection.kind, &[]))
        }
        Value::Collection(collection) => {
            let key = entry
                .key
                .as_ref()
                .map_or(0, |key| key.on_one_line().chars().count());
            let text = flow(collection)?;
            let columns =
                indent + key + entry.value.properties.chars().count() + STEP + text.chars().count();
            (columns <= COLUMNS_MAX).then_some(text)
        }
    }
}

/// The list or mapping in brackets, if it was in brackets and nothing in it needs a line of its own.
fn flow(collection: &Collection) -> Option<String> {
    if collection.layout == Layout::Block || !collection.tail.is_empty() {
        return None;
    }
    let mut parts = Vec::new();
    for entry in &collection.entries {
        if !entry.above.is_empty() || !entry.beside.is_empty() {
            return None;
        }
        let value = match &entry.value.value {
            Value::Nothing => return None,
            Value::Alias(name) => name.clone(),
            Value::Scalar(scalar) => scalar.on_one_line(),
            Value::Collection(inner) => flow(inner)?,
        };
        let value = format!("{}{value}", entry.value.properties);
        parts.push(match &entry.key {
            Some(key) => format!("{}: {value}", key.on_one_line()),
            None => value,
        });
    }
    Some(brackets(collection.kind, &parts))
}

fn brackets(kind: Kind, parts: &[String]) -> String {
    let parts = parts.join(", ");
    match kind {
        Kind::List => format!("[{parts}]"),
        Kind::Mapping if parts.is_empty() => "{}".to_owned(),
        Kind::Mapping => format!("{{ {parts} }}"),
    }
}
