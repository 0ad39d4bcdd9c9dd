//! API keys, quotas and blocks for the decisions of this process.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use tollgate_rules::Directory;

use super::EntryDelta;
use crate::{EntryBody, EntryKind, Scope};

/// What the pages of a whole listing held so far.
#[derive(Debug, Default)]
pub(super) struct People {
    seen: HashMap<EntryKind, HashSet<Arc<str>>>,
}

impl People {
    /// Puts a page in force. Tokens are for the admin side, not for decisions.
    pub(super) fn take(&mut self, directory: &Directory, delta: EntryDelta) {
        if delta.is_first {
            self.seen.clear();
        }
        let (mut keys, mut quotas, mut blocks) = (Vec::new(), Vec::new(), Vec::new());
        let mut gone_keys: HashSet<Arc<str>> = HashSet::new();
        for entry in delta.entries {
            if delta.scope == Scope::Everything {
                let seen = self.seen.entry(entry.body.kind()).or_default();
                if entry.is_gone {
                    seen.remove(&entry.id);
                } else {
                    seen.insert(Arc::clone(&entry.id));
                }
            }
            match entry.body {
                EntryBody::ApiKey(_) if entry.is_gone => drop(gone_keys.insert(entry.id)),
                EntryBody::ApiKey(key) => keys.push(key.key(&entry.id)),
                EntryBody::Quota(_) if entry.is_gone => directory.remove_quota(&entry.id),
                EntryBody::Quota(body) => quotas.push(body.quota),
                EntryBody::Block(_) if entry.is_gone => directory.remove_block(&entry.id),
                EntryBody::Block(body) => blocks.push((entry.id, body.block)),
                EntryBody::Token(_) => {}
            }
        }
        if delta.scope == Scope::Everything {
            for (kind, id) in delta.kept {
                self.seen.entry(kind).or_default().insert(id);
            }
        }
        directory.put_keys(keys);
        directory.put_quotas(quotas);
        directory.put_blocks(blocks);
        if !gone_keys.is_empty() {
            directory.retain_keys(|id| !gone_keys.contains(id));
        }
        if delta.is_last && delta.scope == Scope::Everything {
            self.retain_seen(directory);
        }
    }

    /// Whatever was on no page exists no more.
    fn retain_seen(&mut self, directory: &Directory) {
        let seen = std::mem::take(&mut self.seen);
        let is_seen = |kind, id: &str| seen.get(&kind).is_some_and(|seen| seen.contains(id));
        directory.retain_keys(|id| is_seen(EntryKind::ApiKey, id));
        directory.retain_quotas(|user| is_seen(EntryKind::Quota, user));
        directory.retain_blocks(|id| is_seen(EntryKind::Block, id));
    }
}

#[cfg(test)]
mod tests {
    use tollgate_rules::Quota;

    use super::*;
    use crate::{OverrideSeq, QuotaBody, StoredEntry};

    fn whole(entries: Vec<StoredEntry>, kept: Vec<(EntryKind, Arc<str>)>) -> EntryDelta {
        EntryDelta { scope: Scope::Everything, entries, kept, is_first: true, is_last: true }
    }

    // Proves: I3
    #[test]
    fn what_cannot_be_read_stays_as_it_was_even_if_everything_is_listed() {
        let (directory, mut people) = (Directory::default(), People::default());
        let mut entry = StoredEntry::shut(EntryKind::Token, "alice".into(), OverrideSeq::ZERO);
        if let Some(entry) = &mut entry {
            let quota = Quota::new("alice".into());
            entry.body = EntryBody::Quota(QuotaBody { quota });
            entry.is_gone = false;
        }
        people.take(&directory, whole(entry.into_iter().collect(), Vec::new()));
        assert!(directory.quota("alice").is_some());
        let kept = vec![(EntryKind::Quota, "alice".into())];
        people.take(&directory, whole(Vec::new(), kept));
        assert!(directory.quota("alice").is_some(), "it is there, and not legible");
        people.take(&directory, whole(Vec::new(), Vec::new()));
        assert!(directory.quota("alice").is_none());
    }
}
