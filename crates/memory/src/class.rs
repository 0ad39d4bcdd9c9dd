//! How a slot's payload is read: a small number for each distinct layout.
//!
//! A slot has no room for its limit, yet whoever meets it must know whether it has run out, and a
//! limit may change under a live counter. So each layout in use gets a class, and the class says all:
//! the algorithm, the rate of a bucket, the period of a window. The amount of a window and the burst
//! of a bucket are not part of it: they may change without a trace.

use std::sync::{Mutex, OnceLock, PoisonError};

use tollgate_core::{FixedWindow, Law, LeakyBucket, Period, SlidingWindow, TokenBucket};

use crate::{
    sync::{AtomicU64, Ordering},
    word::CLASSES,
};

/// A layout as one exact number: the kind in the top three bits, then the numbers that matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Code(u64);

/// The largest units per microsecond a packed bucket may have: then a slot can be left alone for a
/// year before its payload comes round.
pub(crate) const BUCKET_AMOUNT_MAX: u64 = 32;

const KIND_SHIFT: u32 = 61;
const LONG_SHIFT: u32 = 58;
const HIGH_SHIFT: u32 = 53;
const LOW_MASK: u64 = (1 << HIGH_SHIFT) - 1;
const TOKEN_BUCKET: u64 = 1;
const LEAKY_BUCKET: u64 = 2;
const FIXED_WINDOW: u64 = 3;
const SLIDING_WINDOW: u64 = 4;

impl Code {
    /// A bucket of this rate; `None` if a word cannot hold its state.
    #[inline]
    pub(crate) const fn bucket(
        kind: BucketKind,
        amount: u64,
        period: u64,
        life: Life,
    ) -> Option<Self> {
        if amount == 0 || amount > BUCKET_AMOUNT_MAX || period > LOW_MASK {
            return None;
        }
        let kind = match kind {
            BucketKind::Token => TOKEN_BUCKET,
            BucketKind::Leaky => LEAKY_BUCKET,
        };
        let long = matches!(life, Life::Long) as u64;
        Some(Self(
            kind << KIND_SHIFT | long << LONG_SHIFT | (amount - 1) << HIGH_SHIFT | period,
        ))
    }

    #[inline]
    pub(crate) const fn fixed_window(period: Period) -> Self {
        Self(FIXED_WINDOW << KIND_SHIFT | Self::period(period))
    }

    #[inline]
    pub(crate) const fn sliding_window(period: Period) -> Self {
        Self(SLIDING_WINDOW << KIND_SHIFT | Self::period(period))
    }

    /// A period's alignment moves down to make room for the kind.
    const fn period(period: Period) -> u64 {
        let id = period.id();
        (id >> 60) << HIGH_SHIFT | (id & LOW_MASK)
    }

    /// An algorithm that reads states of this layout. It knows no limit: it is never asked to decide.
    pub(crate) fn law(self) -> Option<Law> {
        let (high, low) = ((self.0 >> HIGH_SHIFT) & 0x1f, self.0 & LOW_MASK);
        let period = || Period::from_id(high << 60 | low);
        Some(match self.0 >> KIND_SHIFT {
            TOKEN_BUCKET => Law::TokenBucket(TokenBucket::of_rate(high + 1, low)),
            LEAKY_BUCKET => Law::LeakyBucket(LeakyBucket::of_rate(high + 1, low)),
            FIXED_WINDOW => Law::FixedWindow(FixedWindow::of_period(period()?)),
            SLIDING_WINDOW => Law::SlidingWindow(SlidingWindow::of_period(period()?)),
            _ => return None,
        })
    }

    /// Whether counters of this layout outlive a restart.
    pub(crate) fn life(self) -> Life {
        let is_long = match self.0 >> KIND_SHIFT {
            TOKEN_BUCKET | LEAKY_BUCKET => (self.0 >> LONG_SHIFT) & 1 == 1,
            _ => self.0 & LOW_MASK >= Period::HOUR.length().get(),
        };
        if is_long { Life::Long } else { Life::Short }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BucketKind {
    Token,
    Leaky,
}

/// Whether a counter's period is an hour or longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    Short,
    Long,
}

/// The classes in use. They are given once and never taken back; when they run out, further layouts
/// go to the side table.
#[derive(Debug)]
pub(crate) struct Classes {
    codes: Box<[AtomicU64; CLASSES]>,
    laws: Box<[OnceLock<Law>; CLASSES]>,
    growing: Mutex<()>,
}

impl Classes {
    pub(crate) fn new() -> Self {
        Self {
            codes: Box::new([const { AtomicU64::new(0) }; CLASSES]),
            laws: Box::new([const { OnceLock::new() }; CLASSES]),
            growing: Mutex::new(()),
        }
    }

    /// The class of a layout, if it has one.
    #[inline]
    pub(crate) fn find(&self, code: Code) -> Option<u16> {
        for class in probe(code) {
            match self.codes.get(usize::from(class))?.load(Ordering::Acquire) {
                found if found == code.0 => return Some(class),
                0 => return None,
                _ => {}
            }
        }
        None
    }

    /// The class of a layout, given to it now if need be; `None` if they have run out.
    pub(crate) fn find_or_give(&self, code: Code) -> Option<u16> {
        if let Some(class) = self.find(code) {
            return Some(class);
        }
        let _growing = self.growing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(class) = self.find(code) {
            return Some(class);
        }
        let law = code.law()?;
        let is_free = |class: &u16| {
            self.codes
                .get(usize::from(*class))
                .is_some_and(|code| code.load(Ordering::Relaxed) == 0)
        };
        let class = probe(code).find(is_free)?;
        self.laws.get(usize::from(class))?.get_or_init(|| law);
        self.codes
            .get(usize::from(class))?
            .store(code.0, Ordering::Release);
        Some(class)
    }

    /// What reads the states of a class; `None` for the empty class.
    #[inline]
    pub(crate) fn law(&self, class: u16) -> Option<&Law> {
        self.laws.get(usize::from(class))?.get()
    }

    pub(crate) fn code(&self, class: u16) -> Option<Code> {
        let code = self.codes.get(usize::from(class))?.load(Ordering::Acquire);
        (code != 0).then_some(Code(code))
    }
}

/// The classes a layout may have, in the order they are tried. Class 0 is the empty one.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the remainder is below 511"
)]
fn probe(code: Code) -> impl Iterator<Item = u16> {
    const GIVEN: u64 = CLASSES as u64 - 1;
    let start = (code.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) % GIVEN;
    (0..GIVEN).map(move |step| ((start + step) % GIVEN) as u16 + 1)
}
