//! The breaker that threads share.
//!
//! While it is closed or open a call costs one atomic load: one word says which it is, and what has to be
//! known for that. The rest goes through a lock that is held for nanoseconds.
//!
//! The model checker runs this file: see `tests/loom.rs`.

use std::sync::PoisonError;

use tollgate_core::Timestamp;

use super::{
    BreakerState,
    machine::{Machine, Outcome, Permit, Phase},
    sync::{AtomicU64, Mutex, MutexGuard, Ordering},
};

/// The lower bits of the sign say what the upper ones are.
const KIND_BITS: u32 = 2;
const KIND: u64 = (1 << KIND_BITS) - 1;
/// Closed; above it the generation.
const CLOSED: u64 = 0;
/// Open; above it the moment until which. A moment has 56 bits.
const OPEN: u64 = 1;
/// On the way back: the machine knows.
const RETURNING: u64 = 2;

/// A breaker between a server and its callers.
#[derive(Debug)]
pub(crate) struct Valve {
    /// What [`Valve::machine`] says, in short. Written under its lock.
    sign: AtomicU64,
    machine: Mutex<Machine>,
}

/// What the sign says.
enum Sign {
    Closed(Permit),
    Open { until: Timestamp },
    Returning,
}

impl Valve {
    /// Closed, and nothing known.
    pub(crate) fn new() -> Self {
        let machine = Machine::new();
        Self { sign: AtomicU64::new(sign(&machine)), machine: Mutex::new(machine) }
    }

    /// Leave to ask the server at `now`; none if it is not to be asked.
    pub(crate) fn admit(&self, now: Timestamp) -> Option<Permit> {
        match self.read() {
            Sign::Closed(permit) => Some(permit),
            Sign::Open { until } if now < until => None,
            _ => self.change(|machine| machine.admit(now)),
        }
    }

    /// The call ended like this at `now`.
    pub(crate) fn record(&self, permit: Permit, outcome: Outcome, now: Timestamp) {
        match self.read() {
            // What began before it opened tells nothing about how it will be later.
            Sign::Open { until } if now < until => {}
            Sign::Closed(current) if permit != current => {}
            _ => self.change(|machine| (machine.record(permit, outcome, now), ())),
        }
    }

    /// How the server is treated at `now`.
    pub(crate) fn state(&self, now: Timestamp) -> BreakerState {
        match self.read() {
            Sign::Closed(_) => BreakerState::Closed,
            Sign::Open { until } if now < until => BreakerState::Open,
            _ => self.lock().at(now).state(),
        }
    }

    /// How often it opened.
    pub(crate) fn opened(&self) -> u64 {
        self.lock().opened()
    }

    fn read(&self) -> Sign {
        let sign = self.sign.load(Ordering::Acquire);
        let value = sign >> KIND_BITS;
        match sign & KIND {
            CLOSED => Sign::Closed(Permit { generation: value }),
            OPEN => Sign::Open { until: Timestamp::from_micros(value) },
            _ => Sign::Returning,
        }
    }

    fn change<R>(&self, step: impl FnOnce(Machine) -> (Machine, R)) -> R {
        let mut machine = self.lock();
        let (next, result) = step(*machine);
        if next.generation() != machine.generation() {
            self.sign.store(sign(&next), Ordering::Release);
        }
        *machine = next;
        result
    }

    /// A machine is changed at a stroke, so it is whole even if somebody panicked.
    fn lock(&self) -> MutexGuard<'_, Machine> {
        self.machine.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn sign(machine: &Machine) -> u64 {
    match machine.phase() {
        Phase::Closed(_) => (machine.generation() << KIND_BITS) | CLOSED,
        Phase::Open { until } => (until.as_micros() << KIND_BITS) | OPEN,
        Phase::Returning(_) => RETURNING,
    }
}
