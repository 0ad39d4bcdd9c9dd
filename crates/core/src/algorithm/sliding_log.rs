//! Sliding log: every admission is remembered for one period.

use super::{Algorithm, Answer, Outcome};
use crate::{Cost, Micros, Now, Timestamp};

/// At most the limit in every interval of one period, at the price of remembering each admission;
/// for limits up to [`SlidingLog::AMOUNT_MAX`].
///
/// ```
/// use tollgate_core::{Algorithm, Clock, Cost, ManualClock, Micros, SlidingLog};
///
/// let (log, now) = (SlidingLog::new(2, Micros::from_secs(60)), ManualClock::start().now());
/// let (_, state) = log.step(log.fresh(now), now, Cost::new(2));
/// let (third, _) = log.step(state, now, Cost::ONE);
/// assert!(!third.outcome.is_allowed());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlidingLog {
    capacity: u64,
    period: Micros,
}

/// The admissions that may still count, oldest first.
///
/// ```
/// use tollgate_core::{Log, LogEntry, Timestamp};
///
/// let at = Timestamp::from_secs(60);
/// let mut log = Log::new(vec![LogEntry { at, cost: 2 }, LogEntry { at: Timestamp::EPOCH, cost: 1 }]);
/// assert_eq!(log.entries()[1], LogEntry { at, cost: 2 });
/// log.merge_oldest();
/// assert_eq!(log.entries(), [LogEntry { at, cost: 3 }]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    entries: Vec<LogEntry>,
}

/// What was admitted at one tick.
///
/// ```
/// use tollgate_core::{LogEntry, Timestamp};
///
/// let entry = LogEntry { at: Timestamp::from_secs(60), cost: 2 };
/// assert_eq!(entry.cost, 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// When.
    pub at: Timestamp,
    /// Units admitted then.
    pub cost: u64,
}

impl Log {
    /// A log of these admissions, sorted by time.
    pub fn new(mut entries: Vec<LogEntry>) -> Self {
        entries.sort_by_key(|entry| entry.at);
        Self { entries }
    }

    /// The admissions, oldest first; those that have run out may still be among them.
    pub fn entries(&self) -> &[LogEntry] {
        &self.entries
    }

    /// Forgets when the oldest admission was by moving it to the second oldest. It counts longer
    /// than it must, so the limit still holds; a store that is short of memory does this.
    pub fn merge_oldest(&mut self) {
        let [oldest, second, ..] = self.entries.as_mut_slice() else {
            return;
        };
        second.cost = second.cost.saturating_add(oldest.cost);
        self.entries.remove(0);
    }

    /// A log that was long keeps no memory for it.
    fn release_memory(&mut self) {
        const SPARE: usize = 16;
        let enough = self.entries.len().saturating_mul(2).saturating_add(SPARE);
        if self.entries.capacity() > enough {
            self.entries.shrink_to(enough);
        }
    }

    fn newest(&self) -> Option<Timestamp> {
        self.entries.last().map(|entry| entry.at)
    }
}

impl SlidingLog {
    /// The largest limit a log may have.
    pub const AMOUNT_MAX: u64 = 1_000;

    /// At most `capacity` in every interval of `period`.
    pub const fn new(capacity: u64, period: Micros) -> Self {
        Self { capacity, period }
    }

    /// How long an admission counts.
    pub const fn period(&self) -> Micros {
        self.period
    }

    fn runs_out_at(&self, entry: &LogEntry) -> Timestamp {
        let early = u64::from(cfg!(mutant = "log-entry-runs-out-one-tick-early"));
        entry.at.saturating_add(self.period.saturating_sub(Micros::new(early)))
    }

    fn live<'a>(&self, log: &'a Log, now: Timestamp) -> &'a [LogEntry] {
        let ended = log.entries.partition_point(|entry| self.runs_out_at(entry) <= now);
        log.entries.get(ended..).unwrap_or_default()
    }

    /// D7: admissions more than a period ahead were noted by a clock that has been set back since;
    /// they count as admitted now.
    fn rebase(&self, log: &mut Log, now: Timestamp) {
        let is_ahead = log.newest().is_some_and(|newest| newest.since(now) > self.period);
        if is_ahead {
            for entry in &mut log.entries {
                entry.at = entry.at.min(now);
            }
        }
    }

    /// Time until enough admissions have run out for `cost` to fit.
    fn wait(&self, live: &[LogEntry], used: u64, now: Timestamp, cost: u64) -> Micros {
        let surplus = used.saturating_add(cost).saturating_sub(self.capacity);
        let mut freed: u64 = 0;
        let enough = live.iter().find(|entry| {
            freed = freed.saturating_add(entry.cost);
            freed >= surplus
        });
        enough.map_or(Micros::ZERO, |entry| self.runs_out_at(entry).since(now))
    }

    fn reset_after(&self, log: &Log, now: Timestamp) -> Micros {
        let full_at = log.newest().map_or(now, |at| at.saturating_add(self.period));
        full_at.since(now)
    }
}

fn total(entries: &[LogEntry]) -> u64 {
    entries.iter().fold(0, |sum: u64, entry| sum.saturating_add(entry.cost))
}

impl Algorithm for SlidingLog {
    type State = Log;

    fn capacity(&self) -> u64 {
        self.capacity
    }

    fn fresh(&self, _now: Now) -> Log {
        Log::default()
    }

    fn step(&self, mut log: Log, now: Now, cost: Cost) -> (Answer, Log) {
        self.rebase(&mut log, now.steady);
        // Time does not run backwards within the log: a late thread counts as being on time.
        let at = log.newest().map_or(now.steady, |newest| newest.max(now.steady));
        let live = self.live(&log, at);
        let used = total(live);
        if !cost.is_zero() && cost.get() > self.capacity.saturating_sub(used) {
            let retry_after = (cost.get() <= self.capacity)
                .then(|| self.wait(live, used, now.steady, cost.get()));
            let reset_after = self.reset_after(&log, now.steady);
            let outcome = Outcome::Deny { retry_after };
            return (Answer { outcome, used, reset_after }, log);
        }
        if !cost.is_zero() {
            let ended = log.entries.len().saturating_sub(live.len());
            log.entries.drain(..ended);
            log.release_memory();
            match log.entries.last_mut() {
                Some(last) if last.at == at => last.cost = last.cost.saturating_add(cost.get()),
                _ => log.entries.push(LogEntry { at, cost: cost.get() }),
            }
        }
        let used = used.saturating_add(cost.get());
        let reset_after = self.reset_after(&log, now.steady);
        (Answer { outcome: Outcome::ALLOW, used, reset_after }, log)
    }

    fn used(&self, log: &Log, now: Now) -> u64 {
        total(self.live(log, now.steady))
    }

    fn admitted(&self, used: u64, now: Now) -> Log {
        match used {
            0 => Log::default(),
            cost => Log { entries: vec![LogEntry { at: now.steady, cost }] },
        }
    }

    /// Takes back the latest admissions that still count.
    fn refund(&self, mut log: Log, now: Now, cost: Cost) -> Log {
        let mut credit = cost.get();
        while let Some(last) = log.entries.last_mut() {
            if credit == 0 || self.runs_out_at(last) <= now.steady {
                break;
            }
            let taken = last.cost.min(credit);
            credit = credit.saturating_sub(taken);
            last.cost = last.cost.saturating_sub(taken);
            if last.cost == 0 {
                log.entries.pop();
            }
        }
        log
    }

    fn is_fresh(&self, log: &Log, now: Now) -> bool {
        log.entries.iter().all(|entry| self.runs_out_at(entry) <= now.steady)
    }
}
