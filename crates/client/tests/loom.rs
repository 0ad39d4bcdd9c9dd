//! The model checker runs the shipped valve and the shipped claim through every interleaving, and every value that a processor with
//! weak memory may read, of a few threads. A binary of its own: the files it includes from `src` name other
//! modules by `crate::`.
// Proves: U4

use loom::{sync::Arc, thread};
use tollgate_core::{Micros, Timestamp};

use machine::Outcome;
use valve::Valve;

#[path = "../src/transport/claim.rs"]
mod claim;
#[path = "../src/breaker/machine.rs"]
#[allow(dead_code, reason = "the client uses all of it")]
mod machine;
#[path = "../src/ramp.rs"]
#[allow(dead_code, reason = "the client uses all of it")]
mod ramp;
/// What the files `sync.rs` are to the client, from the model checker.
mod sync {
    pub(super) use loom::sync::{
        Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicU64, Ordering},
    };
}
#[path = "../src/breaker/valve.rs"]
#[allow(dead_code, reason = "the client uses all of it")]
mod valve;

/// As in `src/breaker/mod.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BreakerState {
    Closed,
    Open,
    Returning(u8),
}

const START: Timestamp = Timestamp::from_secs(1_000);

fn after(secs: u64) -> Timestamp {
    START.saturating_add(Micros::from_secs(secs))
}

/// Calls that end at once, one after the other.
#[expect(clippy::expect_used, reason = "part of the tests below")]
fn calls(valve: &Valve, count: usize, outcome: Outcome, now: Timestamp) {
    for _ in 0..count {
        let permit = valve.admit(now).expect("let through");
        valve.record(permit, outcome, now);
    }
}

/// Open since [`START`].
fn open() -> Valve {
    let valve = Valve::new();
    calls(&valve, 20, Outcome::Failure, START);
    assert_eq!(valve.state(START), BreakerState::Open);
    valve
}

/// Two threads fail where one failure is one too few: no outcome is lost, and it opens once.
#[test]
fn failures_at_once_open_it_once() {
    loom::model(|| {
        let valve = Arc::new(Valve::new());
        calls(&valve, 18, Outcome::Failure, START);
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let valve = Arc::clone(&valve);
                thread::spawn(move || {
                    let permit = valve.admit(START).expect("let through");
                    valve.record(permit, Outcome::Failure, START);
                })
            })
            .collect();
        for thread in threads {
            thread.join().expect("a thread");
        }
        assert_eq!(valve.state(START), BreakerState::Open);
        assert_eq!((valve.opened(), valve.admit(START)), (1, None));
    });
}

/// Failures that come when it is open already neither open it again nor keep it open for longer.
#[test]
fn a_late_failure_changes_nothing() {
    loom::model(|| {
        let valve = Arc::new(Valve::new());
        let late: Vec<_> = (0..2).filter_map(|_| valve.admit(START)).collect();
        calls(&valve, 19, Outcome::Failure, START);
        let threads: Vec<_> = late
            .into_iter()
            .zip([0, 20])
            .map(|(permit, secs)| {
                let valve = Arc::clone(&valve);
                thread::spawn(move || {
                    valve.record(permit, Outcome::Failure, after(secs));
                    assert_eq!(valve.admit(after(secs)), None, "open for all to see");
                    secs
                })
            })
            .collect();
        for thread in threads {
            thread.join().expect("a thread");
        }
        assert_eq!(valve.opened(), 1);
        assert_eq!(valve.state(after(50)), BreakerState::Returning(10));
    });
}

/// When the time is over, one of ten is let through, whoever comes first.
#[test]
fn one_is_let_through_when_the_time_is_over() {
    loom::model(|| {
        let valve = Arc::new(open());
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let valve = Arc::clone(&valve);
                thread::spawn(move || valve.admit(after(30)).is_some())
            })
            .collect();
        let admitted = threads.into_iter().map(|thread| thread.join().expect("a thread"));
        assert_eq!(admitted.filter(|is_admitted| *is_admitted).count(), 1);
        assert_eq!(valve.state(after(30)), BreakerState::Returning(10));
    });
}

/// A stage ends by time while an outcome of it comes in: the stage is left once, for the next one.
#[test]
fn no_stage_is_skipped_and_none_is_lost() {
    loom::model(|| {
        let valve = Arc::new(open());
        let permit = valve.admit(after(30)).expect("the first of ten");
        let other = {
            let valve = Arc::clone(&valve);
            thread::spawn(move || valve.record(permit, Outcome::Success, after(40)))
        };
        // Begins the stage anew if nothing was heard in it yet; then it ends ten seconds later.
        valve.admit(after(40));
        other.join().expect("a thread");
        assert_eq!(valve.state(after(50)), BreakerState::Returning(50));
        assert_eq!(valve.opened(), 1);
    });
}

/// Whoever read that it was closed and then fails late does no harm to what came after.
#[test]
fn an_outcome_of_another_state_counts_nothing() {
    loom::model(|| {
        let valve = Arc::new(Valve::new());
        let early = valve.admit(START).expect("closed");
        calls(&valve, 20, Outcome::Failure, START);
        let permit = valve.admit(after(30)).expect("the first of ten");
        let threads = [early, early].map(|permit| {
            let valve = Arc::clone(&valve);
            thread::spawn(move || valve.record(permit, Outcome::Failure, after(30)))
        });
        valve.record(permit, Outcome::Success, after(30));
        for thread in threads {
            thread.join().expect("a thread");
        }
        assert_eq!(valve.state(after(40)), BreakerState::Returning(50));
        assert_eq!(valve.opened(), 1);
    });
}

/// A call is written by its connection or taken back by its caller, never both and never neither: a server that is
/// asked in its place is the only one.
#[test]
fn a_call_is_written_or_taken_back() {
    loom::model(|| {
        let claim = Arc::new(claim::Claim::new());
        let connection = thread::spawn({
            let claim = Arc::clone(&claim);
            move || claim.take()
        });
        let is_withdrawn = claim.take();
        let is_written = connection.join().unwrap();
        assert_ne!(is_withdrawn, is_written);
        assert!(!claim.take(), "it is gone either way");
    });
}
