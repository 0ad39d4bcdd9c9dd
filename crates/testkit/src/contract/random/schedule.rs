//! Where the steps of a schedule come from.

use tollgate_core::{Micros, Now, Verdict};

use super::{
    super::rig::{DAY, H, MIN, MS, S},
    meter::Meter,
    op::{Ask, Op},
};
use crate::Rng;

/// Draws steps. It looks at the last answer, so that exact waits are among them.
#[derive(Debug)]
pub(super) struct Schedule {
    rng: Rng,
    keys: usize,
    elapsed: Elapsed,
}

/// What a store's clock promises of elapsed time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Elapsed {
    Steady,
    MayRunBack,
}

impl Schedule {
    pub(super) const fn new(rng: Rng, keys: usize, elapsed: Elapsed) -> Self {
        Self { rng, keys, elapsed }
    }

    pub(super) fn next(&mut self, meters: &[Meter], now: Now, last: Option<&Verdict>) -> Op {
        match self.rng.below(1_000) {
            ..700 => Op::Charge(self.asks(meters)),
            700..770 => Op::Peek(self.asks(meters)),
            770..830 => Op::Refund(self.asks(meters)),
            830..840 => Op::Reset(self.asks(meters)),
            840..865 => {
                let meter = self.rng.index(meters.len());
                let limit = meters[meter].any_limit(&mut self.rng);
                Op::Change { meter, limit }
            }
            865..990 => Op::Advance(Micros::new(self.pause(meters, now, last))),
            990..998 => self.step_wall(),
            _ if self.elapsed == Elapsed::Steady => self.step_wall(),
            _ => Op::SetBack(Micros::new(self.step())),
        }
    }

    fn step_wall(&mut self) -> Op {
        let by = i64::try_from(self.step()).expect("a few days");
        Op::StepWall(if self.rng.one_in(2) { by } else { -by })
    }

    fn asks(&mut self, meters: &[Meter]) -> Vec<Ask> {
        let several = if self.rng.one_in(3) { 1 + self.rng.below(4) } else { 1 };
        (0..several).map(|_| self.ask(meters)).collect()
    }

    fn ask(&mut self, meters: &[Meter]) -> Ask {
        let rng = &mut self.rng;
        // The first key of the first meters is hot.
        let few = if rng.one_in(2) { 3 } else { meters.len() };
        let meter = rng.index(few);
        let key = if rng.one_in(2) { 0 } else { rng.index(self.keys) };
        let capacity = meters[meter].limit().capacity();
        let hard = meters[meter].limit().law().capacity();
        let cost = match rng.below(32) {
            0 => 0,
            1..=16 => 1,
            17..=22 => 2 + rng.below(4),
            23..=25 => 1 + rng.below(hard),
            26 => capacity / 2,
            27 => capacity,
            28 => hard,
            29 => hard.saturating_add(1),
            30 => rng.word(),
            _ => u64::MAX,
        };
        Ask { meter, key, cost }
    }

    /// How long nothing happens: mostly not for long, often until something is due.
    fn pause(&mut self, meters: &[Meter], now: Now, last: Option<&Verdict>) -> u64 {
        let rng = &mut self.rng;
        let shown = last.and_then(|verdict| verdict.binding_index().map(|_| verdict.binding()));
        let retry = shown.and_then(|decision| decision.retry_after());
        let reset = shown.map(|decision| decision.reset_after());
        let due =
            |wait: Option<std::time::Duration>| wait.map_or(0, |wait| Micros::from(wait).get());
        let pause = match rng.below(40) {
            0..=5 => rng.below(10),
            6..=11 => rng.below(MS),
            12..=17 => rng.below(S),
            18..=20 => rng.below(MIN),
            21 => rng.below(H),
            22 => rng.below(2 * DAY),
            23 if rng.one_in(8) => rng.below(70 * DAY),
            23..=28 => due(retry),
            29..=31 => due(retry).saturating_sub(1),
            32 => due(reset),
            33 => due(reset).saturating_sub(1),
            34..=37 => until_edge(&meters[rng.index(meters.len())], now),
            _ => until_edge(&meters[rng.index(meters.len())], now).saturating_sub(1),
        };
        // Nobody waits for a bucket that takes centuries; time must last for the whole schedule.
        if pause > 100 * DAY { MS } else { pause }
    }

    /// By how much a clock is set.
    fn step(&mut self) -> u64 {
        let scale = self.rng.pick(&[MS, S, 10 * S, MIN, H, 2 * H, DAY, 2 * DAY]);
        1 + self.rng.below(scale)
    }
}

/// Time until the window of a meter ends.
fn until_edge(meter: &Meter, now: Now) -> u64 {
    let period = meter.limit().period();
    let next = period.start_of(period.window_at(now.wall) + 1);
    next.since(now.wall).get()
}
