//! Whom nothing lets pass.

use std::{collections::HashMap, sync::Arc};

use tollgate_core::Timestamp;

use crate::{Field, Query};

/// A caller who is denied before any rule is looked at; no `allow` skips it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Block {
    /// Which fact: user, organisation, API key or address.
    pub field: Field,
    /// Its value, in normal form.
    pub value: Arc<str>,
    /// When the block ends by itself; none is never.
    pub until: Option<Timestamp>,
    /// Why.
    pub reason: Option<Arc<str>>,
}

impl Block {
    /// A block without an end.
    pub const fn new(field: Field, value: Arc<str>) -> Self {
        Self {
            field,
            value,
            until: None,
            reason: None,
        }
    }

    /// The same block with an end.
    #[must_use]
    pub const fn until(mut self, end: Timestamp) -> Self {
        self.until = Some(end);
        self
    }
}

/// All blocks, by field and value.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    users: HashMap<Arc<str>, Arc<Block>>,
    orgs: HashMap<Arc<str>, Arc<Block>>,
    api_keys: HashMap<Arc<str>, Arc<Block>>,
    ips: HashMap<Arc<str>, Arc<Block>>,
}

impl Blocks {
    pub(super) fn with(&self, block: &Block) -> Self {
        let mut blocks = self.clone();
        if let Some(of) = blocks.of(&block.field) {
            of.insert(Arc::clone(&block.value), Arc::new(block.clone()));
        }
        blocks
    }

    pub(super) fn without(&self, block: &Block) -> Self {
        let mut blocks = self.clone();
        if let Some(of) = blocks.of(&block.field) {
            of.remove(&block.value);
        }
        blocks
    }

    const fn of(&mut self, field: &Field) -> Option<&mut HashMap<Arc<str>, Arc<Block>>> {
        match field {
            Field::User => Some(&mut self.users),
            Field::Org => Some(&mut self.orgs),
            Field::ApiKey => Some(&mut self.api_keys),
            Field::Ip => Some(&mut self.ips),
            _ => None,
        }
    }

    /// The block with the latest end that is in force for any fact of the request.
    pub(super) fn find(&self, query: &Query<'_>, now: Timestamp) -> Option<Arc<Block>> {
        let address = if self.ips.is_empty() {
            None
        } else {
            query.ip_address().map(|address| address.to_string())
        };
        let facts = [
            (&self.users, query.user_name()),
            (&self.orgs, query.org_name()),
            (&self.api_keys, query.api_key_id()),
            (&self.ips, address.as_deref()),
        ];
        let found = facts.into_iter().filter_map(|(blocks, value)| {
            if blocks.is_empty() {
                return None;
            }
            blocks.get(value?)
        });
        let in_force = found.filter(|block| block.until.is_none_or(|until| now < until));
        let latest = in_force.max_by_key(|block| block.until.unwrap_or(Timestamp::MAX));
        latest.map(Arc::clone)
    }
}
