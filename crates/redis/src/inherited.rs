//! What processes of this node had debited that have ended, and that this one tells for them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tollgate_core::Timestamp;

use crate::{Ending, Journal, journal::Past, key::Key, touched::Touched};

/// No process makes so many calls after it last wrote its journal.
const CALLS_UNWRITTEN_MAX: u64 = 1 << 32;

/// The processes before this one, the latest first.
#[derive(Debug, Default)]
pub(crate) struct Inherited(Vec<Process>);

/// One of them.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) name: String,
    pub(crate) touched: Touched,
    pub(crate) sequence: AtomicU64,
    ending: Ending,
    seen: Timestamp,
    gap: u64,
    life: u64,
}

impl Inherited {
    pub(crate) fn of(journal: Journal) -> Self {
        let processes = journal.processes.into_iter().map(|past| Process {
            name: past.name,
            touched: Touched::of(past.debits),
            sequence: AtomicU64::new(past.sequence.saturating_add(CALLS_UNWRITTEN_MAX)),
            ending: past.ending,
            seen: past.seen,
            gap: past.gap,
            life: past.life,
        });
        Self(processes.collect())
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Process> {
        self.0.iter()
    }

    /// A counter was made fresh by hand.
    pub(crate) fn forget(&self, key: &Key) {
        self.iter().for_each(|process| process.touched.forget(key));
    }

    /// Forgets what cannot count any more, at this time of Redis.
    pub(crate) fn sweep(&self, now: Timestamp) {
        for process in self.iter() {
            process.touched.hear(now);
            process.touched.sweep();
        }
    }

    /// What the next process will tell for them. A register awaits a process for as long as the longest limit of the fleet,
    /// though it spent nothing: whoever was stopped is told for until there are too many.
    pub(crate) fn past(&self, now: Timestamp) -> impl Iterator<Item = Past> {
        let matters = move |process: &&Process| {
            let counts = process.seen.as_micros().saturating_add(process.life) >= now.as_micros();
            counts || process.ending == Ending::Clean
        };
        self.iter().filter(matters).map(|process| Past {
            name: process.name.clone(),
            ending: process.ending,
            sequence: process.sequence.load(Relaxed),
            seen: process.seen,
            gap: process.gap,
            life: process.life,
            debits: process.touched.debits(),
        })
    }
}
