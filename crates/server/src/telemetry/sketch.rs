//! How often things were seen, in bounded memory.

use std::collections::HashMap;

/// What is counted: a rule, and the words for a key.
pub(super) type Name = (String, String);

/// Counts of the things seen most. With room for [`Sketch::ROOM`] things, what was seen more often than
/// one time in half of that is always among them, and no count is too high by more than
/// [`Sketch::error`].
///
/// (The frequent-items summary of Misra and Gries: when it is full, the median is taken off every count
/// and whatever reaches zero is dropped. So adding takes constant time, all in all.)
#[derive(Debug, Default)]
pub(super) struct Sketch {
    counts: HashMap<Name, u64>,
    taken_off: u64,
}

impl Sketch {
    /// The most things that are remembered.
    pub(super) const ROOM: usize = 2_048;

    pub(super) fn add(&mut self, name: Name, weight: u64) {
        let count = self.counts.entry(name).or_default();
        *count = count.saturating_add(weight);
        if self.counts.len() > Self::ROOM {
            self.make_room();
        }
    }

    fn make_room(&mut self) {
        let mut counts: Vec<u64> = self.counts.values().copied().collect();
        let middle = counts.len() / 2;
        let (_, median, _) = counts.select_nth_unstable(middle);
        let median = *median;
        self.counts.retain(|_, count| {
            *count = count.saturating_sub(median);
            *count > 0
        });
        self.taken_off = self.taken_off.saturating_add(median);
    }

    /// Everything that is remembered, with at least as much as was seen of it.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&Name, u64)> {
        let full = |count: u64| count.saturating_add(self.taken_off);
        self.counts.iter().map(move |(name, count)| (name, full(*count)))
    }

    /// How much too high a count may be.
    pub(super) const fn error(&self) -> u64 {
        self.taken_off
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use tollgate_testkit::Rng;

    use super::*;

    fn name(number: usize) -> Name {
        ("rule".to_owned(), format!("user={number}"))
    }

    /// Against plain counting: nobody who is frequent is missing, and every count is within its error.
    #[test]
    fn agrees_with_plain_counting_within_its_error() {
        for seed in 0..20 {
            let mut rng = Rng::new(seed);
            let (mut sketch, mut model) = (Sketch::default(), HashMap::<Name, u64>::new());
            let mut total = 0;
            for _ in 0..30_000 {
                // A few that are common among very many that are rare.
                let number =
                    if rng.index(3) == 0 { rng.index(20) } else { 100 + rng.index(100_000) };
                sketch.add(name(number), 64);
                *model.entry(name(number)).or_default() += 64;
                total += 64;
            }
            let found: HashMap<&Name, u64> = sketch.entries().collect();
            assert!(found.len() <= Sketch::ROOM);
            assert!(sketch.error() <= total / (Sketch::ROOM as u64 / 2), "{}", sketch.error());
            for (name, seen) in &model {
                match found.get(name) {
                    Some(count) => assert!(*count >= *seen && *count - sketch.error() <= *seen),
                    None => assert!(*seen <= sketch.error(), "{name:?} was seen {seen} times"),
                }
            }
        }
    }
}
