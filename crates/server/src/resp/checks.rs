//! Checks that follow one another are decided together.

use smallvec::SmallVec;
use tollgate_wire::resp::Encoder;

use super::{convert, run::Desk};
use crate::{
    engine::{Answer, Ask, Engine, Refusal, UNDER_WAY_MAX},
    telemetry::{Protocol, Turned},
};

/// How many are gathered before they are decided. The gate takes as many at a time, and counters that are
/// waited for more.
const GATHERED_MAX: usize = 16;

/// Checks that were read and not answered yet.
#[derive(Debug)]
pub(super) struct Checks<'i> {
    asks: SmallVec<[Ask<'i>; GATHERED_MAX]>,
}

impl<'i> Checks<'i> {
    pub(super) fn new() -> Self {
        Self {
            asks: SmallVec::new(),
        }
    }

    pub(super) fn push(&mut self, ask: Ask<'i>) {
        self.asks.push(ask);
    }

    pub(super) fn is_full(&self, engine: &Engine) -> bool {
        let most = if engine.waits() {
            UNDER_WAY_MAX
        } else {
            GATHERED_MAX
        };
        self.asks.len() >= most
    }

    /// Decides what was gathered and writes the answers, in order.
    pub(super) async fn answer(&mut self, desk: &Desk<'_>, output: &mut Vec<u8>) {
        let engine = desk.engine;
        if self.asks.is_empty() {
            return;
        }
        let mut reply = Encoder::new(output, desk.client.version);
        let mut asks = self.asks.iter();
        let answered = engine.check_all(&self.asks, |answer| {
            if let Some(ask) = asks.next() {
                write(&mut reply, desk, ask, answer);
            }
        });
        answered.await;
        self.asks.clear();
    }
}

/// Writes what came of a check.
#[inline]
pub(super) fn write(
    reply: &mut Encoder<'_>,
    desk: &Desk<'_>,
    ask: &Ask<'_>,
    answer: Result<Answer, Refusal>,
) {
    let engine = desk.engine;
    match answer {
        Ok(answer) if ask.query.is_told_in_full() => {
            let callers = || engine.recorder().callers().told();
            let callers = desk.may_state().then(callers);
            convert::in_full(reply, &answer, callers);
        }
        Ok(answer) => convert::ruling(reply, &answer.ruling),
        Err(refusal) => {
            turned_away(engine, &refusal);
            convert::refusal(reply, &refusal);
        }
    }
}

/// Counts those who found no rules at all.
pub(super) fn turned_away(engine: &Engine, refusal: &Refusal) {
    if *refusal == Refusal::NoSnapshot {
        let recorder = engine.recorder();
        recorder.turned_away(Protocol::Resp, Turned::NoSnapshot);
    }
}
