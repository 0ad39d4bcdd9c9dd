//! API keys, quotas and blocks for the decisions of this process.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use tollgate_rules::{Block, Directory};

use super::EntryDelta;
use crate::{EntryBody, EntryKind, Scope};

/// What must be remembered between pages.
#[derive(Debug, Default)]
pub(super) struct People {
    /// What the pages of a whole listing held so far.
    seen: Seen,
    /// The directory knows blocks by whom they block, the catalog by their ids.
    blocks: HashMap<Arc<str>, Block>,
}

type Seen = HashMap<EntryKind, HashSet<Arc<str>>>;

impl People {
    /// Puts a page in force. Tokens are for the admin side, not for decisions.
    pub(super) fn take(&mut self, directory: &Directory, delta: EntryDelta) {
        if delta.is_first {
            self.seen.clear();
        }
        let (mut keys, mut quotas) = (Vec::new(), Vec::new());
        let mut gone: Seen = HashMap::new();
        for entry in delta.entries {
            let kind = entry.body.kind();
            if delta.scope == Scope::Everything {
                let seen = self.seen.entry(kind).or_default();
                match entry.is_gone {
                    true => seen.remove(&entry.id),
                    false => seen.insert(Arc::clone(&entry.id)),
                };
            }
            match entry.body {
                EntryBody::Block(body) => {
                    let block = Some(body.block).filter(|_| !entry.is_gone);
                    self.block(directory, &entry.id, block);
                }
                _ if entry.is_gone => {
                    gone.entry(kind).or_default().insert(entry.id);
                }
                EntryBody::ApiKey(key) => {
                    forget(&mut gone, kind, &entry.id);
                    keys.push(key.key(&entry.id));
                }
                EntryBody::Quota(body) => {
                    forget(&mut gone, kind, &entry.id);
                    quotas.push(body.quota);
                }
                EntryBody::Token(_) => {}
            }
        }
        directory.put_keys(keys);
        directory.put_quotas(quotas);
        let is_gone = |kind, id: &str| gone.get(&kind).is_some_and(|gone| gone.contains(id));
        if gone.contains_key(&EntryKind::ApiKey) {
            directory.retain_keys(|id| !is_gone(EntryKind::ApiKey, id));
        }
        if gone.contains_key(&EntryKind::Quota) {
            directory.retain_quotas(|user| !is_gone(EntryKind::Quota, user));
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
        let ids: Vec<Arc<str>> = self.blocks.keys().map(Arc::clone).collect();
        for id in ids.iter().filter(|id| !is_seen(EntryKind::Block, id)) {
            self.block(directory, id, None);
        }
    }

    /// Puts a block in force, or lifts it. Another one of the same caller stays.
    fn block(&mut self, directory: &Directory, id: &Arc<str>, block: Option<Block>) {
        if let Some(former) = self.blocks.remove(id) {
            directory.unblock(&former);
            let same = |other: &&Block| other.field == former.field && other.value == former.value;
            self.blocks
                .values()
                .filter(same)
                .for_each(|other| directory.block(other));
        }
        if let Some(block) = block {
            directory.block(&block);
            self.blocks.insert(Arc::clone(id), block);
        }
    }
}

/// What was taken away and put again is there.
fn forget(gone: &mut Seen, kind: EntryKind, id: &str) {
    if let Some(gone) = gone.get_mut(&kind) {
        gone.remove(id);
    }
}
