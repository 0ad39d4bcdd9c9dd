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
