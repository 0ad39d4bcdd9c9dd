//! The 64 bits of state in a slot.
//!
//! | bits | hold |
//! |---|---|
//! | 63 | held: somebody decides several charges or gives the slot to another key |
//! | 62 | flips each time the slot changes hands, so that an old word is never taken for a new one |
//! | 61 | marked: the key was reset while a sketch counted it, so its slot is given up last |
//! | 51–60 | class: whose counter it is and how to read the payload; 0 is "nothing counted" |
//! | 0–50 | payload |

/// Bits of state that an algorithm can use.
pub(crate) const PAYLOAD_BITS: u32 = 51;
/// The payload's bits.
pub(crate) const PAYLOAD_MASK: u64 = (1 << PAYLOAD_BITS) - 1;
/// How many classes there are, the empty one included.
pub(crate) const CLASSES: usize = 1_024;

const CLASS_MASK: u64 = CLASSES as u64 - 1;
const MARK: u64 = 1 << 61;
const FLIP: u64 = 1 << 62;
const HELD: u64 = 1 << 63;

/// One reading of a slot's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word(u64);

impl Word {
    /// Nothing counted.
    pub(crate) const EMPTY: Self = Self(0);

    pub(crate) const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    pub(crate) const fn bits(self) -> u64 {
        self.0
    }

    /// A state, in the hands this word is in, marked as it is.
    #[inline]
    pub(crate) const fn with_state(self, class: u16, payload: u64) -> Self {
        let class = (class as u64 & CLASS_MASK) << PAYLOAD_BITS;
        Self((self.0 & (FLIP | MARK)) | class | (payload & PAYLOAD_MASK))
    }

    /// Nothing counted, in the hands this word is in.
    pub(crate) const fn cleared(self) -> Self {
        Self(self.0 & FLIP)
    }

    /// The same state in other hands.
    pub(crate) const fn flipped(self) -> Self {
        Self(self.0 ^ FLIP)
    }

    /// This state, in the hands that come after `before`.
    pub(crate) const fn succeeding(self, before: Self) -> Self {
        let before = if cfg!(mutant = "slot-does-not-flip") { before.flipped() } else { before };
        Self((self.0 & !FLIP) | (before.0 & FLIP)).flipped()
    }

    pub(crate) const fn held(self) -> Self {
        Self(self.0 | HELD)
    }

    #[inline]
    pub(crate) const fn is_held(self) -> bool {
        self.0 & HELD != 0
    }

    #[inline]
    pub(crate) const fn class(self) -> u16 {
        ((self.0 >> PAYLOAD_BITS) & CLASS_MASK) as u16
    }

    pub(crate) const fn marked(self) -> Self {
        Self(self.0 | MARK)
    }

    pub(crate) const fn is_marked(self) -> bool {
        self.0 & MARK != 0
    }

    #[inline]
    pub(crate) const fn payload(self) -> u64 {
        self.0 & PAYLOAD_MASK
    }
}
