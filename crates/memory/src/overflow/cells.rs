//! The cells of a sketch: small numbers, packed into words.

/// Cells in which a key is counted. Its number is the least of them.
const PROBES: u64 = 4;

/// Numbers of a few bits. Each key has [`PROBES`] of them, chosen by its fingerprint, and shares them
/// with others: what they say of it is never too little.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cells {
    /// A power of two of them, so that half can be folded onto the other half.
    words: Box<[u64]>,
    bits: u32,
    /// Cells above zero.
    filled: u64,
}

impl Cells {
    /// Cells of `bits` bits, at most 32, in so many words, a power of two.
    pub(crate) fn new(words: usize, bits: u32) -> Self {
        let words = bytemuck::zeroed_slice_box(words.next_power_of_two());
        let filled = 0;
        Self {
            words,
            bits,
            filled,
        }
    }

    pub(crate) const fn words(&self) -> usize {
        self.words.len()
    }

    /// The largest number a cell holds.
    pub(super) const fn most(&self) -> u64 {
        (1 << self.bits) - 1
    }

    /// What the cells say of a key.
    pub(super) fn read(&self, fingerprint: u64) -> u64 {
        let places = self.places(fingerprint);
        places.map(|place| self.get(place)).min().unwrap_or(0)
    }

    /// Raises the cells of a key to `number` where they are below it, and no further: others share them.
    pub(super) fn raise(&mut self, fingerprint: u64, number: u64) {
        let number = number.min(self.most());
        for place in self.places(fingerprint) {
            let before = self.get(place);
            if before < number {
                self.set(place, number);
                self.filled += u64::from(before == 0);
            }
        }
    }

    /// Half as many words, each cell the larger of the two that fall together.
    pub(crate) fn fold(&mut self) {
        let (kept, folded) = self.words.split_at(self.words.len() / 2);
        let mut half = Self {
            words: kept.into(),
            bits: self.bits,
            filled: 0,
        };
        let other = Self {
            words: folded.into(),
            bits: self.bits,
            filled: 0,
        };
        half.join(&other, u64::max);
        *self = half;
    }

    /// Puts each cell together with the one of `other` in the same place.
    pub(super) fn join(&mut self, other: &Self, join: impl Fn(u64, u64) -> u64) {
        let most = self.most();
        for place in self.all() {
            let joined = join(self.get(place), other.get(place));
            self.set(place, joined.min(most));
        }
        self.count_filled();
    }

    /// Changes every cell that is above zero.
    pub(super) fn change(&mut self, change: impl Fn(u64) -> u64) {
        let most = self.most();
        for place in self.all() {
            let number = self.get(place);
            if number > 0 {
                self.set(place, change(number).min(most));
            }
        }
        self.count_filled();
    }

    pub(super) fn clear(&mut self) {
        self.words.fill(0);
        self.filled = 0;
    }

    pub(super) const fn is_clear(&self) -> bool {
        self.filled == 0
    }

    /// The odds that a key which was never counted here reads above zero, in millionths.
    pub(super) fn odds(&self) -> u64 {
        const MILLION: u128 = 1_000_000;
        let cells = u128::from(self.per_word()) * self.words.len() as u128;
        let filled = u128::from(self.filled) * MILLION / cells.max(1);
        let odds = (0..PROBES).fold(MILLION, |odds, _| odds * filled / MILLION);
        u64::try_from(odds).unwrap_or(u64::MAX)
    }

    /// The words as they are, to be saved.
    pub(crate) fn as_words(&self) -> &[u64] {
        &self.words
    }

    /// Cells from saved words; `None` if there are not a power of two of them.
    pub(crate) fn from_words(words: Box<[u64]>, bits: u32) -> Option<Self> {
        let is_ours = words.len().is_power_of_two() && (1..=32).contains(&bits);
        let mut cells = Self {
            words,
            bits,
            filled: 0,
        };
        is_ours.then(|| {
            cells.count_filled();
            cells
        })
    }

    pub(crate) const fn bits(&self) -> u32 {
        self.bits
    }

    fn count_filled(&mut self) {
        let filled = self.all().filter(|place| self.get(*place) > 0).count();
        self.filled = u64::try_from(filled).unwrap_or(u64::MAX);
    }

    const fn per_word(&self) -> u64 {
        u64::BITS as u64 / self.bits as u64
    }

    fn all(&self) -> impl Iterator<Item = (usize, u64)> + use<> {
        let per_word = self.per_word();
        (0..self.words.len()).flat_map(move |word| (0..per_word).map(move |cell| (word, cell)))
    }

    /// The word by the lower bits, so that folding halves the words and leaves the rest as it is.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "masked to the number of words"
    )]
    fn places(&self, fingerprint: u64) -> impl Iterator<Item = (usize, u64)> + use<> {
        let (mask, per_word) = (self.words.len() - 1, self.per_word());
        // The fingerprint's own lower bits are alike in a shard.
        let (first, step) = (mixed(fingerprint), mixed(!fingerprint) | 1);
        (0..PROBES).map(move |probe| {
            let spot = first.wrapping_add(probe.wrapping_mul(step));
            (spot as usize & mask, ((spot >> 32) * per_word) >> 32)
        })
    }

    fn get(&self, (word, cell): (usize, u64)) -> u64 {
        let shift = cell * u64::from(self.bits);
        self.words
            .get(word)
            .map_or(self.most(), |word| (word >> shift) & self.most())
    }

    fn set(&mut self, (word, cell): (usize, u64), number: u64) {
        let (shift, most) = (cell * u64::from(self.bits), self.most());
        if let Some(word) = self.words.get_mut(word) {
            *word = *word & !(most << shift) | (number & most) << shift;
        }
    }
}

/// Spreads every bit over all. Not a secret: the fingerprint is.
const fn mixed(bits: u64) -> u64 {
    let bits = (bits ^ bits >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ bits >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits ^ bits >> 32
}
