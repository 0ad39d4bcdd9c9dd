//! Who waits on one lane, and who travels next.

use std::collections::{HashSet, VecDeque};

use foldhash::fast::RandomState;

use super::ask::Ask;
use crate::key::Key;

/// Requests that travel in one call: more would keep Redis from everybody else for too long.
const TOGETHER_MAX: usize = 128;

/// One lane.
#[derive(Debug, Default)]
pub(super) struct Lane {
    pub(super) queue: VecDeque<Ask>,
    /// Calls that are under way.
    pub(super) calls: usize,
    /// The counters they are about.
    pub(super) busy: HashSet<Key, RandomState>,
}

impl Lane {
    /// Whether no call is about its counters.
    pub(super) fn is_free(&self, ask: &Ask) -> bool {
        self.busy.is_empty() || !ask.items.iter().any(|item| self.busy.contains(&item.key))
    }

    /// Those that travel next: the first that no call is about, and what can go with it. If there is none, one call
    /// fewer is under way.
    pub(super) fn next(&mut self) -> Option<Vec<Ask>> {
        let mut asks: Vec<Ask> = Vec::new();
        let mut left = VecDeque::new();
        while let Some(ask) = self.queue.pop_front() {
            if ask.is_abandoned() {
                continue;
            }
            let is_same = |first: &Ask| first.is_for_scripts() == ask.is_for_scripts();
            if !self.is_free(&ask) || !asks.first().is_none_or(is_same) {
                left.push_back(ask);
                continue;
            }
            asks.push(ask);
            if asks.len() == TOGETHER_MAX {
                break;
            }
        }
        left.append(&mut self.queue);
        self.queue = left;
        if asks.is_empty() {
            self.calls = self.calls.saturating_sub(1);
            return None;
        }
        let items = asks.iter().flat_map(|ask| &ask.items);
        self.busy.extend(items.map(|item| item.key.clone()));
        Some(asks)
    }
}
