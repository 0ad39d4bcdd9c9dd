//! One key's pool: each lease and each event is kept.

use std::collections::BTreeMap;

use tollgate_core::{Law, Limit};

use super::{
    Call, Charged, Figures, Pool, Record, Reply, Share, Word,
    counter::{Counter, Event, rate},
    lease::Lease,
    terms::{Kind, Round, kind, life, number, price},
};
use crate::model::calendar::Calendar;

/// The pool of one key, by recounting.
///
/// ```
/// use tollgate_sim::pool::{Call, Pool, PoolModel, Reply};
///
/// let limit = "100/min".parse::<tollgate_core::Limit>()?.with_algorithm(tollgate_core::AlgorithmName::FixedWindow)?;
/// let mut pool = PoolModel::default();
/// let call = Call { node: "a".to_owned(), sequence: 1, want: 10, least: 1, most: 50, life: 2_000_000, ..Call::default() };
/// let Reply::Heard(first) = pool.lease(0, &limit, &call) else { panic!() };
/// assert_eq!((first.granted, first.left), (10, 90));
/// // The same call again changes nothing.
/// assert_eq!(pool.lease(0, &limit, &call), Reply::Heard(first));
/// # Ok::<(), tollgate_core::LimitError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct PoolModel {
    kind: Option<Kind>,
    counter: Counter,
    leases: BTreeMap<String, Lease>,
    /// The last exact call and the total of each node.
    marks: BTreeMap<String, (u64, i128)>,
    /// The last call for a lease of each node.
    called: BTreeMap<String, u64>,
    /// Whether it was lost, and told again while others might not have told yet.
    is_partial: bool,
}

impl PoolModel {
    /// Leases that have run out end one after the other, each at its own moment.
    fn end_leases(&mut self, now: i128) {
        loop {
            let ended = self.leases.iter().filter(|(_, lease)| lease.until <= now);
            let first = ended.min_by_key(|(_, lease)| lease.until);
            let Some((node, lease)) = first.map(|(node, lease)| (node.clone(), lease.clone()))
            else {
                return;
            };
            self.counter.note(lease.until, Event::Freed(lease.tokens));
            self.leases.remove(&node);
        }
    }

    /// What the node says it has debited, and the pool does not know of, is debited.
    fn assert(&mut self, limit: &Limit, now: i128, call: &Call) {
        let known = i128::from(call.known);
        let (sequence, stored) = self.marks.get(&call.node).copied().unwrap_or_default();
        let lost = known - stored;
        if call.known == 0 || lost <= 0 {
            return;
        }
        if matches!(limit.law(), Law::TokenBucket(_)) {
            let micros = lost.min(call.present.into());
            let parts = micros * rate(limit).per_micro;
            self.counter.note(now, Event::DebitParts(parts));
        } else {
            let calendar = Calendar::new(limit.period());
            let window = calendar.window_at(call.at.into());
            let present = lost.min(call.present.into());
            let before = (lost - present).min(call.before.into());
            self.counter.note(calendar.start_of(window), Event::Debit(present));
            self.counter.note(calendar.start_of(window - 1), Event::Debit(before));
        }
        self.marks.insert(call.node.clone(), (sequence, known));
        self.kind = Some(kind(limit));
    }

    /// Whether what may have been lost could still count.
    fn is_unknown(&self, limit: &Limit, now: i128, since: u64) -> bool {
        if since == 0 || (self.kind.is_some() && !self.is_partial) {
            return false;
        }
        let since = i128::from(since);
        let calendar = Calendar::new(limit.period());
        let (then, window) = (calendar.window_at(since), calendar.window_at(now));
        match limit.law() {
            Law::TokenBucket(_) => {
                let rate = rate(limit);
                now < since + rate.micros(rate.full)
            }
            Law::SlidingWindow(_) => then + 1 >= window,
            _ => then >= window,
        }
    }

    fn is_odd(&self, limit: &Limit) -> bool {
        self.kind.is_some_and(|known| known != kind(limit))
    }

    /// The previous lease is settled, if it is still one.
    fn settle(&mut self, limit: &Limit, now: i128, call: &Call) -> Share {
        let Some(lease) = self.leases.get_mut(&call.node) else {
            return Share::Lost;
        };
        if lease.sequence != call.previous {
            // Nobody knows what it has become: it counts as spent.
            let tokens = lease.tokens;
            self.counter.note(now, Event::Freed(tokens));
            self.leases.remove(&call.node);
            return Share::Lost;
        }
        // Nobody gives back more than there was.
        let spent = lease.tokens.min(call.spent.into());
        let returned = (lease.tokens - spent).min(call.returned.into());
        lease.tokens -= spent + returned;
        self.counter.note(now, Event::Freed(spent + returned));
        self.counter.note(now, Event::Credit(returned));
        let total = price(limit, returned, Round::Down);
        let mark = self.mark(&call.node);
        mark.1 = (mark.1 - total).max(0);
        Share::Kept
    }

    fn grant(&mut self, limit: &Limit, now: i128, call: &Call) -> (Word, i128) {
        let available = self.counter.look(limit, now).available;
        let (want, least) = (i128::from(call.want), i128::from(call.least));
        let holders = self.holders(&call.node);
        let is_window = !matches!(limit.law(), Law::TokenBucket(_));
        if is_window && want > 0 && available < 2 * holders * least {
            return (Word::Collapsed, 0);
        }
        let fair = least.max(available / (2 * holders));
        let granted = want.min(fair).min(call.most.into()).min(available);
        self.counter.note(now, Event::Debit(granted));
        self.counter.note(now, Event::Lent(granted));
        let total = price(limit, granted, Round::Up);
        self.mark(&call.node).1 += total;
        (Word::Granted, granted)
    }

    /// Those who hold something, and the caller.
    fn holders(&self, caller: &str) -> i128 {
        let others = self.leases.keys().filter(|node| *node != caller);
        i128::try_from(others.count()).unwrap_or(i128::MAX) + 1
    }

    fn mark(&mut self, node: &str) -> &mut (u64, i128) {
        self.marks.entry(node.to_owned()).or_default()
    }

    fn figures(&self, limit: &Limit, now: i128, call: &Call, got: (Word, Share)) -> Figures {
        let look = self.counter.look(limit, now);
        let lease = self.leases.get(&call.node);
        let others = self.leases.iter().filter(|(node, _)| **node != call.node);
        let (_, total) = self.marks.get(&call.node).copied().unwrap_or_default();
        Figures {
            word: got.0,
            share: got.1,
            granted: number(lease.map_or(0, |lease| lease.granted)),
            life: number(
                lease.map_or_else(|| life(limit, now, call.life), |lease| lease.until - now),
            ),
            left: number(look.available),
            wait: number(self.counter.wait(limit, now)),
            reset: number(look.reset),
            outstanding: number(others.map(|(_, lease)| lease.tokens).sum()),
            holders: number(self.holders(&call.node)),
            total: number(total),
        }
    }
}

impl Pool for PoolModel {
    fn lease(&mut self, now: u64, limit: &Limit, call: &Call) -> Reply {
        let now = i128::from(now);
        if call.known == 0 && self.is_unknown(limit, now, call.since) {
            return Reply::Unknown;
        }
        if self.is_odd(limit) {
            return Reply::Odd;
        }
        self.end_leases(now);
        let called = self.called.get(&call.node).copied().unwrap_or(0);
        let has_ended = called == call.sequence && !self.leases.contains_key(&call.node);
        if called > call.sequence || has_ended {
            return Reply::Stale;
        }
        self.is_partial |= self.kind.is_none() && call.known > 0 && call.since > 0;
        self.assert(limit, now, call);
        if let Some(lease) = self.leases.get(&call.node)
            && lease.sequence == call.sequence
        {
            let got = lease.answered(limit, call);
            return Reply::Heard(self.figures(limit, now, call, got));
        }
        self.called.insert(call.node.clone(), call.sequence);
        let share = self.settle(limit, now, call);
        let (word, granted) = self.grant(limit, now, call);
        self.kind = Some(kind(limit));
        let (kept, kept_until) =
            self.leases.remove(&call.node).map_or((0, 0), |lease| (lease.tokens, lease.until));
        let tokens = kept + granted;
        if call.want > 0 || tokens > 0 {
            let lease = Lease {
                sequence: call.sequence,
                // Nobody who was told a later end is cut short.
                until: kept_until.max(now + life(limit, now, call.life)),
                tokens,
                granted,
            };
            self.leases.insert(call.node.clone(), lease);
        }
        Reply::Heard(self.figures(limit, now, call, (word, share)))
    }

    fn charge(
        &mut self,
        now: u64,
        limit: &Limit,
        caller: (&str, u64, u64),
        costs: &[u64],
    ) -> Charged {
        let (now, (node, sequence, since)) = (i128::from(now), caller);
        if self.mark(node).0 >= sequence {
            return Charged::Stale;
        }
        if self.is_unknown(limit, now, since) {
            return Charged::Unknown;
        }
        if self.is_odd(limit) {
            return Charged::Odd;
        }
        self.end_leases(now);
        let (mut outcomes, mut taken) = (Vec::new(), 0);
        for cost in costs {
            let cost = i128::from(*cost);
            let fits = cost <= self.counter.look(limit, now).available;
            if fits && cost > 0 {
                self.counter.note(now, Event::Debit(cost));
                taken += cost;
                self.kind = Some(kind(limit));
            }
            outcomes.push(fits);
        }
        if taken > 0 {
            let total = price(limit, taken, Round::Up);
            let mark = self.mark(node);
            *mark = (sequence, mark.1 + total);
        }
        let total = number(self.mark(node).1);
        Charged::Decided { outcomes, total }
    }

    fn record(&mut self, now: u64, limit: &Limit) -> Record {
        self.end_leases(now.into());
        let look = self.counter.look(limit, now.into());
        let leases = self.leases.iter().map(|(node, lease)| {
            let numbers = [lease.until, lease.tokens, lease.granted].map(number);
            let [until, tokens, granted] = numbers;
            (node.clone(), lease.sequence, until, tokens, granted)
        });
        Record { used: number(look.used), before: number(look.before), leases: leases.collect() }
    }

    fn copy(&mut self) -> Self {
        self.clone()
    }

    fn forget(&mut self) {
        *self = Self::default();
    }
}
