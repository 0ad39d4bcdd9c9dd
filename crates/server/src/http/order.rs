//! Answers in the order of the questions.

use tollgate_wire::check::Problem;

use super::convert;
use crate::engine::{Answer, Ask, Engine};

/// Decides what can be decided, together, and hands over what came of each, in order.
pub(super) async fn decide_in_order<'a>(
    engine: &Engine,
    asked: impl ExactSizeIterator<Item = Result<Ask<'a>, Problem>>,
    mut each: impl FnMut(Result<Answer, Problem>),
) {
    let mut asks = Vec::with_capacity(asked.len());
    let mut problems = Vec::new();
    for (place, ask) in asked.enumerate() {
        match ask {
            Ok(ask) => asks.push(ask),
            Err(problem) => problems.push((place, problem)),
        }
    }
    let mut problems = problems.into_iter().peekable();
    let mut place = 0;
    let decided = engine.check_all(&asks, |answer| {
        while let Some((_, problem)) = problems.next_if(|(at, _)| *at == place) {
            each(Err(problem));
            place += 1;
        }
        each(answer.map_err(|refusal| convert::problem(&refusal)));
        place += 1;
    });
    decided.await;
    problems.for_each(|(_, problem)| each(Err(problem)));
}
