//! The entries of a sketch: short tags of keys, each with what its key has used.

use super::layout::{BUCKET_WORDS, Layout, NARROW_BITS, Numbers};

/// The tag of an entry that counts for every key of its bucket.
const SHARED: u64 = 0;

/// A table of tags. Each key has two buckets, chosen by its fingerprint, and an entry in one of them. Where both
/// are full, an entry becomes the *shared* one of its bucket: it counts for every key of the bucket, and takes
/// in whatever finds no room there. So what is read is never too little.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entries {
    /// A power of two of them, so that half can be folded onto the other half.
    words: Box<[u64]>,
    layout: Layout,
}

/// What the entries say of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(super) numbers: Numbers,
    /// Whether a shared entry says more than the key's own.
    pub(super) is_shared: bool,
}

/// How full entries are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fill {
    pub(crate) live: u64,
    /// Of a wrong answer to a new key, in millionths.
    pub(crate) odds: u64,
}

/// Where a key may be, and how it is known there.
#[derive(Clone, Copy)]
struct Address {
    buckets: [usize; 2],
    tag: u64,
}

impl Entries {
    /// Empty, in so many words, rounded up to a power of two.
    pub(crate) fn new(words: usize, layout: Layout) -> Self {
        let words = words.max(BUCKET_WORDS).next_power_of_two();
        Self { words: bytemuck::zeroed_slice_box(words), layout }
    }

    pub(crate) const fn words(&self) -> usize {
        self.words.len()
    }

    pub(crate) const fn layout(&self) -> Layout {
        self.layout
    }

    /// What the entries say of a key, but for those that are `over`.
    pub(super) fn read(&self, fingerprint: u64, is_over: impl Fn(Numbers) -> bool) -> Found {
        let Address { buckets, tag } = self.address(fingerprint);
        let (mut own, mut shared) = ([0; 2], [0; 2]);
        for place in self.places(buckets) {
            let entry = self.get(place);
            let numbers = self.layout.numbers_of(entry);
            match self.layout.tag_of(entry) {
                _ if is_over(numbers) => {}
                found if found == tag => own = joined(own, numbers),
                SHARED => shared = joined(shared, numbers),
                _ => {}
            }
        }
        let numbers = joined(own, shared);
        Found { numbers, is_shared: numbers != own }
    }

    /// Raises what is counted of a key to `numbers`. Entries that are `over` make room.
    pub(super) fn raise(
        &mut self,
        fingerprint: u64,
        numbers: Numbers,
        is_over: impl Fn(Numbers) -> bool,
    ) {
        let address = self.address(fingerprint);
        self.put(address, numbers, is_over);
    }

    /// Half as many words, the upper half put into the lower.
    pub(crate) fn fold(&mut self) {
        let half = self.words.len() / 2;
        if half < BUCKET_WORDS {
            return;
        }
        let (kept, folded) = self.words.split_at(half);
        let folded = Self { words: folded.into(), layout: self.layout };
        self.words = kept.into();
        for place in 0..folded.places_all() {
            let entry = folded.get(place);
            let bucket = place / self.layout.per_bucket();
            let address = Address { buckets: [bucket; 2], tag: self.layout.tag_of(entry) };
            self.put(address, self.layout.numbers_of(entry), is_zero);
        }
    }

    /// Changes the numbers of every entry.
    pub(super) fn change(&mut self, change: impl Fn(Numbers) -> Numbers) {
        for place in 0..self.places_all() {
            let entry = self.get(place);
            if entry != 0 {
                let numbers = change(self.layout.numbers_of(entry));
                let tag = self.layout.tag_of(entry);
                self.set(place, self.layout.entry(tag, numbers));
            }
        }
    }

    /// How many entries are live, and the odds that a key which was never counted here reads above zero: a
    /// shared entry in one of its buckets, or the tag of another key.
    pub(super) fn fill(&self, is_over: impl Fn(Numbers) -> bool) -> Fill {
        const MILLION: u128 = 1_000_000;
        let buckets = self.words.len() / BUCKET_WORDS;
        let (mut shared, mut live) = (0_u128, 0_u64);
        for bucket in 0..buckets {
            let entries = self.places([bucket; 2]).map(|place| self.get(place));
            let entries = entries.filter(|entry| !is_over(self.layout.numbers_of(*entry)));
            let mut is_shared = false;
            for entry in entries {
                live += 1;
                is_shared |= self.layout.tag_of(entry) == SHARED;
            }
            shared += u128::from(is_shared);
        }
        let buckets = (buckets as u128).max(1);
        let shared = shared * MILLION / buckets;
        let either = 2 * shared - shared * shared / MILLION;
        let alike = (2 * u128::from(live) * MILLION / buckets) >> self.layout.tag_bits();
        let odds = u64::try_from((either + alike).min(MILLION));
        Fill { live, odds: odds.unwrap_or(u64::MAX) }
    }

    /// The words as they are, to be saved.
    pub(crate) fn as_words(&self) -> &[u64] {
        &self.words
    }

    /// From saved words; `None` if there are not a power of two of them.
    pub(crate) fn from_words(words: Box<[u64]>, layout: Layout) -> Option<Self> {
        let is_ours = words.len().is_power_of_two() && words.len() >= BUCKET_WORDS;
        is_ours.then_some(Self { words, layout })
    }

    /// Puts numbers where the tag is known, else where there is room, else into a shared entry.
    fn put(&mut self, address: Address, numbers: Numbers, is_over: impl Fn(Numbers) -> bool) {
        if is_over(numbers) {
            return;
        }
        let place = self.known(address, address.tag, &is_over);
        if let Some(place) = place.or_else(|| self.free(address.buckets, &is_over)) {
            return self.join(place, address.tag, numbers, &is_over);
        }
        let shared = self.known(address, SHARED, &is_over);
        if let Some(place) = shared.or_else(|| self.least(address.buckets)) {
            self.join(place, SHARED, numbers, &is_over);
        }
    }

    fn known(
        &self,
        address: Address,
        tag: u64,
        is_over: impl Fn(Numbers) -> bool,
    ) -> Option<usize> {
        self.places(address.buckets).find(|place| {
            let entry = self.get(*place);
            self.layout.tag_of(entry) == tag && !is_over(self.layout.numbers_of(entry))
        })
    }

    /// A place without a live entry, in the emptier bucket.
    fn free(&self, buckets: [usize; 2], is_over: impl Fn(Numbers) -> bool) -> Option<usize> {
        let free = |bucket: usize| {
            let places = self.places([bucket; 2]);
            places.filter(|place| is_over(self.layout.numbers_of(self.get(*place))))
        };
        let [first, second] = buckets;
        let emptier = match free(first).count() >= free(second).count() {
            true => first,
            false => second,
        };
        free(emptier).next()
    }

    /// The place of the entry that counts least, in the first bucket.
    fn least(&self, [bucket, _]: [usize; 2]) -> Option<usize> {
        self.places([bucket; 2])
            .min_by_key(|place| self.layout.numbers_of(self.get(*place)).into_iter().max())
    }

    fn join(
        &mut self,
        place: usize,
        tag: u64,
        numbers: Numbers,
        is_over: impl Fn(Numbers) -> bool,
    ) {
        let before = self.layout.numbers_of(self.get(place));
        let before = if is_over(before) { [0; 2] } else { before };
        let entry = self.layout.entry(tag, joined(before, numbers));
        self.set(place, entry);
    }

    /// Places of both buckets, or of the one if they are the same.
    fn places(&self, [first, second]: [usize; 2]) -> impl Iterator<Item = usize> + use<> {
        let count = self.layout.per_bucket();
        let of = move |bucket: usize| bucket * count..(bucket + 1) * count;
        let other = if first == second { 0..0 } else { of(second) };
        of(first).chain(other)
    }

    const fn places_all(&self) -> usize {
        self.words.len() / BUCKET_WORDS * self.layout.per_bucket()
    }

    /// The buckets by the lower bits, so that folding leaves every key in the halves of its own.
    #[expect(clippy::cast_possible_truncation, reason = "masked to the number of buckets")]
    fn address(&self, fingerprint: u64) -> Address {
        let mask = self.words.len() / BUCKET_WORDS - 1;
        // The fingerprint's own lower bits are alike in a shard.
        let (first, second) = (mixed(fingerprint), mixed(!fingerprint));
        let tag = mixed(first ^ second.rotate_left(32)) >> (u64::BITS - self.layout.tag_bits());
        Address {
            buckets: [first as usize & mask, second as usize & mask],
            tag: tag.max(SHARED + 1),
        }
    }

    fn get(&self, place: usize) -> u64 {
        match self.layout.width() {
            NARROW_BITS => {
                let word = self.words.get(place / 2).copied().unwrap_or(0);
                (word >> (place % 2 * 32)) & u64::from(u32::MAX)
            }
            _ => self.words.get(place).copied().unwrap_or(0),
        }
    }

    fn set(&mut self, place: usize, entry: u64) {
        match self.layout.width() {
            NARROW_BITS => {
                let shift = place % 2 * 32;
                if let Some(word) = self.words.get_mut(place / 2) {
                    *word = *word & !(u64::from(u32::MAX) << shift) | entry << shift;
                }
            }
            _ => {
                if let Some(word) = self.words.get_mut(place) {
                    *word = entry;
                }
            }
        }
    }
}

/// Whether nothing is counted.
pub(super) fn is_zero(numbers: Numbers) -> bool {
    numbers == [0; 2]
}

fn joined([first, second]: Numbers, other: Numbers) -> Numbers {
    [first.max(other[0]), second.max(other[1])]
}

/// Spreads every bit over all. Not a secret: the fingerprint is.
const fn mixed(bits: u64) -> u64 {
    let bits = (bits ^ bits >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ bits >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits ^ bits >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layouts() -> impl Iterator<Item = Layout> {
        [(8, 1), (16, 1), (32, 1), (4, 2), (8, 2), (16, 2), (24, 2)]
            .into_iter()
            .filter_map(|(bits, numbers)| Layout::new(bits, numbers))
    }

    /// What a key was raised to is there, however full the buckets are and however often they are folded.
    #[test]
    fn nothing_is_read_below_what_was_raised() {
        for layout in layouts() {
            let mut entries = Entries::new(64, layout);
            let numbers = |key: u64| [1 + key % 7, key % 3 * u64::from(layout.numbers - 1)];
            for fill in [50, 200, 2_000] {
                for key in 0..fill {
                    entries.raise(key, numbers(key), is_zero);
                }
                if fill > 200 {
                    entries.fold();
                }
                for key in 0..fill {
                    let Found { numbers: found, .. } = entries.read(key, is_zero);
                    let [first, second] = numbers(key);
                    assert!(found[0] >= first && found[1] >= second, "{layout:?}");
                }
            }
        }
    }

    #[test]
    fn below_their_room_entries_are_exact() {
        for layout in layouts() {
            let mut entries = Entries::new(512, layout);
            let keys = 64 * u64::try_from(layout.per_bucket()).unwrap_or(0) / 4 * 3;
            for key in 0..keys {
                entries.raise(key, [1 + key % 7, 0], is_zero);
            }
            let is_exact = |key: &u64| entries.read(*key, is_zero).numbers == [1 + key % 7, 0];
            let exact = (0..keys).filter(is_exact).count();
            assert!(exact as u64 * 1_000 >= keys * 995, "{layout:?}: {exact} of {keys}");
            let is_new = |key: &u64| is_zero(entries.read(*key, is_zero).numbers);
            let fresh = (keys..keys + 10_000).filter(is_new).count();
            let odds = entries.fill(is_zero).odds;
            assert!(fresh >= 9_980 && odds < 3_000, "{layout:?}: {fresh}, {odds}");
        }
    }

    #[test]
    fn the_odds_are_those_of_new_keys() {
        for layout in layouts() {
            let mut entries = Entries::new(512, layout);
            let keys = 64 * u64::try_from(layout.per_bucket()).unwrap_or(0);
            for key in 0..keys {
                entries.raise(key, [1, 0], is_zero);
            }
            let is_taken = |key: &u64| !is_zero(entries.read(*key, is_zero).numbers);
            let taken = (keys..keys + 100_000).filter(is_taken).count() as u64 * 10;
            let odds = entries.fill(is_zero).odds;
            assert!(odds.abs_diff(taken) < 5_000 + odds / 10, "{layout:?}: {taken}, {odds}");
        }
    }
}
