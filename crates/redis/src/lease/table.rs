//! Where the keys are that this node leases: a table of fixed size.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{
        AtomicUsize,
        Ordering::{Acquire, Relaxed, Release},
    },
};

use super::{
    holder::Holder,
    line::{Line, Margin},
    wallet::Wallet,
};

/// Keys that can be leased at once. All others are counted exactly.
pub(crate) const KEYS_MAX: usize = 1 << 17;
/// The same of a node that leases nothing.
pub(crate) const KEYS_MIN: usize = 1;
/// How far from its home a key may live.
const PROBES_MAX: usize = 16;
/// What a line says that nobody ever had, and one that was given up.
const EMPTY: u64 = 0;
const FREE: u64 = 1;

/// A place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Place(u32);

/// The table. Whoever looks for a key takes no lock; whoever settles one takes its own.
#[derive(Debug)]
pub(crate) struct Table {
    lines: Box<[Line]>,
    margins: Box<[Margin]>,
    holders: Box<[Mutex<Option<Box<Holder>>>]>,
    /// Held to give a key a place.
    giving: Mutex<()>,
    used: AtomicUsize,
}

impl Table {
    /// With room for this many keys, a power of two.
    pub(crate) fn new(keys: usize) -> Self {
        Self {
            lines: (0..keys).map(|_| Line::default()).collect(),
            margins: (0..keys).map(|_| Margin::default()).collect(),
            holders: (0..keys).map(|_| Mutex::default()).collect(),
            giving: Mutex::default(),
            used: AtomicUsize::new(0),
        }
    }
}

impl Table {
    /// The places that a key may have, the first first.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "takes as many bits as there are places")]
    fn probes(&self, print: u64) -> impl Iterator<Item = Place> + use<> {
        let (home, mask) = (print >> 32, self.lines.len() as u64 - 1);
        (0..PROBES_MAX as u64).map(move |step| Place((home.wrapping_add(step) & mask) as u32))
    }

    /// Fingerprints begin here; odds are as good that a key has a smaller one as that two have the same.
    #[inline]
    pub(crate) fn print(fingerprint: u64) -> u64 {
        fingerprint.max(FREE + 1)
    }

    /// Keys that have a place.
    pub(crate) fn len(&self) -> usize {
        self.used.load(Relaxed)
    }

    #[inline]
    pub(crate) fn find(&self, print: u64) -> Option<(Place, &Line)> {
        for place in self.probes(print) {
            let line = self.line(place)?;
            match line.print.load(Acquire) {
                found if found == print => return Some((place, line)),
                EMPTY => return None,
                _ => {}
            }
        }
        None
    }

    #[inline]
    pub(crate) fn line(&self, Place(place): Place) -> Option<&Line> {
        self.lines.get(usize::try_from(place).unwrap_or(usize::MAX))
    }

    pub(crate) fn margin(&self, Place(place): Place) -> Option<&Margin> {
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        self.margins.get(place)
    }

    pub(crate) fn holder(
        &self,
        Place(place): Place,
    ) -> Option<MutexGuard<'_, Option<Box<Holder>>>> {
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        let holder = self.holders.get(place)?;
        Some(holder.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The same, unless somebody else holds it.
    pub(crate) fn try_holder(
        &self,
        Place(place): Place,
    ) -> Option<MutexGuard<'_, Option<Box<Holder>>>> {
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        self.holders.get(place)?.try_lock().ok()
    }

    /// Gives a key a place, unless it has one or there is none.
    pub(crate) fn insert(
        &self,
        print: u64,
        tag: u64,
        make: impl FnOnce() -> Holder,
    ) -> Option<Place> {
        let _giving = self.giving.lock().unwrap_or_else(PoisonError::into_inner);
        if self.find(print).is_some() {
            return None;
        }
        let is_free = |place: &Place| {
            let line = self.line(*place);
            line.is_some_and(|line| line.print.load(Acquire) <= FREE)
        };
        let place = self.probes(print).find(is_free)?;
        *self.holder(place)? = Some(Box::new(make()));
        let (line, margin) = (self.line(place)?, self.margin(place)?);
        // Whoever found the key that was here before may have left something behind.
        margin.clear(line);
        line.tag.store(tag, Release);
        line.print.store(print, Release);
        self.used.fetch_add(1, Relaxed);
        Some(place)
    }

    /// Gives up a place whose tokens were given up. Its holder must be held.
    pub(crate) fn remove(&self, place: Place, holder: &mut Option<Box<Holder>>) {
        let (Some(line), Some(margin)) = (self.line(place), self.margin(place)) else {
            return;
        };
        // Taken before the place is free: whoever gives it away holds this, and waits for no holder but a free one's.
        let _giving = self.giving.lock().unwrap_or_else(PoisonError::into_inner);
        if holder.take().is_some() {
            line.print.store(FREE, Release);
            Wallet::of(line, margin).empty();
            margin.watch.store(None);
            margin.clear(line);
            self.shorten(place);
            self.used.fetch_sub(1, Relaxed);
        }
    }

    /// Lets searches end earlier: no key lives beyond a line that nobody ever had.
    fn shorten(&self, Place(place): Place) {
        let count = u32::try_from(self.lines.len()).unwrap_or(u32::MAX);
        let wrapped = |place: u32| Place(place & count.saturating_sub(1));
        let is = |place: Place, print: u64| {
            let line = self.line(place);
            line.is_some_and(|line| line.print.load(Acquire) == print)
        };
        if !is(wrapped(place.wrapping_add(1)), EMPTY) {
            return;
        }
        let steps = (0_u32..).take(PROBES_MAX);
        let before = steps.map(|step| wrapped(place.wrapping_sub(step)));
        for free in before.take_while(|place| is(*place, FREE)) {
            if let Some(line) = self.line(free) {
                line.print.store(EMPTY, Release);
            }
        }
    }

    /// Every place that somebody has.
    pub(crate) fn places(&self) -> impl Iterator<Item = Place> + '_ {
        let is_used = |(_, line): &(u32, &Line)| line.print.load(Acquire) > FREE;
        (0..).zip(&self.lines).filter(is_used).map(|(place, _)| Place(place))
    }
}
