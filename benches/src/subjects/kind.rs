//! The list of everybody.

use std::{cell::LazyCell, sync::Arc};

use clap::ValueEnum;

use super::{
    peers::{Array, Governor, Increment, Limitador, MutexMap, Throttlecrab},
    tollgate::{
        ChargeBatch, Check, CheckBatch, IsAllowed, fixed_window, limiter, sliding_window,
        token_bucket,
    },
};
use crate::{subject::Contestant, workload::Quota};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    Array,
    IsAllowed,
    Check,
    CheckBatch,
    ChargeBatch,
    FixedWindow,
    SlidingWindow,
    Governor,
    Throttlecrab,
    Limitador,
    MutexMap,
    DashMap,
}

impl Kind {
    pub(crate) const ALL: [Self; 12] = [
        Self::Array,
        Self::IsAllowed,
        Self::Check,
        Self::CheckBatch,
        Self::ChargeBatch,
        Self::FixedWindow,
        Self::SlidingWindow,
        Self::Governor,
        Self::Throttlecrab,
        Self::Limitador,
        Self::MutexMap,
        Self::DashMap,
    ];

    /// The name on a command line and in JSON.
    pub(crate) fn word(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// The name in a table.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Array => "array of counters (the floor)",
            Self::IsAllowed => "tollgate `is_allowed`, token bucket",
            Self::Check => "tollgate `check`, token bucket",
            Self::CheckBatch => "tollgate `check_batch` of 16",
            Self::ChargeBatch => "tollgate `MemoryStore::charge_batch` of 16",
            Self::FixedWindow => "tollgate `is_allowed`, fixed window",
            Self::SlidingWindow => "tollgate `is_allowed`, sliding window",
            Self::Governor => "governor, keyed",
            Self::Throttlecrab => "throttlecrab, periodic store",
            Self::Limitador => "limitador, in memory",
            Self::MutexMap => "`Mutex<HashMap>` of buckets",
            Self::DashMap => "DashMap and an increment",
        }
    }

    /// limitador takes minutes to fill beyond this.
    pub(crate) const fn keys_max(self) -> usize {
        match self {
            Self::Limitador => 1_000_000,
            _ => usize::MAX,
        }
    }

    /// Whether this is another way into the counters of [`Kind::IsAllowed`].
    pub(crate) const fn is_another_door(self) -> bool {
        matches!(self, Self::Check | Self::CheckBatch | Self::ChargeBatch)
    }

    /// Somebody new with room for `keys`, who knows none yet.
    pub(crate) fn build(self, keys: usize) -> Box<dyn Contestant> {
        Self::line_up(&[self], keys).remove(0)
    }

    /// Several at once; the doors of the token bucket lead to one limiter.
    pub(crate) fn line_up(kinds: &[Self], keys: usize) -> Vec<Box<dyn Contestant>> {
        let quota = Quota::for_keys(keys);
        let bucket = LazyCell::new(|| limiter(token_bucket(quota), keys));
        let build = |kind: &Self| -> Box<dyn Contestant> {
            match kind {
                Self::Array => Box::new(Array::new(keys)),
                Self::IsAllowed => Box::new(IsAllowed(Arc::clone(&bucket))),
                Self::Check => Box::new(Check(Arc::clone(&bucket))),
                Self::CheckBatch => Box::new(CheckBatch(Arc::clone(&bucket))),
                Self::ChargeBatch => {
                    Box::new(ChargeBatch::new(Arc::clone(&bucket), token_bucket(quota)))
                }
                Self::FixedWindow => Box::new(IsAllowed(limiter(fixed_window(), keys))),
                Self::SlidingWindow => Box::new(IsAllowed(limiter(sliding_window(), keys))),
                Self::Governor => Box::new(Governor::new(quota)),
                Self::Throttlecrab => Box::new(Throttlecrab::new(quota, keys)),
                Self::Limitador => Box::new(Limitador::new(keys)),
                Self::MutexMap => Box::new(MutexMap::new(quota)),
                Self::DashMap => Box::<Increment>::default(),
            }
        };
        kinds.iter().map(build).collect()
    }
}
