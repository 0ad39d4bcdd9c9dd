//! A thread that is held up between reading the clock and deciding is not a clock that was set back.

use std::sync::Mutex;

use tollgate_core::{
    AlgorithmName, Charge, Clock, Cost, CounterKey, ImmediateStore, Limit, ManualClock, Now, RuleId,
};
use tollgate_memory::MemoryStore;

/// Gives out readings taken long ago first, as a preempted thread would use them.
struct LateReadings {
    clock: ManualClock,
    late: Mutex<Vec<Now>>,
}

impl Clock for &LateReadings {
    fn now(&self) -> Now {
        self.late.lock().ok().and_then(|mut late| late.pop()).unwrap_or_else(|| self.clock.now())
    }
}

// A request read the clock three windows ago and was preempted; meanwhile others spent the budget of
// the present window. Moving their counts into the past would hand out a second budget.
// Proves: D3, D7
#[test]
fn a_held_up_request_moves_no_counts_into_the_past() {
    for name in [
        AlgorithmName::FixedWindow,
        AlgorithmName::SlidingWindow,
        AlgorithmName::SlidingLog,
        AlgorithmName::TokenBucket,
    ] {
        let limit = "10/10ms".parse::<Limit>().unwrap().with_algorithm(name).unwrap();
        let charge = [Charge::new(CounterKey::new(RuleId::default(), b"a"), &limit, Cost::ONE)];
        let clock = ManualClock::start();
        let readings = LateReadings { clock: clock.clone(), late: Mutex::default() };
        let store = MemoryStore::with_capacity(1_000, &readings);
        let long_ago = clock.now();
        clock.advance(std::time::Duration::from_millis(35));
        let admitted = || (0..20).filter(|_| store.charge_now(&charge).is_allowed()).count();
        assert_eq!(admitted(), 10, "{name}");
        for _ in 0..3 {
            readings.late.lock().unwrap().push(long_ago);
            assert_eq!(admitted(), 0, "{name}");
            let (first, second) = (charge[0], charge[0]);
            readings.late.lock().unwrap().push(long_ago);
            assert!(!store.charge_now(&[first, second]).is_allowed(), "{name}");
            assert_eq!(admitted(), 0, "{name}");
        }
    }
}
