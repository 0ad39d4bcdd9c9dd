//! What is counted.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::{Answer, Source, status::Outcomes};

/// What was answered by whom.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    by_server: Pair,
    by_fallback: Pair,
    unknown: AtomicU64,
    cached_denials: AtomicU64,
    bypassed: AtomicU64,
    refused: AtomicU64,
    untrusted: AtomicU64,
}

#[derive(Debug, Default)]
struct Pair {
    allowed: AtomicU64,
    denied: AtomicU64,
}

impl Pair {
    const fn of(&self, answer: &Answer) -> &AtomicU64 {
        if answer.is_allowed() { &self.allowed } else { &self.denied }
    }

    fn read(&self) -> Outcomes {
        Outcomes { allowed: self.allowed.load(Relaxed), denied: self.denied.load(Relaxed) }
    }
}

impl Counts {
    /// Somebody was answered.
    pub(crate) fn answered(&self, answer: &Answer) {
        let counter = match answer.source() {
            Source::Server => self.by_server.of(answer),
            Source::CachedDenial => &self.cached_denials,
            Source::Bypass => &self.bypassed,
            Source::Fallback(_) => self.by_fallback.of(answer),
        };
        counter.fetch_add(1, Relaxed);
    }

    /// Nothing was known of a question, so it may pass.
    pub(crate) fn unknown(&self) {
        self.unknown.fetch_add(1, Relaxed);
    }

    /// Somebody asked wrongly.
    pub(crate) fn refused(&self) {
        self.refused.fetch_add(1, Relaxed);
    }

    /// The server does not believe this caller.
    pub(crate) fn untrusted(&self) {
        self.untrusted.fetch_add(1, Relaxed);
    }

    /// What a status begins with.
    pub(crate) fn read(&self) -> Read {
        Read {
            by_server: self.by_server.read(),
            by_fallback: self.by_fallback.read(),
            unknown: self.unknown.load(Relaxed),
            cached_denials: self.cached_denials.load(Relaxed),
            bypassed: self.bypassed.load(Relaxed),
            refused: self.refused.load(Relaxed),
            untrusted: self.untrusted.load(Relaxed),
        }
    }
}

/// What was counted.
pub(crate) struct Read {
    pub(crate) by_server: Outcomes,
    pub(crate) by_fallback: Outcomes,
    pub(crate) unknown: u64,
    pub(crate) cached_denials: u64,
    pub(crate) bypassed: u64,
    pub(crate) refused: u64,
    pub(crate) untrusted: u64,
}
