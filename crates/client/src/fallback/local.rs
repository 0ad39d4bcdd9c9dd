//! Limits that are enforced here while no server can be asked.

use std::{
    borrow::Cow,
    num::NonZeroU32,
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use smallvec::SmallVec;
use tollgate_core::{Charge, Clock, Cost, Decision, ImmediateStore, Micros, Timestamp, Verdict};
use tollgate_memory::MemoryStore;

use super::{
    Fallback, ToldLimit, Whom,
    learned::{Kin, Learned, Part},
};
use crate::{Answer, Check, Source, Standing, denials::Denials, facts, table::Table};

/// Of how many questions, and of how many shapes of them, the limits are known.
pub(super) const ENTRIES: usize = 16_384;
/// How many counters there are meanwhile.
const COUNTERS: usize = 65_536;
/// When it is worth asking again for what is too much for this caller's share only.
const ASK_AGAIN: Duration = Duration::from_secs(1);

/// The limits that were told last, and counters of their own.
pub(crate) struct Local {
    by_facts: Table<Entry>,
    by_shape: Table<Entry>,
    kin: Kin,
    blocks: Denials,
    callers: AtomicU32,
    counters: MemoryStore<Arc<dyn Clock>>,
}

/// What is known, and when it was last of use.
#[derive(Debug)]
struct Entry {
    learned: Arc<Learned>,
    used: Timestamp,
}

/// What is known now.
enum Noted {
    /// As it was.
    Known(Arc<Learned>),
    News(Arc<Learned>),
}

impl Local {
    /// Nothing is known yet; this caller is the only one.
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            by_facts: Table::new(ENTRIES),
            by_shape: Table::new(ENTRIES),
            kin: Kin::default(),
            blocks: Denials::of_blocks(),
            callers: AtomicU32::new(1),
            counters: MemoryStore::with_capacity(COUNTERS, clock),
        }
    }

    /// How many callers the server counts, this one included.
    pub(crate) fn set_callers(&self, callers: u32) {
        self.callers.store(callers.max(1), Ordering::Relaxed);
    }

    /// The server has told the limits of a question. Costs two comparisons where it told nothing new.
    pub(crate) fn learn(&self, check: &Check<'_>, facts: u128, told: &[ToldLimit], now: Timestamp) {
        self.blocks.forget(facts, now);
        let of_shape = self.learn_shape(check, told, now);
        self.note((&self.by_facts, facts), told, of_shape, now);
    }

    /// What of it goes for others who ask the like.
    fn learn_shape(
        &self,
        check: &Check<'_>,
        told: &[ToldLimit],
        now: Timestamp,
    ) -> Option<Arc<Learned>> {
        let is_for_all = |limit: &&ToldLimit| limit.whom == Whom::Everybody;
        let told = match told.iter().all(|limit| is_for_all(&limit)) {
            true => Cow::Borrowed(told),
            false if told.iter().any(|limit| limit.whom == Whom::OneInstead) => return None,
            false => told.iter().filter(is_for_all).cloned().collect(),
        };
        // That somebody is exempt says nothing about others like them.
        if told.is_empty() {
            return None;
        }
        let shape = facts::shape(check);
        let noted = self.note((&self.by_shape, shape), &told, None, now);
        if let Noted::News(learned) = &noted {
            self.kin.learn(check, shape, learned, now);
        }
        let (Noted::News(learned) | Noted::Known(learned)) = noted;
        Some(learned)
    }

    /// The server has blocked whoever asks this, whatever it costs.
    pub(crate) fn learn_block(&self, facts: u128, answer: &Answer, now: Timestamp) {
        self.blocks.remember(facts, 0, answer, now);
    }

    /// Decides by what is known, if anything is.
    pub(crate) fn decide(&self, check: &Check<'_>, facts: u128, now: Timestamp) -> Option<Answer> {
        if let Some(blocked) = self.blocks.find(facts, check.weight(), now) {
            let source = Source::Fallback(Fallback::Local);
            return Some(Answer { source, ..blocked });
        }
        let callers = self.callers();
        let known = |entry: &mut Entry| {
            entry.used = now;
            if entry.learned.callers != callers {
                entry.learned = Arc::new(entry.learned.among(callers));
            }
            Arc::clone(&entry.learned)
        };
        let learned = self.by_facts.with(facts, known);
        let learned = learned.or_else(|| self.by_shape.with(facts::shape(check), known));
        let learned = learned.or_else(|| self.kin.limits(check, callers, now))?;
        Some(if learned.told.is_empty() {
            Answer::allowed(Source::Fallback(Fallback::Local))
        } else {
            self.enforce(check, &learned)
        })
    }

    /// Of how many questions and shapes something is known.
    pub(crate) fn len(&self) -> usize {
        self.by_facts.len().saturating_add(self.by_shape.len())
    }

    /// What is known of exactly these facts.
    #[cfg(test)]
    pub(super) fn known(&self, facts: u128) -> Option<Arc<Learned>> {
        self.by_facts.with(facts, |entry| Arc::clone(&entry.learned))
    }

    fn callers(&self) -> NonZeroU32 {
        NonZeroU32::new(self.callers.load(Ordering::Relaxed)).unwrap_or(NonZeroU32::MIN)
    }

    /// Notes what was told, sharing what is the same.
    fn note(
        &self,
        (table, key): (&Table<Entry>, u128),
        told: &[ToldLimit],
        shared: Option<Arc<Learned>>,
        now: Timestamp,
    ) -> Noted {
        let callers = self.callers();
        let known = table.with(key, |entry| {
            entry.used = now;
            Arc::clone(&entry.learned)
        });
        if let Some(known) = known.as_ref().filter(|known| known.is(told, callers)) {
            return Noted::Known(Arc::clone(known));
        }
        let shared = shared.filter(|shared| shared.is(told, callers));
        let anew = || Arc::new(Learned::new(told, callers, known.as_deref()));
        let learned = shared.unwrap_or_else(anew);
        let entry = Entry { learned: Arc::clone(&learned), used: now };
        table.put(key, entry, |entry| entry.used.as_micros());
        Noted::News(learned)
    }

    /// Charges all limits or none.
    fn enforce<'l>(&self, check: &Check<'_>, learned: &'l Learned) -> Answer {
        let mut values = facts::room();
        let mut value = |told: &ToldLimit| -> Range<usize> {
            let start = values.len();
            told.key.iter().for_each(|field| field.write(check, &mut values));
            start..values.len()
        };
        let ranges: SmallVec<[Range<usize>; 4]> = learned.told.iter().map(&mut value).collect();
        let charge = |((told, part), range): ((&ToldLimit, &'l Part), Range<usize>)| {
            let cost = Cost::new(told.weight.of(check));
            part.charge(values.get(range).unwrap_or_default(), cost)
        };
        let limits = learned.told.iter().zip(&learned.parts).zip(ranges);
        let charges: SmallVec<[Charge<'_>; 4]> = limits.map(charge).collect();
        answer(check, &self.counters.charge_now(&charges), learned)
    }
}

impl std::fmt::Debug for Local {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Local").field("callers", &self.callers).finish_non_exhaustive()
    }
}

fn answer(check: &Check<'_>, verdict: &Verdict, learned: &Learned) -> Answer {
    let mut answer = Answer::allowed(Source::Fallback(Fallback::Local));
    let told = learned.told.iter().zip(verdict.decisions());
    answer.limits = told.map(standing).collect();
    let binding = verdict.binding_index().and_then(|index| {
        let decision = verdict.decisions().get(index)?;
        Some((learned.told.get(index)?, decision))
    });
    let Some((told, decision)) = binding else {
        return answer;
    };
    answer.rule = Some(Arc::clone(&told.rule));
    answer.limit = Some(decision.limit());
    answer.remaining = Some(decision.remaining());
    answer.reset_after = Some(decision.reset_after());
    if decision.is_allowed() {
        let delays = verdict.decisions().iter().map(Decision::delay);
        answer.delay = delays.max().unwrap_or_default();
        return answer;
    }
    let fits = told.weight.of(check) <= told.per.capacity();
    let again = || fits.then_some(ASK_AGAIN);
    answer.is_allowed = false;
    answer.status = 429;
    answer.retry_after = decision.retry_after().or_else(again);
    answer.retry_after_s = answer.retry_after.map(|wait| Micros::from(wait).as_secs_ceil().max(1));
    answer
}

fn standing((told, decision): (&ToldLimit, &Decision)) -> Standing {
    let window = told.per.period().length().into();
    Standing {
        remaining: decision.remaining(),
        reset_after: decision.reset_after(),
        ..Standing::new(Arc::clone(&told.rule), decision.limit(), window)
    }
}
