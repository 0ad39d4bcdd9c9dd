//! What requests come to, given the states that were found: core's laws and nothing else.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use smallvec::SmallVec;
use tollgate_core::{Answer, Cost, Decision, Law, Limit, Now, Outcome, State};

use super::Item;
use crate::{custom, key::Key, lease::Held, record};

/// The decisions on the charges of one request.
pub(crate) type Decisions = SmallVec<[Decision; 2]>;

/// Counters at one moment, with what requests have done to them since they were read.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    pub(super) now: Now,
    pub(super) found: HashMap<Key, Found, RandomState>,
}

#[derive(Clone, Debug)]
pub(super) struct Found {
    /// As it lies in Redis.
    text: Option<String>,
    /// The leases on it.
    pub(super) held: Held,
    /// As it is to be: `None` as long as nobody has touched it.
    next: Option<Next>,
}

#[derive(Clone, Debug)]
struct Next {
    limit: Limit,
    /// `None` if there is nothing to remember.
    state: Option<State>,
}

/// Why nothing can be said of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unreadable;

/// A counter that is to be written.
#[derive(Debug)]
pub(super) struct Change<'a> {
    pub(super) key: &'a Key,
    pub(super) before: Option<&'a str>,
    pub(super) after: Option<String>,
    pub(super) limit: &'a Limit,
}

impl Tally {
    pub(super) fn new(now: Now, found: impl IntoIterator<Item = (Key, Option<String>)>) -> Self {
        let found = found.into_iter();
        let found = found.map(|(key, text)| {
            let held = text.as_deref().map(Held::split).unwrap_or_default().1;
            let next = None;
            (key, Found { text, held, next })
        });
        Self { now, found: found.collect() }
    }

    /// Charges all of a request, or nothing of it.
    pub(super) fn charge(&mut self, items: &[Item]) -> Result<(Decisions, IsAllowed), Unreadable> {
        let mut asked = Decisions::new();
        for (place, item) in items.iter().enumerate() {
            let before = items.get(..place).unwrap_or_default();
            asked.push(self.decide(item, before, items)?);
        }
        if asked.iter().all(Decision::is_allowed) {
            for item in items {
                self.step(item, item.cost, items)?;
            }
            return Ok((asked, IsAllowed::Yes));
        }
        let looked = self.look(items)?;
        let pairs = asked.into_iter().zip(looked);
        let shown = pairs.map(|(asked, looked)| if asked.is_allowed() { looked } else { asked });
        Ok((shown.collect(), IsAllowed::No))
    }

    /// Gives the costs back, and says what is left when all were.
    pub(super) fn refund(&mut self, items: &[Item]) -> Result<Decisions, Unreadable> {
        for item in items {
            let state = self.state(item, items)?;
            let cost = item.cost.min(self.spare(item, &state));
            let credited = item.limit.law().refund(state, self.now, cost);
            self.put(item, credited, items);
        }
        self.look(items)
    }

    /// Makes the counters fresh.
    pub(super) fn reset(&mut self, items: &[Item]) -> Result<Decisions, Unreadable> {
        for item in items {
            drop(self.forget(&item.key, &item.limit));
            for (key, limit) in former(item, items) {
                drop(self.forget(key, limit));
            }
            self.keep_held(item);
        }
        self.look(items)
    }

    /// Adds what was spent elsewhere, and takes off what was not spent after all.
    pub(super) fn settle(&mut self, item: &Item, owed: u64, back: u64) -> Result<(), Unreadable> {
        let law = item.limit.law();
        let mut state = self.state(item, &[])?;
        if back > 0 {
            state = law.refund(state, self.now, Cost::new(back));
        }
        if owed > 0 {
            let used = law.used(&state, self.now).saturating_add(owed);
            state = law.admitted(used, self.now);
        }
        self.put(item, state, &[]);
        Ok(())
    }

    /// What the items show without being charged. A denied request leaves its counters as this does: a clock that
    /// was set back is repaired and a changed limit adopted.
    pub(super) fn look(&mut self, items: &[Item]) -> Result<Decisions, Unreadable> {
        let each = items.iter();
        each.map(|item| self.step(item, Cost::ZERO, items)).collect()
    }

    /// What has to be written.
    pub(super) fn changes(&self) -> Vec<Change<'_>> {
        let touched = self.found.iter().filter_map(|(key, found)| {
            let next = found.next.as_ref()?;
            let state = next.state.as_ref();
            let leases = found.held.text(self.now.steady);
            let after = state.map(|state| record::write(&next.limit, state) + &leases);
            (after != found.text).then_some(Change {
                key,
                before: found.text.as_deref(),
                after,
                limit: &next.limit,
            })
        });
        touched.collect()
    }

    fn step(&mut self, item: &Item, cost: Cost, all: &[Item]) -> Result<Decision, Unreadable> {
        let state = self.state(item, all)?;
        let (decision, next) = item.limit.step(state, self.now, cost);
        self.put(item, next, all);
        Ok(decision)
    }

    /// What an item gets, the costs before it on the same counter included.
    fn decide(&self, item: &Item, before: &[Item], all: &[Item]) -> Result<Decision, Unreadable> {
        let state = self.state(item, all)?;
        let taken = total(before, &item.key);
        if item.cost.is_zero() {
            let state = match taken {
                Some(taken) => item.limit.step(state, self.now, taken).1,
                None => state,
            };
            return Ok(item.limit.step(state, self.now, Cost::ZERO).0);
        }
        let total = taken.and_then(|taken| taken.get().checked_add(item.cost.get()));
        Ok(match total {
            Some(total) => item.limit.step(state, self.now, Cost::new(total)).0,
            None => never(&item.limit, state, self.now),
        })
    }

    /// The state that a charge finds, as its own limit counts (D14).
    fn state(&self, item: &Item, all: &[Item]) -> Result<State, Unreadable> {
        let own = self.live(&item.key, &item.limit, &item.limit)?;
        if let Some(state) = own {
            return Ok(state);
        }
        for (key, limit) in former(item, all) {
            if let Some(state) = self.live(key, limit, &item.limit)? {
                return Ok(state);
            }
        }
        Ok(item.limit.fresh(self.now))
    }

    /// What still counts of a counter of `counted`, as `limit` counts.
    fn live(&self, key: &Key, counted: &Limit, limit: &Limit) -> Result<Option<State>, Unreadable> {
        let Some(found) = self.found.get(key) else {
            return Ok(None);
        };
        if let Some(next) = &found.next {
            let live = next.state.as_ref();
            let live = live.filter(|state| !next.limit.law().is_fresh(state, self.now));
            return Ok(live.map(|state| self.adopted(limit, next.limit.law(), state.clone())));
        }
        let Some(text) = &found.text else {
            return Ok(None);
        };
        let read = record::read(text, counted.period(), self.now.steady);
        let (read, _) = read.ok_or(Unreadable)?;
        if read.law.is_fresh(&read.state, self.now) {
            return Ok(None);
        }
        Ok(Some(self.adopted(limit, &read.law, read.state)))
    }

    fn adopted(&self, limit: &Limit, former: &Law, state: State) -> State {
        if limit.law().counts_like(former) || custom::is_same(limit.law(), former) {
            return state;
        }
        limit.law().adopt(former, state, self.now)
    }

    /// Keeps a state, unless it has nothing to tell. What it was carried over from is gone.
    pub(super) fn put(&mut self, item: &Item, state: State, all: &[Item]) {
        let is_own = || matches!(self.live(&item.key, &item.limit, &item.limit), Ok(Some(_)));
        if !item.former.is_empty() && !is_own() {
            let sources: Vec<(Key, Limit)> = former(item, all)
                .filter(|(key, limit)| matches!(self.live(key, limit, &item.limit), Ok(Some(_))))
                .take(1)
                .cloned()
                .collect();
            for (key, limit) in sources {
                let held = self.forget(&key, &limit);
                if let Some(found) = self.found.get_mut(&item.key) {
                    found.held = held;
                }
            }
        }
        // With a record, the leases on it would be forgotten while they may be spent.
        let is_to_stay = !item.limit.law().is_fresh(&state, self.now) || self.is_held(item);
        let next = Next { limit: item.limit.clone(), state: is_to_stay.then_some(state) };
        if let Some(found) = self.found.get_mut(&item.key) {
            found.next = Some(next);
        }
    }

    /// Writes a counter down though there is nothing to tell of it.
    pub(super) fn make_known(&mut self, item: &Item) {
        let fresh = item.limit.fresh(self.now);
        let found = self.found.get_mut(&item.key);
        if let Some(found) = found.filter(|found| found.text.is_none()) {
            found.next = Some(Next { limit: item.limit.clone(), state: Some(fresh) });
        }
    }

    /// Forgets a counter, and says who holds what of it.
    fn forget(&mut self, key: &Key, limit: &Limit) -> Held {
        let Some(found) = self.found.get_mut(key) else {
            return Held::default();
        };
        found.next = Some(Next { limit: limit.clone(), state: None });
        found.held.clone()
    }
}

/// Whether a request passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IsAllowed {
    Yes,
    No,
}

/// The counters an item replaces, but for those that are in use.
fn former<'a>(item: &'a Item, all: &'a [Item]) -> impl Iterator<Item = &'a (Key, Limit)> {
    item.former.iter().filter(|(key, _)| !all.iter().any(|other| other.key == *key))
}

/// What these take together from one counter; `None` beyond 64 bits.
pub(super) fn total(items: &[Item], key: &Key) -> Option<Cost> {
    let same = items.iter().filter(|item| item.key == *key);
    let total = same.map(|item| item.cost.get()).try_fold(0, u64::checked_add);
    total.map(Cost::new)
}

/// The answer to a cost that no limit can hold.
fn never(limit: &Limit, state: State, now: Now) -> Decision {
    let (answer, _) = limit.law().step(state, now, Cost::ZERO);
    let outcome = Outcome::Deny { retry_after: None };
    limit.decide(Answer { outcome, ..answer })
}
