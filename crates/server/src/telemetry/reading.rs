//! All metrics at a moment, whoever asks for them.

use super::histogram::Durations;

/// Metrics at a moment.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    pub(super) families: Vec<Family>,
}

/// All series of one name.
#[derive(Clone, Debug)]
pub(super) struct Family {
    /// As it is shown, a counter without its `_total`.
    pub(super) name: &'static str,
    pub(super) help: &'static str,
    pub(super) kind: Kind,
    pub(super) samples: Vec<Sample>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Only rises.
    Counter,
    /// Goes both ways.
    Gauge,
    /// Durations.
    Histogram,
}

/// One series.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub(super) labels: Vec<(&'static str, String)>,
    pub(super) value: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Whole(u64),
    Fraction(f64),
    Durations(Durations),
}

impl Reading {
    pub(super) fn add(
        &mut self,
        kind: Kind,
        name: &'static str,
        help: &'static str,
    ) -> &mut Family {
        self.families.push(Family { name, help, kind, samples: Vec::new() });
        let last = self.families.len().saturating_sub(1);
        #[expect(clippy::indexing_slicing, reason = "one was just added")]
        &mut self.families[last]
    }

    /// A counter without labels.
    pub(super) fn counter(&mut self, name: &'static str, help: &'static str, value: u64) {
        self.add(Kind::Counter, name, help).with([], Value::Whole(value));
    }

    /// A gauge without labels.
    pub(super) fn gauge(&mut self, name: &'static str, help: &'static str, value: u64) {
        self.add(Kind::Gauge, name, help).with([], Value::Whole(value));
    }
}

impl Family {
    /// Adds a series.
    pub(super) fn with<const N: usize>(
        &mut self,
        labels: [(&'static str, String); N],
        value: Value,
    ) -> &mut Self {
        self.samples.push(Sample { labels: labels.into(), value });
        self
    }
}
