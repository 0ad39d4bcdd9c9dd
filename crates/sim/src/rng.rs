//! A small random number generator that says the same thing for the same seed, everywhere.

/// `SplitMix64`: good enough to shuffle traffic, short enough to check by eye.
///
/// ```
/// use tollgate_sim::Rng;
///
/// let mut rng = Rng::new(7);
/// let first = rng.next_u64();
/// assert_eq!(Rng::new(7).next_u64(), first);
/// assert!(rng.below(10) < 10);
/// assert!((3..=5).contains(&rng.between(3, 5)));
/// ```
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// The generator of this seed.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 random bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`; zero for a bound of zero.
    pub fn below(&mut self, bound: u64) -> u64 {
        let product = u128::from(self.next_u64()) * u128::from(bound);
        u64::try_from(product >> 64).unwrap_or(0)
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        match (high - low).checked_add(1) {
            Some(count) => low + self.below(count),
            None => self.next_u64(),
        }
    }

    /// True once in `times`.
    pub fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// A number of any magnitude: every bit length is as likely as any other, and the ends of the
    /// range come up often.
    ///
    /// ```
    /// # use tollgate_sim::Rng;
    /// let mut rng = Rng::new(1);
    /// let small = (0..1_000).filter(|_| rng.any_size() < 1 << 16).count();
    /// assert!((200..450).contains(&small));
    /// ```
    pub fn any_size(&mut self) -> u64 {
        match self.below(20) {
            0 => 0,
            1 => 1,
            2 => u64::MAX,
            3 => u64::MAX - 1,
            _ => self.next_u64() >> self.below(64),
        }
    }

    /// One of these.
    ///
    /// # Panics
    ///
    /// If there are none.
    #[expect(
        clippy::indexing_slicing,
        clippy::cast_possible_truncation,
        reason = "the index is below the length"
    )]
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    /// A fraction from 0 up to, but without, 1. For sampling only: no decision is made with it.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    pub fn fraction(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}
