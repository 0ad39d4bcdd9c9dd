//! What callers were told, and whether it was lawful.

use std::sync::Mutex;

use tollgate_core::{AlgorithmName, Clock as _, Limit, Now, SystemClock};

const SECOND: u64 = 1_000_000;

/// Something that was admitted: asked for then, answered then.
#[derive(Clone, Copy)]
struct Admission {
    sent: Now,
    heard: Now,
    cost: u64,
}

/// All that was admitted of one counter.
#[derive(Default)]
pub(crate) struct Ledger {
    admissions: Mutex<Vec<Admission>>,
}

pub(crate) fn now() -> Now {
    SystemClock.now()
}

impl Ledger {
    pub(crate) fn note(&self, sent: Now, cost: u64) {
        let heard = now();
        let admission = Admission { sent, heard, cost };
        self.admissions.lock().unwrap().push(admission);
    }

    pub(crate) fn total(&self) -> u64 {
        let admissions = self.admissions.lock().unwrap();
        admissions.iter().map(|one| one.cost).sum()
    }

    /// By how much the worst interval is beyond the law.
    pub(crate) fn overshoot(&self, limit: &Limit) -> u64 {
        let admissions = self.admissions.lock().unwrap();
        let period = limit.period().length().get();
        match limit.algorithm() {
            AlgorithmName::TokenBucket | AlgorithmName::LeakyBucket => {
                beyond_bucket(&admissions, limit.capacity(), (limit.amount(), period))
            }
            // It does not end in the course of a story.
            _ if period > 3_600 * SECOND => {
                let total: u64 = admissions.iter().map(|one| one.cost).sum();
                total.saturating_sub(limit.amount())
            }
            _ => beyond_windows(&admissions, limit.amount(), period),
        }
    }
}

/// In every interval no more than burst and rate. What lies within an interval was both asked for and answered there.
fn beyond_bucket(admissions: &[Admission], burst: u64, (amount, period): (u64, u64)) -> u64 {
    let micros = |now: Now| i128::from(now.steady.as_micros());
    let mut moments: Vec<(i128, bool, u64)> = Vec::new();
    for one in admissions {
        moments.push((micros(one.sent), false, one.cost));
        moments.push((micros(one.heard), true, one.cost));
    }
    moments.sort_unstable();
    let (amount, period, burst) = (i128::from(amount), i128::from(period), i128::from(burst));
    let (mut sent, mut heard, mut lowest, mut worst) = (0_i128, 0_i128, i128::MAX, 0_i128);
    for (at, is_heard, cost) in moments {
        let earned = at * amount;
        if is_heard {
            heard += i128::from(cost);
            // One more for what is earned within a microsecond.
            let beyond = heard * period - earned - lowest - burst * period - amount;
            worst = worst.max(beyond);
        } else {
            lowest = lowest.min(sent * period - earned);
            sent += i128::from(cost);
        }
    }
    u64::try_from((worst + period - 1) / period).unwrap()
}

/// In every window no more than the amount. What was asked for in one and answered in the next may count in either.
fn beyond_windows(admissions: &[Admission], amount: u64, period: u64) -> u64 {
    let window = |now: Now| now.wall.as_micros() / period;
    let mut sums = std::collections::BTreeMap::<u64, u64>::new();
    for one in admissions {
        if window(one.sent) == window(one.heard) {
            *sums.entry(window(one.sent)).or_default() += one.cost;
        }
    }
    let worst = sums.into_values().max().unwrap_or(0);
    worst.saturating_sub(amount)
}
