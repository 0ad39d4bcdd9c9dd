//! Questions that are asked again (D15).

use std::{
    collections::{HashMap, VecDeque},
    hash::{BuildHasher, Hash as _, Hasher as _, RandomState},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
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
    said: Said,
    at: Timestamp,
}

/// What was answered, or will be.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "an engine has only the one or only the other"
)]
enum Said {
    Answer(Answer),
    /// Whoever asks meanwhile waits for the one answer.
    Soon(Arc<OnceCell<Answer>>),
}

/// Where a name is, or would be, remembered. Whoever holds it is the only one to ask under that name.
pub(super) struct Place<'a> {
    shard: MutexGuard<'a, Shard>,
    name: &'a str,
    facts: u64,
}

/// What is known of a name.
pub(super) enum Seen {
    /// Nothing.
    Never,
    /// The same question was asked.
    Before(Box<Answer>),
    /// Another question was asked.
    Otherwise,
}

impl Repeats {
    pub(super) fn new() -> Self {
        Self {
            hash: RandomState::new(),
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
        }
    }

    /// The place of a question's name; one without a name has the place of the empty one.
    pub(super) fn place<'p>(&'p self, ask: &'p Ask<'_>) -> Place<'p> {
        let name = ask.request_id.unwrap_or_default();
        let spot = usize::try_from(self.hash.hash_one(name)).unwrap_or(0) % SHARDS;
        #[expect(
            clippy::indexing_slicing,
            reason = "a remainder is below what it is of"
        )]
        let shard = self.shards[spot]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let facts = self.facts(ask);
        Place { shard, name, facts }
    }

    /// Where the answer to a question with a name is, or will be: one for all who ask. Whoever gives up while
    /// it is made leaves it to the next.
    pub(super) fn cell(
        &self,
        ask: &Ask<'_>,
        now: Timestamp,
    ) -> Result<Arc<OnceCell<Answer>>, Refusal> {
        let mut place = self.place(ask);
        place.shard.forget(now);
        match place.shard.answers.get(place.name) {
            Some(kept) if kept.facts != place.facts => Err(Refusal::RequestIdTaken),
            Some(kept) => Ok(match &kept.said {
                Said::Answer(answer) => Arc::new(OnceCell::new_with(Some(answer.clone()))),
                Said::Soon(cell) => Arc::clone(cell),
            }),
            None => {
                let cell = Arc::new(OnceCell::new());
                place.remember(Said::Soon(Arc::clone(&cell)), now);
                Ok(cell)
            }
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        let shards = self.shards.iter();
        shards
            .map(|shard| shard.lock().unwrap().answers.len())
            .sum()
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

impl Place<'_> {
    pub(super) fn look(&mut self, now: Timestamp) -> Seen {
        self.shard.forget(now);
        match self.shard.answers.get(self.name) {
            None => Seen::Never,
            Some(kept) if kept.facts != self.facts => Seen::Otherwise,
            Some(kept) => match &kept.said {
                Said::Answer(answer) => Seen::Before(Box::new(answer.clone())),
                Said::Soon(cell) => cell
                    .get()
                    .map_or(Seen::Never, |answer| Seen::Before(Box::new(answer.clone()))),
            },
        }
    }

    pub(super) fn keep(&mut self, answer: Answer, at: Timestamp) {
        self.remember(Said::Answer(answer), at);
    }

    fn remember(&mut self, said: Said, at: Timestamp) {
        let shard = &mut *self.shard;
        if shard.order.len() >= NAMES_MAX
            && let Some(oldest) = shard.order.pop_front()
        {
            shard.answers.remove(&oldest);
        }
        let facts = self.facts;
        let kept = Kept { facts, said, at };
        shard.answers.insert(self.name.into(), kept);
        shard.order.push_back(self.name.into());
    }
}

impl Shard {
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
