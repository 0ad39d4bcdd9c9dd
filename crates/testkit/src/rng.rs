//! Random numbers that repeat: the same seed, the same run, on every machine.

/// `SplitMix64`.
///
/// ```
/// use tollgate_testkit::Rng;
///
/// let mut rng = Rng::new(7);
/// assert!(rng.below(10) < 10);
/// assert_eq!(Rng::new(7).word(), Rng::new(7).word());
/// ```
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The sequence of this seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any 64-bit number.
    pub const fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not zero.
    pub const fn below(&mut self, bound: u64) -> u64 {
        self.word() % bound
    }

    /// An index into something of this length, which is not zero.
    pub fn index(&mut self, len: usize) -> usize {
        let bound = u64::try_from(len).expect("a length fits 64 bits");
        usize::try_from(self.below(bound)).expect("below a length")
    }

    /// True once in `n` times.
    pub const fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// One of these.
    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.index(from.len())].clone()
    }

    /// These, in another order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.index(end + 1));
        }
    }
}
