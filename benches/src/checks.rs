//! In-process checks: time per check over numbers of keys, skews and threads.

use std::time::Duration;

use crate::{
    depth::Depth,
    report::{self, Bar, Found, Table},
    subject::Contestant,
    subjects::Kind,
    workload::{Skew, ZIPF_EXPONENT, draw},
};

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Numbers of keys.
    pub(crate) sizes: Vec<usize>,
    pub(crate) kinds: Vec<Kind>,
    /// Times that everybody has a turn.
    rounds: u64,
    /// The time of one turn of a subject.
    turn: Duration,
}

impl Plan {
    pub(crate) fn of(depth: Depth) -> Self {
        let kinds = Kind::ALL.to_vec();
        match depth {
            Depth::Full => Self {
                sizes: vec![1, 1_000, 100_000, 1_000_000, 10_000_000],
                kinds,
                rounds: 5,
                turn: Duration::from_millis(80),
            },
            Depth::Quick => Self {
                sizes: vec![1, 1_000, 100_000],
                kinds,
                rounds: 3,
                turn: Duration::from_millis(8),
            },
        }
    }
}

pub(crate) fn run(plan: &Plan) -> Grid {
    let mut grid = Grid::default();
    for &keys in &plan.sizes {
        let lineup = Lineup::new(&plan.kinds, keys);
        for threads in [Threads::One, Threads::Two] {
            for skew in [Skew::Uniform, Skew::Zipf] {
                // With one key there is nothing to choose.
                if keys > 1 || skew == Skew::Uniform {
                    lineup.measure(plan, (skew, threads), &mut grid);
                }
            }
        }
    }
    grid
}

struct Lineup {
    keys: usize,
    kinds: Vec<Kind>,
    contestants: Vec<Box<dyn Contestant>>,
}

impl Lineup {
    /// Everybody who is up to this many keys, with every key known.
    fn new(kinds: &[Kind], keys: usize) -> Self {
        eprintln!("filling: {keys} keys");
        let kinds: Vec<Kind> =
            kinds.iter().copied().filter(|kind| keys <= kind.keys_max()).collect();
        let contestants = Kind::line_up(&kinds, keys);
        // One after the other on one thread: everybody's memory then comes from the same arena, and
        // no subject's layout depends on which was filled at the same time.
        for (kind, contestant) in kinds.iter().zip(&contestants) {
            if !kind.is_another_door() {
                contestant.fill(keys);
            }
        }
        Self { keys, kinds, contestants }
    }

    fn measure(&self, plan: &Plan, (skew, threads): (Skew, Threads), grid: &mut Grid) {
        let keys = self.keys;
        eprintln!("measuring: {keys} keys, {}, {}", skew.name(), threads.name());
        let mut pieces = vec![Vec::new(); self.contestants.len()];
        for round in 0..plan.rounds {
            let requests = draw(keys, skew, round);
            for (contestant, pieces) in self.contestants.iter().zip(&mut pieces) {
                pieces.extend(match threads {
                    Threads::One => contestant.one_thread(&requests, plan.turn),
                    Threads::Two => contestant.two_threads(&requests, plan.turn / 2),
                });
            }
        }
        for (&kind, pieces) in self.kinds.iter().zip(&mut pieces) {
            let cell = Cell { kind, keys, skew, threads };
            if let Some(nanos) = median(pieces) {
                grid.add(cell, nanos);
            }
        }
    }
}

fn median(numbers: &mut [f64]) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}

/// With so many uniform keys and threads, at least so many times governor's speed in the same run.
const TIMES_MIN: [(Kind, usize, Threads, f64); 11] = [
    (Kind::IsAllowed, 1_000, Threads::One, 1.5),
    (Kind::IsAllowed, 100_000, Threads::One, 6.0),
    (Kind::IsAllowed, 1_000_000, Threads::One, 4.0),
    (Kind::IsAllowed, 10_000_000, Threads::One, 5.0),
    (Kind::ChargeBatch, 100_000, Threads::One, 10.0),
    (Kind::ChargeBatch, 1_000_000, Threads::One, 8.0),
    (Kind::ChargeBatch, 10_000_000, Threads::One, 10.0),
    (Kind::CheckBatch, 100_000, Threads::One, 10.0),
    (Kind::CheckBatch, 1_000_000, Threads::One, 8.0),
    (Kind::CheckBatch, 10_000_000, Threads::One, 10.0),
    (Kind::IsAllowed, 1, Threads::Two, 2.0),
];

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
        Kind::ALL.into_iter().filter(|kind| self.iter().any(|(cell, _)| cell.kind == *kind))
    }

    /// The numbers of keys, as they were measured.
    pub(crate) fn sizes(&self) -> Vec<usize> {
        let mut sizes: Vec<usize> = self.0.iter().map(|(cell, _)| cell.keys).collect();
        sizes.dedup();
        sizes
    }
}

impl Found for Grid {
    fn tables(&self) -> Vec<Table> {
        let mut tables = Vec::new();
        for (threads, unit) in
            [(Threads::One, "nanoseconds per check"), (Threads::Two, "million checks per second")]
        {
            for (skew, name) in [
                (Skew::Uniform, "uniform".to_owned()),
                (Skew::Zipf, format!("Zipf {ZIPF_EXPONENT}")),
            ] {
                let title = format!("{}, {name}: {unit} · times governor's speed", threads.name());
                tables.push(self.table(title, skew, threads));
            }
        }
        tables
    }

    fn bars(&self) -> Vec<Bar> {
        let bars = TIMES_MIN.into_iter().filter_map(|(kind, keys, threads, min)| {
            let times = self.times_governor(Cell { kind, keys, skew: Skew::Uniform, threads })?;
            let what = format!(
                "{}, {}, {}, beside governor",
                kind.name(),
                report::keys(keys),
                threads.name()
            );
            Some(Bar::at_least(what, min, times, "×"))
        });
        bars.collect()
    }
}

impl Grid {
    /// A row for each subject, a column for each number of keys.
    fn table(&self, title: String, skew: Skew, threads: Threads) -> Table {
        let sizes = self.sizes();
        let row = |kind: Kind| {
            let cells = sizes.iter().map(|&keys| {
                let cell = Cell { kind, keys, skew, threads };
                let number = match threads {
                    Threads::One => self.nanos(cell),
                    Threads::Two => self.millions_per_second(cell),
                };
                match (number, self.times_governor(cell)) {
                    (Some(number), Some(times)) => report::Cell::Times(number, times),
                    (number, _) => number.into(),
                }
            });
            [kind.name().into()].into_iter().chain(cells).collect()
        };
        let columns = [String::new()]
            .into_iter()
            .chain(sizes.iter().map(|&size| report::keys(size)))
            .collect();
        Table::new(title, columns, self.kinds().map(row).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn the_median_does_not_mind_one_interruption() {
        assert_eq!(median(&mut [20.0, 900.0, 21.0]), Some(21.0));
    }

    #[test]
    fn without_numbers_there_is_no_median() {
        assert_eq!(median(&mut []), None);
    }
}
