//! What was measured.

use crate::{subjects::Kind, workload::Skew};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Threads {
    One,
    Two,
}

impl Threads {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::One => "one thread",
            Self::Two => "two threads",
        }
    }

    pub(crate) const fn count(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }
}

/// Where a number belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) kind: Kind,
    pub(crate) keys: usize,
    pub(crate) skew: Skew,
    pub(crate) threads: Threads,
}

#[derive(Debug, Default)]
pub(crate) struct Grid(Vec<(Cell, f64)>);

impl Grid {
    pub(crate) fn add(&mut self, cell: Cell, nanos: f64) {
        self.0.push((cell, nanos));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Cell, f64)> {
        self.0.iter().copied()
    }

    /// Nanoseconds per check, of one thread.
    pub(crate) fn nanos(&self, cell: Cell) -> Option<f64> {
        let (_, nanos) = self.0.iter().find(|(other, _)| *other == cell)?;
        Some(*nanos)
    }

    /// Million checks per second, of all threads.
    pub(crate) fn millions_per_second(&self, cell: Cell) -> Option<f64> {
        let nanos = self.nanos(cell)?;
        Some(f64::from(cell.threads.count()) * 1_000.0 / nanos)
    }

    /// How many times as fast as governor in the same place.
    pub(crate) fn times_governor(&self, cell: Cell) -> Option<f64> {
        let kind = Kind::Governor;
        Some(self.nanos(Cell { kind, ..cell })? / self.nanos(cell)?)
    }

    /// The subjects, in their order.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = Kind> {
        Kind::ALL
            .into_iter()
            .filter(|kind| self.iter().any(|(cell, _)| cell.kind == *kind))
    }

    /// The numbers of keys, as they were measured.
    pub(crate) fn sizes(&self) -> Vec<usize> {
        let mut sizes: Vec<usize> = self.0.iter().map(|(cell, _)| cell.keys).collect();
        sizes.dedup();
        sizes
    }
}
