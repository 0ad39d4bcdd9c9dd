//! How envoyproxy/ratelimit decides, in its own terms and as slow as can be: a tree of keys, and a count for
//! every descriptor that has met a limit. All of it happens in one window.

use std::collections::HashMap;

/// One key of its configuration, with what stands below it.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    key: &'static str,
    value: Option<&'static str>,
    limit: Option<Limit>,
    is_shadow: bool,
    is_shared: bool,
    below: Vec<Self>,
}

#[derive(Clone, Copy, Debug)]
enum Limit {
    Amount(u64),
    Unlimited,
}

/// What a request has: its entries in order.
pub(super) type Descriptor = Vec<(&'static str, &'static str)>;

/// A domain with its counts.
#[derive(Debug)]
pub(super) struct Model {
    top: Node,
    counts: HashMap<Vec<(String, String)>, u64>,
}

/// What becomes of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code {
    Ok,
    OverLimit,
}

pub(super) fn key(key: &'static str) -> Node {
    Node { key, ..Node::default() }
}

impl Node {
    pub(super) const fn value(mut self, value: &'static str) -> Self {
        self.value = Some(value);
        self
    }

    pub(super) const fn amount(mut self, amount: u64) -> Self {
        self.limit = Some(Limit::Amount(amount));
        self
    }

    pub(super) const fn unlimited(mut self) -> Self {
        self.limit = Some(Limit::Unlimited);
        self
    }

    pub(super) const fn shadow(mut self) -> Self {
        self.is_shadow = true;
        self
    }

    /// All values of a wildcard have one count.
    pub(super) const fn shared(mut self) -> Self {
        self.is_shared = true;
        self
    }

    pub(super) fn below(mut self, below: impl Into<Vec<Self>>) -> Self {
        self.below = below.into();
        self
    }

    /// The key with this value, then a wildcard, then the key alone. Whichever is taken, none of the others
    /// is looked at again.
    fn next(&self, (key, value): (&str, &str)) -> Option<&Self> {
        let mut nodes = self.below.iter().filter(|node| node.key == key);
        let exact = nodes.clone().find(|node| node.value == Some(value));
        let wild = nodes.clone().find(|node| {
            let start = node.value.and_then(|known| known.strip_suffix('*'));
            start.is_some_and(|start| value.starts_with(start))
        });
        exact.or(wild).or_else(|| nodes.find(|node| node.value.is_none()))
    }
}

impl Model {
    pub(super) fn new(top: impl Into<Vec<Node>>) -> Self {
        Self { top: key("").below(top), counts: HashMap::new() }
    }

    /// Every descriptor by itself; each that meets a limit is counted, whatever becomes of it or of the others.
    pub(super) fn ask(&mut self, descriptors: &[Descriptor]) -> Vec<Code> {
        let descriptors = descriptors.iter();
        descriptors.map(|entries| self.count(entries)).collect()
    }

    fn count(&mut self, entries: &Descriptor) -> Code {
        let mut at = &self.top;
        let mut counted = Vec::new();
        for &(key, value) in entries {
            let Some(next) = at.next((key, value)) else {
                return Code::Ok;
            };
            let value = if next.is_shared { next.value.unwrap_or(value) } else { value };
            counted.push((key.to_owned(), value.to_owned()));
            at = next;
        }
        let Some(Limit::Amount(amount)) = at.limit else {
            return Code::Ok;
        };
        let count = self.counts.entry(counted).or_default();
        *count += 1;
        if *count > amount && !at.is_shadow { Code::OverLimit } else { Code::Ok }
    }
}
