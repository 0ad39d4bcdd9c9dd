//! Questions that are asked again (D15).

use std::{
    collections::{HashMap, VecDeque},
    hash::{BuildHasher, Hash as _, Hasher as _, RandomState},
    sync::{Arc, Mutex, PoisonError},
};

use smallvec::SmallVec;
use tokio::sync::OnceCell;
use tollgate_core::{Micros, Timestamp};

use super::{Answer, Ask, Refusal};

/// How long a name is remembered.
const REMEMBERED: Micros = Micros::from_secs(60);
/// Names in one shard. In all, 64 shards remember 65,536 names; beyond that the oldest go early.
const NAMES_MAX: usize = 1_024;
const SHARDS: usize = 64;

/// The answers to questions that had a name.
#[derive(Debug)]
pub(super) struct Repeats {
    hash: RandomState,
    shards: Box<[Mutex<Shard>]>,
}

#[derive(Debug, Default)]
struct Shard {
    answers: HashMap<Box<str>, Kept>,
    /// The names, oldest first.
    order: VecDeque<Box<str>>,
}

#[derive(Debug)]
struct Kept {
    facts: u64,
    /// Filled once; those who ask meanwhile wait for it.
    answer: Arc<OnceCell<Answer>>,
    at: Timestamp,
}

impl Repeats {
    pub(super) fn new() -> Self {
        Self { hash: RandomState::new(), shards: (0..SHARDS).map(|_| Mutex::default()).collect() }
    }

    /// Where the answer to a request with a name is, or will be: one for all who ask under it. A caller that gives up while
    /// the answer is made leaves that to the next.
    pub(super) fn cell(
        &self,
        ask: &Ask<'_>,
        now: Timestamp,
    ) -> Result<Arc<OnceCell<Answer>>, Refusal> {
        let name = ask.request_id.unwrap_or_default();
        let facts = self.facts(ask);
        let mut shard = self.shard(name).lock().unwrap_or_else(PoisonError::into_inner);
        shard.forget(now);
        match shard.answers.get(name) {
            Some(kept) if kept.facts != facts => Err(Refusal::RequestIdTaken),
            Some(kept) => Ok(Arc::clone(&kept.answer)),
            None => {
                let answer = Arc::new(OnceCell::new());
                shard.remember(name, Kept { facts, answer: Arc::clone(&answer), at: now });
                Ok(answer)
            }
        }
    }

    #[expect(
        clippy::indexing_slicing,
        clippy::cast_possible_truncation,
        reason = "a remainder is below what it is of"
    )]
    fn shard(&self, name: &str) -> &Mutex<Shard> {
        &self.shards[self.hash.hash_one(name) as usize % SHARDS]
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        let shards = self.shards.iter();
        shards.map(|shard| shard.lock().unwrap().answers.len()).sum()
    }

    fn facts(&self, ask: &Ask<'_>) -> u64 {
        let query = &ask.query;
        let mut hash = self.hash.build_hasher();
        let texts = [
            query.user_name(),
            query.org_name(),
            query.api_key_id(),
            query.tier_name(),
            query.region_name(),
            query.path(),
            query.method_text(),
        ];
        texts.hash(&mut hash);
        query.ip_address().hash(&mut hash);
        let mut attributes: SmallVec<[_; 8]> = query.attributes().into();
        attributes.sort_unstable();
        attributes.hash(&mut hash);
        query.descriptor_entries().hash(&mut hash);
        query.cost_asked().get().hash(&mut hash);
        query.scope_asked().hash(&mut hash);
        hash.finish()
    }
}

impl Shard {
    fn remember(&mut self, name: &str, kept: Kept) {
        if self.order.len() >= NAMES_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.answers.remove(&oldest);
        }
        self.answers.insert(name.into(), kept);
        self.order.push_back(name.into());
    }

    fn forget(&mut self, now: Timestamp) {
        while let Some(name) = self.order.front() {
            let is_old = |kept: &Kept| now.since(kept.at) >= REMEMBERED;
            if !self.answers.get(name).is_none_or(is_old) {
                return;
            }
            self.answers.remove(name);
            self.order.pop_front();
        }
    }
}
