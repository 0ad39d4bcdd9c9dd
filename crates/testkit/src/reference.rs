//! The slow store that is obviously right: one lock, one map, the laws of `core` and nothing else.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tollgate_core::{
    Action, Answer, Charge, Clock, Cost, CounterKey, Decision, ImmediateStore, Limit, Now, Outcome,
    Period, RuleId, State, Verdict,
};

/// An oracle for every other store: unbounded, and one request at a time.
///
/// It fixes what the traits leave open:
///
/// - A denied request leaves each of its counters as a request of cost 0 would: a clock that was set
///   back is repaired, a changed limit is adopted, nothing is spent.
/// - Charges of one request on one counter are decided on their costs together, so the retry-after
///   is that of the whole request.
/// - A refund says what is left when all of it was given back.
/// - What has run out is forgotten: it decides like a counter nobody has used.
/// - A former period that the request also counts by is not carried over: it is still in use.
///
/// ```
/// use tollgate_core::{Charge, Cost, CounterKey, ImmediateStore, Limit, ManualClock, RuleId};
/// use tollgate_testkit::ReferenceStore;
///
/// let store = ReferenceStore::new(ManualClock::start());
/// let limit: Limit = "1/min".parse()?;
/// let charge = Charge::new(CounterKey::new(RuleId::new(1), b"user:42"), &limit, Cost::ONE);
/// assert!(store.charge_now(&[charge]).is_allowed());
/// assert!(!store.charge_now(&[charge]).is_allowed());
/// # Ok::<(), tollgate_core::LimitError>(())
/// ```
#[derive(Debug)]
pub struct ReferenceStore<C> {
    clock: C,
    counters: Mutex<Counters>,
}

impl<C: Clock> ReferenceStore<C> {
    /// A store without any counter.
    pub fn new(clock: C) -> Self {
        Self { clock, counters: Mutex::default() }
    }

    /// Whether the store remembers anything of this counter that still counts.
    pub fn is_live(&self, key: CounterKey<'_>, period: Period) -> bool {
        let counters = self.lock();
        counters.live(&CounterId::new(key, period), self.clock.now()).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Counters> {
        self.counters.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<C: Clock> ImmediateStore for ReferenceStore<C> {
    fn charge_now(&self, charges: &[Charge<'_>]) -> Verdict {
        let mut counters = self.lock();
        let now = self.clock.now();
        Verdict::of(counters.charge(&asks(charges), now), now)
    }

    fn inspect_now(&self, action: Action, charges: &[Charge<'_>]) -> Verdict {
        let mut counters = self.lock();
        let now = self.clock.now();
        let asks = asks(charges);
        let decisions = match action {
            Action::Peek => counters.copy_for(&asks).charge(&asks, now),
            Action::Refund => counters.refund(&asks, now),
            Action::Reset => counters.reset(&asks, now),
            unknown => panic!("the reference store does not know {unknown:?}"),
        };
        Verdict::of(decisions, now)
    }
}

/// Section 12.10: the rule, the limit's period, the key values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct CounterId {
    rule: RuleId,
    period: Period,
    values: Vec<u8>,
}

impl CounterId {
    fn new(key: CounterKey<'_>, period: Period) -> Self {
        Self { rule: key.rule(), period, values: key.values().to_vec() }
    }
}

/// A charge, its counter, and the counters it replaces.
struct Ask<'a> {
    limit: &'a Limit,
    cost: Cost,
    counter: CounterId,
    former: Vec<CounterId>,
}

fn asks<'a>(charges: &[Charge<'a>]) -> Vec<Ask<'a>> {
    let own = |charge: &Charge<'_>| CounterId::new(charge.key, charge.limit.period());
    let in_use: Vec<CounterId> = charges.iter().map(own).collect();
    let each = charges.iter().map(|charge| Ask {
        limit: charge.limit,
        cost: charge.cost,
        counter: own(charge),
        former: charge
            .former
            .iter()
            .map(|former| CounterId::new(charge.key, former.period()))
            .filter(|former| !in_use.contains(former))
            .collect(),
    });
    each.collect()
}

/// A state and the limit it was counted by.
#[derive(Clone, Debug)]
struct Counter {
    limit: Limit,
    state: State,
}

#[derive(Debug, Default)]
struct Counters(HashMap<CounterId, Counter>);

impl Counters {
    fn charge(&mut self, asks: &[Ask<'_>], now: Now) -> Vec<Decision> {
        let asked: Vec<Decision> =
            (0..asks.len()).map(|place| self.decide(&asks[..=place], now)).collect();
        if asked.iter().all(Decision::is_allowed) {
            for ask in asks {
                self.take(ask, ask.cost, now);
            }
            return asked;
        }
        let answers = asked.into_iter().zip(self.look(asks, now));
        let denied = answers.map(|(asked, uncharged)| match asked.is_allowed() {
            true => uncharged,
            false => asked,
        });
        denied.collect()
    }

    fn refund(&mut self, asks: &[Ask<'_>], now: Now) -> Vec<Decision> {
        for ask in asks {
            let state = self.state(ask, now);
            let credited = ask.limit.law().refund(state, now, ask.cost);
            self.put(ask, credited, now);
        }
        self.look(asks, now)
    }

    fn reset(&mut self, asks: &[Ask<'_>], now: Now) -> Vec<Decision> {
        for ask in asks {
            for id in [&ask.counter].into_iter().chain(&ask.former) {
                self.0.remove(id);
            }
        }
        self.look(asks, now)
    }

    fn look(&mut self, asks: &[Ask<'_>], now: Now) -> Vec<Decision> {
        let each = asks.iter().map(|ask| self.take(ask, Cost::ZERO, now));
        each.collect()
    }

    /// Charges one counter and says what is left.
    fn take(&mut self, ask: &Ask<'_>, cost: Cost, now: Now) -> Decision {
        let (decision, next) = ask.limit.step(self.state(ask, now), now, cost);
        self.put(ask, next, now);
        decision
    }

    /// Keeps a state, unless it has nothing to tell. What it was carried over from is gone.
    fn put(&mut self, ask: &Ask<'_>, state: State, now: Now) {
        if let Some(source) = self.source(ask, now).cloned() {
            self.0.remove(&source);
        }
        if ask.limit.law().is_fresh(&state, now) {
            self.0.remove(&ask.counter);
            return;
        }
        let limit = ask.limit.clone();
        self.0.insert(ask.counter.clone(), Counter { limit, state });
    }

    /// What the last of these gets, the costs before it on the same counter included.
    fn decide(&self, asks: &[Ask<'_>], now: Now) -> Decision {
        let (ask, before) = asks.split_last().expect("at least one");
        let state = self.state(ask, now);
        if ask.cost.is_zero() {
            let before = total_cost(before, &ask.counter);
            let taken = before.map(|before| ask.limit.step(state.clone(), now, before).1);
            return ask.limit.step(taken.unwrap_or(state), now, Cost::ZERO).0;
        }
        match total_cost(asks, &ask.counter) {
            Some(total) => ask.limit.step(state, now, total).0,
            None => never(ask.limit, state, now),
        }
    }

    /// The state the charge finds, as its own limit counts (D14).
    fn state(&self, ask: &Ask<'_>, now: Now) -> State {
        match self.source(ask, now).and_then(|id| self.0.get(id)) {
            None => ask.limit.fresh(now),
            Some(counter) if counter.limit == *ask.limit => counter.state.clone(),
            Some(counter) => {
                let former = counter.limit.law();
                ask.limit.law().adopt(former, counter.state.clone(), now)
            }
        }
    }

    /// The counter that this is about: its own, or else one that it replaces.
    fn source<'a>(&self, ask: &'a Ask<'_>, now: Now) -> Option<&'a CounterId> {
        let mut places = [&ask.counter].into_iter().chain(&ask.former);
        places.find(|id| self.live(id, now).is_some())
    }

    fn live(&self, id: &CounterId, now: Now) -> Option<&Counter> {
        let found = self.0.get(id);
        found.filter(|counter| !counter.limit.law().is_fresh(&counter.state, now))
    }

    /// The counters these can reach, to try something on.
    fn copy_for(&self, asks: &[Ask<'_>]) -> Self {
        let ids = asks.iter().flat_map(|ask| [&ask.counter].into_iter().chain(&ask.former));
        let found = ids.filter_map(|id| self.0.get_key_value(id));
        Self(found.map(|(id, counter)| (id.clone(), counter.clone())).collect())
    }
}

/// What these take together from one counter; `None` beyond 64 bits.
fn total_cost(asks: &[Ask<'_>], counter: &CounterId) -> Option<Cost> {
    let same = asks.iter().filter(|ask| ask.counter == *counter);
    let total = same.map(|ask| ask.cost.get()).try_fold(0, u64::checked_add);
    total.map(Cost::new)
}

/// The answer to a cost that no limit can hold.
fn never(limit: &Limit, state: State, now: Now) -> Decision {
    let (answer, _) = limit.law().step(state, now, Cost::ZERO);
    let outcome = Outcome::Deny { retry_after: None };
    limit.decide(Answer { outcome, ..answer })
}
