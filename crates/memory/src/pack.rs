//! Algorithm states in 51 bits.
//!
//! Moments and window numbers are kept modulo a power of two that takes over a year to come round, so
//! a state is read back exactly unless it was left alone for longer than that.

use tollgate_core::{
    Algorithm, Answer, Bucket, BucketState, Cost, FixedState, FixedWindow, Law, LeakyBucket, Now,
    Period, SlidingState, SlidingWindow, State, TokenBucket,
};

use crate::{
    class::{BucketKind, Code, Life},
    word::{PAYLOAD_BITS, PAYLOAD_MASK},
};

/// An algorithm whose states fit a word.
pub(crate) trait Packed: Algorithm<State: Copy + PartialEq> {
    /// The layout; `None` if this limit's numbers are too large for a word.
    fn code(&self) -> Option<Code>;

    /// The state as payload; `None` if it does not fit, which takes a larger limit that came before.
    fn pack(&self, state: Self::State, now: Now) -> Option<u64>;

    /// The state a payload stands for.
    fn unpack(&self, payload: u64, now: Now) -> Self::State;

    /// Whether this reads the payloads of a class that `law` reads.
    fn reads_like(&self, law: &Law) -> bool;

    /// One step from payload to payload. The answer is read where it is made, so that what nobody reads
    /// is not computed.
    #[inline]
    fn step_packed<R>(
        &self,
        (payload, now): (u64, Now),
        cost: Cost,
        read: impl Fn(Answer) -> R,
    ) -> (R, Stepped) {
        let state = self.unpack(payload, now);
        let (answer, next) = self.step(state, now, cost);
        let answer = read(answer);
        if next == state {
            return (answer, Stepped::Unchanged);
        }
        match self.pack(next, now) {
            Some(payload) if !self.is_ahead(state, now) => (answer, Stepped::To(payload)),
            _ => (answer, Stepped::Elsewhere),
        }
    }

    /// Whether the state is so far ahead of `now` that the step re-bases it. Either a clock was set back,
    /// or this thread was held up since it read its own.
    fn is_ahead(&self, _state: Self::State, _now: Now) -> bool {
        false
    }

    fn wrap(state: Self::State) -> State;
}

/// What a step did to a payload.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stepped {
    Unchanged,
    To(u64),
    /// Not to be done in place: the state does not fit a payload, or is of a time that this thread has
    /// not seen yet.
    Elsewhere,
}

/// The most a packed bucket may owe. What a payload says beyond that is not a debt but a bucket that
/// was full long ago: the payload has come round since.
const DEBT_MAX: u64 = Bucket::NARROW_UNITS_MAX;

#[inline]
fn bucket_code(bucket: &Bucket, kind: BucketKind) -> Option<Code> {
    if !bucket.is_narrow() {
        return None;
    }
    let (amount, token) = (bucket.units_per_micro(), bucket.units_per_token());
    Code::bucket(kind, amount, token, Life::of(bucket.length()))
}

/// A moment in a narrow bucket's units, of which a payload keeps the lower part.
#[inline]
const fn narrow_units(bucket: &Bucket, now: Now) -> u64 {
    now.steady.as_micros().wrapping_mul(bucket.units_per_micro())
}

#[inline]
const fn narrow_debt(bucket: &Bucket, payload: u64, now: Now) -> u64 {
    let ahead = payload.wrapping_sub(narrow_units(bucket, now)) & PAYLOAD_MASK;
    if ahead < DEBT_MAX { ahead } else { 0 }
}

/// For how long, in units, a bucket has been full; zero if it is not.
pub(crate) const fn full_for(bucket: &Bucket, payload: u64, now: Now) -> u64 {
    if narrow_debt(bucket, payload, now) > 0 {
        return 0;
    }
    narrow_units(bucket, now).wrapping_sub(payload) & PAYLOAD_MASK
}

#[inline]
fn pack_bucket(bucket: &Bucket, state: BucketState, now: Now) -> Option<u64> {
    let debt = state.full_at.saturating_sub(bucket.units_at(now.steady));
    let debt = u64::try_from(debt).ok().filter(|debt| *debt < DEBT_MAX)?;
    Some(narrow_units(bucket, now).wrapping_add(debt) & PAYLOAD_MASK)
}

/// A payload does not say when it was written: elapsed time does not run backwards in one process.
#[inline]
fn unpack_bucket(bucket: &Bucket, payload: u64, now: Now) -> BucketState {
    let debt = u128::from(narrow_debt(bucket, payload, now));
    BucketState { full_at: bucket.units_at(now.steady) + debt, at: now.steady }
}

/// The lower `bits` of a number as a signed one.
#[inline]
const fn sign_extend(number: u64, bits: u32) -> i64 {
    let unused = u64::BITS - bits;
    (number << unused).cast_signed() >> unused
}

macro_rules! pack_buckets {
    ($($algorithm:ident is $kind:ident),*) => {$(
        impl Packed for $algorithm {
            #[inline]
            fn code(&self) -> Option<Code> {
                bucket_code(self.bucket(), BucketKind::$kind)
            }

            #[inline]
            fn pack(&self, state: BucketState, now: Now) -> Option<u64> {
                pack_bucket(self.bucket(), state, now)
            }

            #[inline]
            fn unpack(&self, payload: u64, now: Now) -> BucketState {
                unpack_bucket(self.bucket(), payload, now)
            }

            #[inline]
            fn reads_like(&self, law: &Law) -> bool {
                let Law::$algorithm(other) = law else { return false };
                let (this, other) = (self.bucket(), other.bucket());
                this.units_per_token() == other.units_per_token()
                    && this.units_per_micro() == other.units_per_micro()
                    && this.is_narrow()
            }

            #[inline]
            fn step_packed<R>(
                &self,
                (payload, now): (u64, Now),
                cost: Cost,
                read: impl Fn(Answer) -> R,
            ) -> (R, Stepped) {
                let debt = narrow_debt(self.bucket(), payload, now);
                let (answer, next) = self.step_narrow(debt, cost);
                let answer = read(answer);
                if next == debt {
                    return (answer, Stepped::Unchanged);
                }
                let payload = narrow_units(self.bucket(), now).wrapping_add(next);
                (answer, Stepped::To(payload))
            }

            fn wrap(state: BucketState) -> State {
                State::Bucket(state)
            }

        }
    )*};
}

pack_buckets!(TokenBucket is Token, LeakyBucket is Leaky);

/// How a window's payload is cut: its number below, its counts above.
#[derive(Clone, Copy)]
struct Cut {
    number_bits: u32,
    count_bits: u32,
}

impl Cut {
    /// Window numbers come round after 2^46 µs, more than two years, or 1,024 windows, whichever is
    /// longer; half of that tells past from future.
    #[inline]
    fn new(period: Period, counts: u32) -> Self {
        const ROUND_BITS: u32 = 46;
        const NUMBER_BITS_MIN: u32 = 10;
        let length_bits = period.length().get().ilog2();
        let number_bits = ROUND_BITS.saturating_sub(length_bits).max(NUMBER_BITS_MIN);
        Self { number_bits, count_bits: (PAYLOAD_BITS - number_bits) / counts }
    }

    #[inline]
    const fn count_max(self) -> u64 {
        (1 << self.count_bits) - 1
    }

    #[inline]
    const fn number(self, payload: u64, present: u64) -> u64 {
        let ahead = sign_extend(payload.wrapping_sub(present), self.number_bits);
        present.saturating_add_signed(ahead)
    }

    #[inline]
    const fn number_of(self, window: u64) -> u64 {
        window & ((1 << self.number_bits) - 1)
    }
}

impl Packed for FixedWindow {
    #[inline]
    fn code(&self) -> Option<Code> {
        let fits = self.capacity() < Cut::new(self.period(), 1).count_max();
        fits.then(|| Code::fixed_window(self.period()))
    }

    #[inline]
    fn reads_like(&self, law: &Law) -> bool {
        let Law::FixedWindow(other) = law else {
            return false;
        };
        self.period() == other.period() && self.capacity() < Cut::new(self.period(), 1).count_max()
    }

    #[inline]
    fn pack(&self, state: FixedState, _now: Now) -> Option<u64> {
        let cut = Cut::new(self.period(), 1);
        let fits = state.used <= cut.count_max();
        fits.then(|| cut.number_of(state.window) | state.used << cut.number_bits)
    }

    #[inline]
    fn unpack(&self, payload: u64, now: Now) -> FixedState {
        let cut = Cut::new(self.period(), 1);
        let window = cut.number(payload, self.period().window_at(now.wall));
        FixedState { window, used: payload >> cut.number_bits }
    }

    #[inline]
    fn is_ahead(&self, state: FixedState, now: Now) -> bool {
        state.window > self.period().window_at(now.wall) + 1
    }

    fn wrap(state: FixedState) -> State {
        State::Fixed(state)
    }
}

impl Packed for SlidingWindow {
    #[inline]
    fn code(&self) -> Option<Code> {
        let fits = self.capacity() < Cut::new(self.period(), 2).count_max();
        fits.then(|| Code::sliding_window(self.period()))
    }

    #[inline]
    fn reads_like(&self, law: &Law) -> bool {
        let Law::SlidingWindow(other) = law else {
            return false;
        };
        self.period() == other.period() && self.capacity() < Cut::new(self.period(), 2).count_max()
    }

    #[inline]
    fn pack(&self, state: SlidingState, _now: Now) -> Option<u64> {
        let cut = Cut::new(self.period(), 2);
        let fits = state.current.max(state.previous) <= cut.count_max();
        let current = state.current << cut.number_bits;
        let previous = state.previous << (cut.number_bits + cut.count_bits);
        fits.then(|| cut.number_of(state.window) | current | previous)
    }

    #[inline]
    fn unpack(&self, payload: u64, now: Now) -> SlidingState {
        let cut = Cut::new(self.period(), 2);
        let window = cut.number(payload, self.period().window_at(now.wall));
        let current = (payload >> cut.number_bits) & cut.count_max();
        let previous = (payload >> (cut.number_bits + cut.count_bits)) & cut.count_max();
        SlidingState { window, current, previous }
    }

    #[inline]
    fn is_ahead(&self, state: SlidingState, now: Now) -> bool {
        state.window > self.period().window_at(now.wall) + 1
    }

    fn wrap(state: SlidingState) -> State {
        State::Sliding(state)
    }
}
