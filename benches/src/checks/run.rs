//! The rounds: everybody has a turn on the same requests, then everybody again on others.

use super::{Cell, Grid, Plan, Threads};
use crate::{
    contestant::Contestant,
    subjects::Kind,
    workload::{Skew, draw},
};

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
        let kinds: Vec<Kind> = kinds
            .iter()
            .copied()
            .filter(|kind| keys <= kind.keys_max())
            .collect();
        let contestants = Kind::line_up(&kinds, keys);
        // One after the other on one thread: everybody's memory then comes from the same arena, and
        // nobody's layout depends on who was filled at the same time.
        for (kind, contestant) in kinds.iter().zip(&contestants) {
            if !kind.is_another_door() {
                contestant.fill(keys);
            }
        }
        Self {
            keys,
            kinds,
            contestants,
        }
    }

    fn measure(&self, plan: &Plan, (skew, threads): (Skew, Threads), grid: &mut Grid) {
        let keys = self.keys;
        eprintln!(
            "measuring: {keys} keys, {}, {}",
            skew.name(),
            threads.name()
        );
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
            let cell = Cell {
                kind,
                keys,
                skew,
                threads,
            };
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
