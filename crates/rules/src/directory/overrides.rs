//! Millions of entries beside the snapshot, updated one by one.

use std::{
    cmp::Reverse,
    collections::{HashMap, VecDeque},
    fmt,
    hash::{BuildHasher, Hasher},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use foldhash::quality::RandomState;
use tollgate_core::{
    AlgorithmName, Bands, Limit, LimitError, LimitLine, LimitSet, RuleId, Timestamp,
};

use super::{
    blocks::Blocks,
    principals::People,
    shards::{Drawers, Shards},
};
use crate::{Change, Factor, Override, counter};

/// Overrides, blocks, API keys and quotas, beside the snapshot: they change by the piece, and no change touches the rules.
///
/// Reading takes no lock: each shard is replaced as a whole, and is small.
///
/// ```
/// use tollgate_rules::{Directory, Override};
///
/// let directory = Directory::new();
/// assert!(directory.is_empty());
/// ```
pub struct Directory {
    overrides: Shards<Entry>,
    pub(super) state: RandomState,
    /// Where each override is; only writers look, one at a time.
    places: Mutex<HashMap<u64, u64>>,
    pub(super) blocks: Blocks,
    pub(super) people: People,
}

impl Directory {
    /// A directory without any entry.
    pub fn new() -> Self {
        Self {
            overrides: Shards::default(),
            state: RandomState::default(),
            places: Mutex::new(HashMap::new()),
            blocks: Blocks::default(),
            people: People::default(),
        }
    }

    /// Puts an override in force under an id, instead of the one that had it. Of two overrides of one
    /// key the one with the higher id is the newer. `rule` is the id of the rule that the override
    /// names. An override whose values no request can have is not kept, and the answer is `false`.
    pub fn put(&self, id: u64, rule: Option<RuleId>, exception: &Override) -> bool {
        self.put_all([(id, rule, exception)]) == 1
    }

    /// Puts many overrides in force, as [`Directory::put`] does, and says how many were kept; each shard
    /// is rewritten once.
    pub fn put_all<'o>(
        &self,
        overrides: impl IntoIterator<Item = (u64, Option<RuleId>, &'o Override)>,
    ) -> usize {
        let mut places = self.places();
        let (mut kept, mut gone) = (Vec::new(), Vec::new());
        let mut known = Known::default();
        for (id, rule, exception) in overrides {
            let Some(mut entry) = Entry::new(rule, exception, id) else {
                gone.extend(places.remove(&id).map(|former| (id, former)));
                continue;
            };
            known.share(&mut entry.change);
            let hash = key_hash(&self.state, &entry.key);
            let former = places.insert(id, hash).filter(|former| *former != hash);
            gone.extend(former.map(|former| (id, former)));
            kept.push((hash, Arc::new(entry)));
        }
        let count = kept.len();
        self.overrides.put_all(kept, |one, other| one.sequence == other.sequence);
        for (id, former) in gone {
            self.drop_from(former, id);
        }
        count
    }

    /// Removes the override with this id, if there is one.
    pub fn remove(&self, id: u64) -> bool {
        let mut places = self.places();
        let Some(hash) = places.remove(&id) else {
            return false;
        };
        self.drop_from(hash, id);
        true
    }

    /// Removes every override whose id is not to be kept.
    pub fn retain(&self, is_kept: impl Fn(u64) -> bool) {
        let ids: Vec<u64> = self.places().keys().copied().collect();
        for id in ids.into_iter().filter(|id| !is_kept(*id)) {
            self.remove(id);
        }
    }

    fn drop_from(&self, hash: u64, id: u64) {
        self.overrides.remove(hash, |entry| entry.sequence == id);
    }

    /// How many overrides there are.
    pub fn len(&self) -> usize {
        self.overrides.len()
    }

    /// Whether there is no override.
    pub fn is_empty(&self) -> bool {
        self.overrides.is_empty()
    }

    pub(crate) fn find(&self, rule: RuleId, key: &[u8], now: Timestamp) -> Found {
        if self.is_empty() {
            return Found::default();
        }
        let hash = key_hash(&self.state, key);
        let found = |entries: &[Arc<Entry>]| Found::among(entries, rule, key, now);
        self.overrides.find(hash, found).unwrap_or_default()
    }

    fn places(&self) -> MutexGuard<'_, HashMap<u64, u64>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Changes that were met lately. Customers of one plan have the same, and a limit is large beside a key.
#[derive(Debug, Default)]
struct Known(VecDeque<Arc<Change>>);

impl Known {
    const KEPT: usize = 16;

    /// Puts an equal change that is known already in its place.
    fn share(&mut self, change: &mut Arc<Change>) {
        match self.0.iter().find(|known| *known == change) {
            Some(known) => *change = Arc::clone(known),
            None => {
                self.0.truncate(Self::KEPT - 1);
                self.0.push_front(Arc::clone(change));
            }
        }
    }
}

impl Default for Directory {
    fn default() -> Self {
        Self::new()
    }
}

/// Keys are caller data: only their number is shown.
impl fmt::Debug for Directory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Directory({} overrides)", self.len())
    }
}

/// Overrides by the hash of their key. What is found is checked, so two keys may share a hash.
type ByHash = Drawers<Entry>;

/// The overrides of one key, one of which may count.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// What counts now.
    pub(crate) in_force: Option<Arc<Entry>>,
    /// The last that ended: keys may still be counted by its limits.
    pub(crate) ended: Option<Arc<Entry>>,
}

impl Found {
    /// Of overrides of one origin the one that counts, and the last that ended.
    pub(super) fn among(entries: &[Arc<Entry>], rule: RuleId, key: &[u8], now: Timestamp) -> Self {
        let mut found = Self::default();
        for entry in entries.iter().filter(|entry| entry.is_for(rule, key)) {
            if entry.has_ended(now) {
                let last = found.ended.as_ref().map(|last| last.until);
                if last.is_none_or(|last| last < entry.until) {
                    found.ended = Some(Arc::clone(entry));
                }
            } else if found
                .in_force
                .as_ref()
                .is_none_or(|best| entry.precedence() < best.precedence())
            {
                found.in_force = Some(Arc::clone(entry));
            }
        }
        found
    }

    /// This, or where nothing is in force, what is in `other`.
    pub(crate) fn or(self, other: impl FnOnce() -> Self) -> Self {
        if self.in_force.is_some() {
            return self;
        }
        let other = other();
        Self { in_force: other.in_force, ended: self.ended.or(other.ended) }
    }
}

/// The hash of a counter's key, for rules in general.
pub(super) fn key_hash(state: &RandomState, key: &[u8]) -> u64 {
    let mut hasher = state.build_hasher();
    hasher.write(key);
    hasher.finish()
}

/// Overrides that never change: those of a file.
#[derive(Debug, Default)]
pub(crate) struct Exceptions {
    state: RandomState,
    entries: ByHash,
}

impl Exceptions {
    pub(crate) fn new(entries: impl IntoIterator<Item = Entry>) -> Self {
        let mut exceptions = Self::default();
        for entry in entries {
            let hash = key_hash(&exceptions.state, &entry.key);
            let drawer = exceptions.entries.entry(hash).or_default();
            drawer.push(Arc::new(entry));
        }
        exceptions
    }

    pub(crate) fn find(&self, rule: RuleId, key: &[u8], now: Timestamp) -> Found {
        if self.entries.is_empty() {
            return Found::default();
        }
        let entries = self.entries.get(&key_hash(&self.state, key));
        entries.map_or_else(Found::default, |entries| Found::among(entries, rule, key, now))
    }
}

/// An override, compact: its key as bytes, and what counts instead.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The rule; none is every rule that counts by the same facts.
    pub(super) rule: Option<RuleId>,
    pub(super) key: Box<[u8]>,
    /// Shared by all that say the same.
    pub(crate) change: Arc<Change>,
    pub(crate) until: Option<Timestamp>,
    /// Which of two is newer.
    pub(super) sequence: u64,
}

impl Entry {
    /// `None` if the override names a value that no request can have.
    pub(crate) fn new(rule: Option<RuleId>, exception: &Override, sequence: u64) -> Option<Self> {
        Some(Self {
            rule,
            key: counter::of_override(exception)?.as_slice().into(),
            change: Arc::new(exception.change.clone()),
            until: exception.until,
            sequence,
        })
    }

    pub(super) fn is_for(&self, rule: RuleId, key: &[u8]) -> bool {
        self.rule.is_none_or(|named| named == rule) && *self.key == *key
    }

    pub(crate) fn has_ended(&self, now: Timestamp) -> bool {
        self.until.is_some_and(|until| until <= now)
    }

    /// The lesser wins: temporary before permanent, newer before older, of one rule before of all.
    pub(super) fn precedence(&self) -> (bool, Reverse<u64>, bool) {
        (self.until.is_none(), Reverse(self.sequence), self.rule.is_none())
    }
}

impl Change {
    /// The limits that count instead of `lines`; `None` is no limit at all.
    pub(crate) fn apply(&self, lines: &[LimitLine]) -> Option<Vec<LimitLine>> {
        match self {
            Self::Unlimited => None,
            Self::Limits(limits) => Some(LimitLine::succeed(lines, &inheriting(limits, lines))),
            Self::Limit(limit) => Some(each(lines, |line| {
                let is_meant = line.period() == limit.period();
                is_meant.then(|| inherit(limit, line))
            })),
            Self::Factor(factor) => Some(each(lines, |line| Some(scaled(line, *factor)))),
        }
    }

    /// What this makes of a limit of the rule, in words, and why its algorithm cannot hold that; `None` if it can.
    pub(crate) fn misfit(&self, rule: &Limit) -> Option<(String, LimitError)> {
        let of_same_period =
            |stated: &&Limit| stated.period() == rule.period() && inherit(stated, rule).is_err();
        let refused = |stated: &Limit| Some((stated.to_string(), inherit(stated, rule).err()?));
        match self {
            Self::Unlimited => None,
            Self::Limit(limit) => Some(limit).filter(of_same_period).and_then(refused),
            Self::Limits(limits) => limits.iter().find(of_same_period).and_then(refused),
            Self::Factor(factor) => {
                let error = scaled(rule, *factor).err()?;
                Some((format!("{factor} of {rule}"), error))
            }
        }
    }

    /// The field that says what changes.
    pub(crate) const fn field(&self) -> &'static str {
        match self {
            Self::Limit(_) => "limit",
            Self::Limits(_) => "limits",
            Self::Factor(_) => "factor",
            Self::Unlimited => "unlimited",
        }
    }
}

/// Every line with another limit, where there is one that can be built.
fn each(
    lines: &[LimitLine],
    other: impl Fn(&Limit) -> Option<Result<Limit, LimitError>>,
) -> Vec<LimitLine> {
    let mut lines = lines.to_vec();
    for line in &mut lines {
        if let Some(Ok(limit)) = other(&line.limit) {
            line.limit = limit;
        }
    }
    lines
}

/// What the override leaves open is as in the rule: the algorithm, the burst, the thresholds. A burst
/// makes a token bucket, unless the rule's algorithm takes one too.
fn inherit(limit: &Limit, rule: &Limit) -> Result<Limit, LimitError> {
    let takes_burst =
        |name| matches!(name, AlgorithmName::TokenBucket | AlgorithmName::LeakyBucket);
    if limit.algorithm() == AlgorithmName::Custom {
        return Ok(limit.clone());
    }
    let algorithm = match (limit.chosen_algorithm(), limit.burst()) {
        (Some(name), _) => name,
        (None, Some(_)) if !takes_burst(rule.algorithm()) => AlgorithmName::TokenBucket,
        (None, _) => rule.algorithm(),
    };
    let inherited = rule.burst().filter(|_| takes_burst(algorithm));
    let bands = match limit.bands() {
        open if open == Bands::default() => rule.bands(),
        stated => stated,
    };
    built(limit, algorithm, limit.burst().or(inherited), bands)
}

/// Limits that replace all: one of a period the rule has inherits from it.
fn inheriting(limits: &LimitSet, lines: &[LimitLine]) -> LimitSet {
    let inherited = limits.iter().map(|limit| {
        let mut same = lines.iter().filter(|line| line.limit.period() == limit.period());
        let rule = same.next();
        rule.and_then(|line| inherit(limit, &line.limit).ok()).unwrap_or_else(|| limit.clone())
    });
    LimitSet::new(inherited).unwrap_or_else(|_| limits.clone())
}

fn scaled(limit: &Limit, factor: Factor) -> Result<Limit, LimitError> {
    let amount = Limit::new(factor.of(limit.amount()), limit.period())?;
    // Nobody waiting, times anything, is nobody waiting.
    let times = |burst| if burst == 0 { 0 } else { factor.of(burst) };
    let burst = limit.burst().map(times);
    built(&amount, limit.algorithm(), burst, limit.bands())
}

/// A limit of the same amount and period.
fn built(
    like: &Limit,
    algorithm: AlgorithmName,
    burst: Option<u64>,
    bands: Bands,
) -> Result<Limit, LimitError> {
    let limit = Limit::new(like.amount(), like.period())?.with_algorithm(algorithm)?;
    let limit = match burst {
        Some(burst) => limit.with_burst(burst)?,
        None => limit,
    };
    limit.with_bands(bands)
}
