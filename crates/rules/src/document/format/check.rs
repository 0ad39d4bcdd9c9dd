//! Whether two files say the same, comments included.

use super::tree::{Collection, Comment, Entry, File, Kind, Node, Value};

pub(super) fn says_the_same(one: &File, other: &File) -> bool {
    is_same_collection(&one.root, &other.root) && comments(one) == comments(other)
}

/// The order of a mapping's fields means nothing.
fn is_same_collection(one: &Collection, other: &Collection) -> bool {
    if one.kind != other.kind || one.entries.len() != other.entries.len() {
        return false;
    }
    let mut pairs: Vec<(&Entry, &Entry)> = one.entries.iter().zip(&other.entries).collect();
    if one.kind == Kind::Mapping {
        let (mut left, mut right): (Vec<&Entry>, Vec<&Entry>) = pairs.into_iter().unzip();
        left.sort_by_key(|entry| key(entry));
        right.sort_by_key(|entry| key(entry));
        pairs = left.into_iter().zip(right).collect();
    }
    let mut pairs = pairs.into_iter();
    pairs.all(|(one, other)| key(one) == key(other) && is_same_node(&one.value, &other.value))
}

fn key(entry: &Entry) -> Option<&str> {
    entry.key.as_ref().map(|key| &*key.text)
}

fn is_same_node(one: &Node, other: &Node) -> bool {
    let is_same = match (&one.value, &other.value) {
        (Value::Nothing, Value::Nothing) => true,
        (Value::Scalar(one), Value::Scalar(other)) => one.means(other),
        (Value::Alias(one), Value::Alias(other)) => one == other,
        (Value::Collection(one), Value::Collection(other)) => is_same_collection(one, other),
        _ => false,
    };
    is_same && one.properties == other.properties
}

/// Every comment, sorted: where it stands is up to the layout.
fn comments(file: &File) -> Vec<&str> {
    let mut found = Vec::new();
    collect(&file.root, &mut found);
    let mut texts: Vec<&str> = found.iter().map(|comment| &*comment.text).collect();
    texts.sort_unstable();
    texts
}

fn collect<'f>(collection: &'f Collection, found: &mut Vec<&'f Comment>) {
    for entry in &collection.entries {
        found.extend(entry.above.iter().chain(&entry.beside));
        if let Some(inner) = entry.value.collection() {
            collect(inner, found);
        }
    }
    found.extend(&collection.tail);
}

pub(super) struct Remarks<'t> {
    text: &'t str,
    /// Where the comments stand that were not reached yet, the next one last.
    ahead: Vec<(usize, usize)>,
    /// Those that belong to what comes next.
    pending: Vec<Pending>,
    /// Where the last thing ended that a comment can stand behind.
    pub(super) end: usize,
}

struct Pending {
    comment: Comment,
    /// The column, if it has a line of its own.
    column: Option<usize>,
}

impl<'t> Remarks<'t> {
    pub(super) fn new(text: &'t str, mut places: Vec<(usize, usize)>) -> Self {
        places.sort_unstable();
        places.reverse();
        Self { text, ahead: places, pending: Vec::new(), end: 0 }
    }

    /// Goes on to `offset`; the comments behind the last thing are returned.
    pub(super) fn reach(&mut self, offset: usize) -> Vec<Comment> {
        let mut behind = Vec::new();
        while let Some((start, end)) = self.ahead.pop_if(|(start, _)| *start < offset) {
            let column = self.column_of(start);
            let gap = self.text.get(self.end..start).unwrap_or("\n");
            let text = self.text.get(start..end).unwrap_or_default();
            let comment = Comment {
                text: text.trim_end().to_owned(),
                after_blank: column.is_some() && self.is_after_blank(start),
            };
            if column.is_none() && !gap.contains('\n') {
                behind.push(comment);
            } else {
                self.pending.push(Pending { comment, column });
            }
        }
        behind
    }

    /// These are behind nothing after all.
    pub(super) fn put_back(&mut self, comments: Vec<Comment>) {
        let pending = comments.into_iter().map(|comment| Pending { comment, column: None });
        self.pending.splice(0..0, pending);
    }

    /// All that belong to what comes now.
    pub(super) fn take(&mut self) -> Vec<Comment> {
        let pending = self.pending.drain(..);
        pending.map(|pending| pending.comment).collect()
    }

    /// Those that belong to what ends now: the first ones, as long as they stand in this column or
    /// further to the right.
    pub(super) fn take_from(&mut self, column: usize) -> Vec<Comment> {
        let is_in = |pending: &&Pending| pending.column.is_some_and(|own| own >= column);
        let count = self.pending.iter().take_while(is_in).count();
        let taken = self.pending.drain(..count);
        taken.map(|pending| pending.comment).collect()
    }

    /// Whether the line before that of `offset` is blank.
    pub(super) fn is_after_blank(&self, offset: usize) -> bool {
        let before = self.text.get(..offset).unwrap_or_default();
        let mut lines = before.rsplit('\n').skip(1);
        lines.next().is_some_and(|line| line.trim().is_empty())
    }

    fn column_of(&self, offset: usize) -> Option<usize> {
        let before = self.text.get(..offset).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        line.trim_start_matches('\u{feff}').trim().is_empty().then(|| line.chars().count())
    }
}

/// Why a file is not formatted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// More than can be.
    #[error("the file has {bytes} bytes, at most {max} are formatted")]
    TooLong {
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        max: usize,
    },
    /// Not YAML.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// Something that a rules file has no use for.
    #[error("line {line}: {what} has no canonical layout, write it differently")]
    Unusual {
        /// The line, from 1.
        line: usize,
        /// What it is.
        what: &'static str,
    },
    /// The result would not say the same: a mistake of ours.
    #[error(
        "the file cannot be formatted without a change of its meaning, so it was left alone; \
         please report it"
    )]
    Check,
}
