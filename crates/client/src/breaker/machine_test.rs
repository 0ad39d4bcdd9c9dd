//! The machine beside a slow model that keeps every outcome, on schedules made at random; and the stories of
//! its constants.
// Proves: U4

use proptest::prelude::{Just, ProptestConfig, Strategy, prop_oneof, proptest};
use tollgate_core::{Micros, Timestamp};
use tollgate_testkit::rounds;

use super::{
    BreakerState,
    machine::{Machine, Outcome, Permit},
    model::Model,
};

fn at(millis: u64) -> Timestamp {
    Timestamp::from_secs(1_000).saturating_add(Micros::from_millis(millis))
}

#[derive(Clone, Debug)]
enum Event {
    /// Time passes.
    Pass(u64),
    /// A call, which ends like this at once.
    Call(Outcome),
    /// A call that takes its time.
    Begin,
    /// One of those ends.
    End(usize, Outcome),
    /// Nobody waits for it any more.
    Drop(usize),
}

fn event(failures: f64) -> impl Strategy<Value = Event> {
    let outcome = move || {
        proptest::bool::weighted(failures).prop_map(|failed| match failed {
            true => Outcome::Failure,
            false => Outcome::Success,
        })
    };
    prop_oneof![
        12 => outcome().prop_map(Event::Call),
        3 => (0..2_000_u64).prop_map(Event::Pass),
        1 => prop_oneof![Just(9_999), Just(10_000), Just(29_999), Just(30_000)].prop_map(Event::Pass),
        4 => Just(Event::Begin),
        4 => (0..8_usize, outcome()).prop_map(|(index, outcome)| Event::End(index, outcome)),
        1 => (0..8_usize).prop_map(Event::Drop),
    ]
}

/// A machine and its model, side by side.
struct Pair {
    machine: Machine,
    model: Model,
    now: u64,
    /// What was let through: the permit, and the state of the model.
    under_way: Vec<(Permit, u64)>,
}

impl Pair {
    fn new() -> Self {
        Self { machine: Machine::new(), model: Model::new(), now: 0, under_way: Vec::new() }
    }

    fn begin(&mut self) -> bool {
        let (machine, permit) = self.machine.admit(at(self.now));
        self.machine = machine;
        assert_eq!(permit.is_some(), self.model.admit(self.now));
        self.under_way.extend(permit.map(|permit| (permit, self.model.past)));
        permit.is_some()
    }

    fn end(&mut self, index: usize, outcome: Outcome) {
        let (permit, state) = self.under_way.swap_remove(index);
        self.machine = self.machine.record(permit, outcome, at(self.now));
        self.model.record(state, outcome, self.now);
    }

    fn step(&mut self, event: &Event) {
        match event {
            Event::Pass(millis) => self.now += millis,
            Event::Call(outcome) => {
                if self.begin() {
                    self.end(self.under_way.len() - 1, *outcome);
                }
            }
            Event::Begin => {
                self.begin();
            }
            Event::End(index, outcome) if *index < self.under_way.len() => {
                self.end(*index, *outcome);
            }
            Event::Drop(index) if *index < self.under_way.len() => {
                self.under_way.swap_remove(*index);
            }
            Event::End(..) | Event::Drop(_) => {}
        }
        self.model.time_passes(self.now);
        assert_eq!(self.machine.at(at(self.now)).state(), self.model.state);
        // To look is to change nothing but what time has changed.
        self.machine = self.machine.at(at(self.now));
        assert_eq!(self.machine.opened(), self.model.opened);
    }
}

fn agree(events: &[Event]) {
    let mut pair = Pair::new();
    events.iter().for_each(|event| pair.step(event));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(rounds(4_000)))]

    #[test]
    fn the_machine_does_what_the_model_does(
        events in proptest::collection::vec(event(0.1), 1..400),
    ) {
        agree(&events);
    }

    #[test]
    fn so_it_does_when_nearly_all_is_well(
        events in proptest::collection::vec(event(0.04), 1..600),
    ) {
        agree(&events);
    }
}

/// Calls that end at once; how many were let through.
fn calls(machine: &mut Machine, count: usize, outcome: Outcome, millis: u64) -> usize {
    let mut admitted = 0;
    for _ in 0..count {
        let (next, permit) = machine.admit(at(millis));
        *machine = next;
        if let Some(permit) = permit {
            *machine = machine.record(permit, outcome, at(millis));
            admitted += 1;
        }
    }
    admitted
}

#[test]
fn a_tenth_of_failures_is_borne_and_more_is_not() {
    let mut machine = Machine::new();
    calls(&mut machine, 90, Outcome::Success, 0);
    calls(&mut machine, 10, Outcome::Failure, 0);
    assert_eq!(machine.state(), BreakerState::Closed);
    calls(&mut machine, 1, Outcome::Failure, 0);
    assert_eq!(
        machine.state(),
        BreakerState::Open,
        "11 of the last 100, the first success is forgotten"
    );
    let mut machine = Machine::new();
    calls(&mut machine, 19, Outcome::Failure, 0);
    assert_eq!(machine.state(), BreakerState::Closed, "19 prove nothing");
    calls(&mut machine, 1, Outcome::Success, 0);
    assert_eq!((machine.state(), machine.opened()), (BreakerState::Open, 1));
}

#[test]
fn it_returns_by_a_tenth_and_a_half() {
    let mut machine = Machine::new();
    calls(&mut machine, 20, Outcome::Failure, 0);
    assert_eq!(calls(&mut machine, 1_000, Outcome::Success, 29_999), 0);
    assert_eq!(calls(&mut machine, 190, Outcome::Success, 30_000), 19);
    assert_eq!(machine.state(), BreakerState::Returning(10));
    assert_eq!(calls(&mut machine, 1, Outcome::Success, 30_000), 1);
    assert_eq!(machine.state(), BreakerState::Returning(50));
    assert_eq!(calls(&mut machine, 38, Outcome::Success, 30_000), 19);
    assert_eq!(machine.state(), BreakerState::Returning(50));
    assert_eq!(calls(&mut machine, 1, Outcome::Success, 30_000), 1);
    assert_eq!(machine.state(), BreakerState::Closed);
    assert_eq!(calls(&mut machine, 19, Outcome::Failure, 30_000), 19);
    assert_eq!(machine.state(), BreakerState::Closed, "what was before is forgotten");
}

#[test]
fn a_server_that_nobody_heard_from_is_asked_again() {
    let mut machine = Machine::new();
    calls(&mut machine, 20, Outcome::Failure, 0);
    for stage in 0..5 {
        // One is let through, and never comes back.
        let (next, permit) = machine.admit(at(30_000 + stage * 10_000));
        assert!(permit.is_some());
        let (next, permit) = next.admit(at(39_999 + stage * 10_000));
        assert!(permit.is_none());
        machine = next;
    }
    assert_eq!(calls(&mut machine, 1, Outcome::Success, 80_000), 1);
    assert_eq!(machine.at(at(90_000)).state(), BreakerState::Returning(50));
}
