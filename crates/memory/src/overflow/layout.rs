//! How the entries of a sketch are cut.

/// Words of a bucket: a cache line.
pub(super) const BUCKET_WORDS: usize = 8;
pub(super) const NARROW_BITS: u32 = 32;

/// What an entry counts: one number, or one for this window and one for the window before.
pub(crate) type Numbers = [u64; 2];

/// How an entry is cut: its numbers below, its tag above. Entries take half a word, or a word if their numbers
/// need more than 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Bits of a number.
    pub(crate) bits: u32,
    /// One or two numbers.
    pub(crate) numbers: u32,
}

impl Layout {
    /// Numbers of `bits` bits; `None` if too few are left for a tag.
    pub(crate) fn new(bits: u32, numbers: u32) -> Option<Self> {
        let is_ours =
            (1..=2).contains(&numbers) && (4..=48).contains(&(bits.checked_mul(numbers)?));
        is_ours.then_some(Self { bits, numbers })
    }

    /// The largest number, which stands for "at least".
    pub(super) const fn most(self) -> u64 {
        (1 << self.bits) - 1
    }

    pub(super) const fn width(self) -> u32 {
        let is_narrow = self.bits * self.numbers <= NARROW_BITS / 2;
        if is_narrow { NARROW_BITS } else { u64::BITS }
    }

    pub(super) const fn tag_bits(self) -> u32 {
        self.width() - self.bits * self.numbers
    }

    pub(super) const fn per_bucket(self) -> usize {
        BUCKET_WORDS * (u64::BITS / self.width()) as usize
    }

    pub(super) const fn numbers_of(self, entry: u64) -> Numbers {
        let second = match self.numbers {
            2 => (entry >> self.bits) & self.most(),
            _ => 0,
        };
        [entry & self.most(), second]
    }

    pub(super) const fn tag_of(self, entry: u64) -> u64 {
        entry >> (self.bits * self.numbers)
    }

    /// An entry; numbers beyond the largest are cut to it.
    pub(super) fn entry(self, tag: u64, numbers: Numbers) -> u64 {
        let [first, second] = numbers.map(|number| number.min(self.most()));
        if first == 0 && second == 0 {
            return 0;
        }
        let second = if self.numbers == 2 { second } else { 0 };
        tag << (self.bits * self.numbers) | second << self.bits | first
    }
}
