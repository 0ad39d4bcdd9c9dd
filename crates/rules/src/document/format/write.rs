//! The canonical layout.

use std::fmt::Write as _;

use super::tree::{Collection, Comment, Entry, File, Kind, Layout, Node, Scalar, Style, Value};
use crate::normalise::is_control_or_bidi;

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
        self.comments(&collection.tail, indent, if is_empty { Blank::Drop } else { Blank::Keep });
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
        let name = entry.key.as_ref().map(|key| format!("{}:", key.on_one_line()));
        self.out.push_str(name.as_deref().unwrap_or("-"));
        if let Value::Collection(collection) = &entry.value.value
            && one_line(entry, indent).is_none()
        {
            return self.block(entry, collection, indent);
        }
        let (text, lines) = match &entry.value.value {
            Value::Scalar(scalar) => {
                scalar.as_block(indent + STEP).unwrap_or_else(|| (scalar.on_one_line(), Vec::new()))
            }
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
        let value = if text.is_empty() { value.trim_end() } else { &value };
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
    let inner = entry.value.collection().filter(|_| is_block && is_after_dash(entry));
    let kept = usize::from(inner.is_none());
    let lifted = entry.beside.len().saturating_sub(kept);
    let lifted = entry.beside.iter().take(lifted).cloned();
    comments.extend(lifted.map(without_blank));
    if let Some(first) = inner.and_then(|inner| inner.entries.first()) {
        comments.extend(first.above.iter().cloned().map(without_blank));
        lift(first, indent + STEP, comments);
    }
    if let Some(empty) = entry.value.collection().filter(|inner| inner.entries.is_empty()) {
        comments.extend(empty.tail.iter().cloned().map(without_blank));
    }
}

fn without_blank(comment: Comment) -> Comment {
    Comment { after_blank: false, ..comment }
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
            let key = entry.key.as_ref().map_or(0, |key| key.on_one_line().chars().count());
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

impl Scalar {
    /// On one line: without quotes if it had none or needs none.
    pub(super) fn on_one_line(&self) -> String {
        let stays = self.style == Style::Plain && !self.text.contains('\n');
        if stays || is_plainly_text(&self.text) {
            return self.text.clone();
        }
        in_double_quotes(&self.text)
    }

    /// The header and the lines of a text in a block, if it can be one.
    pub(super) fn as_block(&self, indent: usize) -> Option<(String, Vec<String>)> {
        let body = self.text.trim_end_matches('\n');
        if !matches!(self.style, Style::Literal | Style::Folded) || body.is_empty() {
            return None;
        }
        let breaks = self.text.len().saturating_sub(body.len());
        let chomping = ["-", ""].get(breaks).copied().unwrap_or("+");
        let folded = match self.style {
            Style::Folded => folded(body, indent),
            _ => None,
        };
        let first = body.split('\n').find(|line| !line.is_empty());
        let is_indented = first.is_some_and(|line| line.starts_with([' ', '\t']));
        let step = if is_indented { "2" } else { "" };
        let (sign, mut lines) = match folded {
            Some(lines) => (">", lines),
            None => ("|", body.split('\n').map(str::to_owned).collect()),
        };
        lines.extend((1..breaks).map(|_| String::new()));
        Some((format!("{sign}{step}{chomping}"), lines))
    }

    /// Whether two texts mean the same: a number, say, is not the text that looks like it.
    pub(super) fn means(&self, other: &Self) -> bool {
        let is_text = |scalar: &Self| scalar.style != Style::Plain || is_plainly_text(&scalar.text);
        let is_same_kind = is_text(self) == is_text(other) || self.text.contains('\n');
        self.text == other.text && (is_same_kind || self.style == other.style)
    }
}

/// The lines of a folded text: a line break of the text is an empty line. `None` for text whose lines
/// would not be folded.
fn folded(body: &str, indent: usize) -> Option<Vec<String>> {
    if body.split('\n').any(|line| line.starts_with([' ', '\t'])) || body.starts_with('\n') {
        return None;
    }
    let width = COLUMNS_MAX.saturating_sub(indent).max(20);
    let mut lines = Vec::new();
    for (place, line) in body.split('\n').enumerate() {
        if place > 0 {
            lines.push(String::new());
        }
        if !line.is_empty() {
            lines.extend(wrapped(line, width));
        }
    }
    Some(lines)
}

/// Broken at single blanks, the only place where a fold gives back what was there.
fn wrapped(line: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in line.split(' ') {
        match lines.last_mut() {
            Some(last)
                if word.is_empty()
                    || word.starts_with('\t')
                    || last.ends_with([' ', '\t'])
                    || last.chars().count() + 1 + word.chars().count() <= width =>
            {
                last.push(' ');
                last.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A text in the quotes that can hold any.
pub(in crate::document) fn in_double_quotes(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            letter if is_printable(letter) => quoted.push(letter),
            other => {
                let _infallible = write!(quoted, "\\U{:08X}", u32::from(other));
            }
        }
    }
    quoted.push('"');
    quoted
}

fn is_printable(letter: char) -> bool {
    let is_odd = matches!(letter, '\u{feff}' | '\u{fffe}' | '\u{ffff}');
    !is_control_or_bidi(letter) && !is_odd
}

/// Whether every reader of YAML takes it for a text without quotes, wherever it stands.
fn is_plainly_text(text: &str) -> bool {
    const WORDS: [&str; 11] =
        ["null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf"];
    let is_word = WORDS.iter().any(|word| text.eq_ignore_ascii_case(word));
    let is_safe = |letter: char| letter.is_ascii_alphanumeric() || "/_.-+%*@ ".contains(letter);
    let starts = text.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '/');
    starts && !is_word && !text.ends_with(' ') && text.chars().all(is_safe) && !is_number(text)
}

/// Anything that begins like a number and is not a limit, a percentage or a factor.
fn is_number(text: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_hexdigit() || "xo._-+".contains(letter);
    let is_numeric = text.starts_with(|letter: char| letter.is_ascii_digit());
    is_numeric && text.chars().all(is_part) && !text.ends_with('x')
}

/// The fields of a rule, in order; any other comes after them.
const RULE: [&str; 20] = [
    "name",
    "renamed_from",
    "match",
    "key",
    "missing",
    "limit",
    "limits",
    "algorithm",
    "priority",
    "group",
    "cost",
    "action",
    "consistency",
    "on_failure",
    "response",
    "warn_at",
    "hard_at",
    "enabled",
    "owner",
    "reason",
];

/// Puts the fields of every rule in order, unless an alias could come before its anchor.
pub(super) fn order(file: &mut File) {
    if file.has_anchors {
        return;
    }
    let rules = file.root.entries.iter_mut().filter(|entry| is_named(entry, "rules"));
    for list in rules.filter_map(collection) {
        for rule in list.entries.iter_mut().filter_map(collection) {
            if rule.kind == Kind::Mapping {
                rule.entries.sort_by_key(rank);
            }
        }
    }
}

/// Where a field of a rule stands among the others.
pub(in crate::document) fn place_in_rule(field: &str) -> usize {
    let place = RULE.iter().position(|name| *name == field);
    place.unwrap_or(RULE.len())
}

fn rank(entry: &Entry) -> usize {
    let name = entry.key.as_ref().map(|key| place_in_rule(&key.text));
    name.unwrap_or(RULE.len())
}

fn is_named(entry: &Entry, name: &str) -> bool {
    entry.key.as_ref().is_some_and(|key| key.text == name)
}

const fn collection(entry: &mut Entry) -> Option<&mut Collection> {
    match &mut entry.value.value {
        Value::Collection(collection) => Some(collection),
        _ => None,
    }
}
