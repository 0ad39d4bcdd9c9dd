//! How a slot's payload is read: a small number for each distinct layout.
//!
//! A slot has no room for its limit, yet whoever meets it must know whether it has run out, and a
//! limit may change under a live counter. So each layout in use by a rule's limit gets a class, and the class
//! says all: the rule, the algorithm, the rate of a bucket, the period of a window. The amount of a window and
//! the burst of a bucket are not part of it: they may change without a trace.

use std::sync::{Mutex, OnceLock, PoisonError};

use tollgate_core::{
    Bucket, FixedWindow, Law, LeakyBucket, Micros, Period, RuleId, SlidingWindow, TokenBucket,
};

use crate::{
    sync::{AtomicU64, Ordering},
    word::CLASSES,
};

/// A layout as one exact number: the kind in the top three bits, then the numbers that matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Code(u64);

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
        if amount == 0 || amount > Bucket::NARROW_AMOUNT_MAX || period > LOW_MASK {
            return None;
        }
        let kind = match kind {
            BucketKind::Token => TOKEN_BUCKET,
            BucketKind::Leaky => LEAKY_BUCKET,
        };
        let long = matches!(life, Life::Long) as u64;
        Some(Self(kind << KIND_SHIFT | long << LONG_SHIFT | (amount - 1) << HIGH_SHIFT | period))
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
            TOKEN_BUCKET => Law::TokenBucket(TokenBucket::of_rate(high + 1, low, u64::MAX)),
            LEAKY_BUCKET => Law::LeakyBucket(LeakyBucket::of_rate(high + 1, low, u64::MAX)),
            FIXED_WINDOW => Law::FixedWindow(FixedWindow::new(u64::MAX, period()?)),
            SLIDING_WINDOW => Law::SlidingWindow(SlidingWindow::new(u64::MAX, period()?)),
            _ => return None,
        })
    }

    pub(crate) const fn bits(self) -> u64 {
        self.0
    }

    /// The layout with these bits, if there is one.
    pub(crate) fn from_bits(bits: u64) -> Option<Self> {
        let code = Self(bits);
        code.law().map(|_| code)
    }

    /// Whether counters of this layout outlive a restart.
    pub(crate) fn life(self) -> Life {
        let is_long = match self.0 >> KIND_SHIFT {
            TOKEN_BUCKET | LEAKY_BUCKET => (self.0 >> LONG_SHIFT) & 1 == 1,
            _ => return Life::of(Micros::new(self.0 & LOW_MASK)),
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

impl Life {
    #[inline]
    pub(crate) const fn of(period: Micros) -> Self {
        if period.get() >= Period::HOUR.length().get() { Self::Long } else { Self::Short }
    }
}

/// The classes in use: a layout and the limit whose counters have it. They are given once and never taken
/// back. When most are given, further limits share one for each layout; when all are, further layouts go
/// to the side table.
#[derive(Debug)]
pub(crate) struct Classes {
    codes: Box<[AtomicU64; CLASSES]>,
    laws: Box<[OnceLock<Law>; CLASSES]>,
    owners: Box<[OnceLock<Owner>; CLASSES]>,
    /// How many are given.
    given: Mutex<usize>,
}

/// Which limit: a rule's of some period. It completes the identity of a key's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scope {
    pub(crate) rule: RuleId,
    /// The period's id.
    pub(crate) period: u64,
}

impl Scope {
    pub(crate) const fn new(rule: RuleId, period: Period) -> Self {
        let period = period.id();
        Self { rule, period }
    }
}

/// Whose counters have a class.
#[derive(Debug)]
struct Owner {
    /// `None` for one that limits share.
    scope: Option<Scope>,
    /// The largest amount that a limit of the class had so far.
    capacity: AtomicU64,
}

/// Classes that single limits may take.
const OWNED_MAX: usize = CLASSES * 3 / 4;

impl Classes {
    pub(crate) fn new() -> Self {
        Self {
            codes: Box::new([const { AtomicU64::new(0) }; CLASSES]),
            laws: Box::new([const { OnceLock::new() }; CLASSES]),
            owners: Box::new([const { OnceLock::new() }; CLASSES]),
            given: Mutex::new(0),
        }
    }

    /// The class of a limit's counters, given to it now if need be; `None` if they have run out.
    pub(crate) fn find_or_give(
        &self,
        code: Code,
        scope: Option<Scope>,
        capacity: u64,
    ) -> Option<u16> {
        let class = match self.find(code, scope).or_else(|| self.find(code, None)) {
            Some(class) if scope.is_none() || self.scope(class).is_some() => class,
            _ => self.give(code, scope)?,
        };
        let known = &self.owner(class)?.capacity;
        if known.load(Ordering::Relaxed) < capacity {
            known.fetch_max(capacity, Ordering::Relaxed);
        }
        Some(class)
    }

    /// What reads the states of a class; `None` for the empty class.
    #[inline]
    pub(crate) fn law(&self, class: u16) -> Option<&Law> {
        self.laws.get(usize::from(class))?.get()
    }

    /// The limit whose counters have the class, if only one's have.
    pub(crate) fn scope(&self, class: u16) -> Option<Scope> {
        self.owner(class)?.scope
    }

    /// The largest amount of its limits.
    pub(crate) fn capacity(&self, class: u16) -> u64 {
        let capacity = |owner: &Owner| owner.capacity.load(Ordering::Relaxed);
        self.owner(class).map_or(0, capacity)
    }

    pub(crate) fn code(&self, class: u16) -> Option<Code> {
        let code = self.codes.get(usize::from(class))?.load(Ordering::Acquire);
        (code != 0).then_some(Code(code))
    }

    fn find(&self, code: Code, scope: Option<Scope>) -> Option<u16> {
        let mut class = first_class(code, scope);
        for _ in 1..CLASSES {
            match self.code(class) {
                Some(found) if found == code && self.scope(class) == scope => return Some(class),
                None => return None,
                _ => class = next_class(class),
            }
        }
        None
    }

    fn give(&self, code: Code, scope: Option<Scope>) -> Option<u16> {
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        let scope = scope.filter(|_| *given < OWNED_MAX);
        if let Some(class) = self.find(code, scope) {
            return Some(class);
        }
        let law = code.law()?;
        let mut class = first_class(code, scope);
        for _ in 1..CLASSES {
            if self.code(class).is_none() {
                break;
            }
            class = next_class(class);
        }
        if self.code(class).is_some() {
            return None;
        }
        self.laws.get(usize::from(class))?.get_or_init(|| law);
        let owner = self.owners.get(usize::from(class))?;
        owner.get_or_init(|| Owner { scope, capacity: AtomicU64::new(0) });
        self.codes.get(usize::from(class))?.store(code.0, Ordering::Release);
        *given += 1;
        Some(class)
    }

    fn owner(&self, class: u16) -> Option<&Owner> {
        self.owners.get(usize::from(class))?.get()
    }
}

/// The class a layout would have if all were free. Class 0 is the empty one.
#[expect(clippy::cast_possible_truncation, reason = "folds a rule's number; ten bits are left")]
fn first_class(code: Code, scope: Option<Scope>) -> u16 {
    let (rule, period) = scope.map_or((0, 0), |it| (it.rule.get(), it.period.rotate_left(16)));
    let scope = (rule as u64 ^ (rule >> 64) as u64 ^ period).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (code.0 ^ scope.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let class = mixed >> (u64::BITS - CLASSES.ilog2());
    (class as u16).max(1)
}

#[inline]
const fn next_class(class: u16) -> u16 {
    if class as usize == CLASSES - 1 { 1 } else { class + 1 }
}
