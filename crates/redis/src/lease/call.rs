//! What lease.lua is asked, and what it answers.

use redis::Value;
use tollgate_core::{Limit, Micros, Now, Timestamp};

use crate::{
    exact::{Former, digits, write_limit},
    key::Key,
};

/// Keys that travel in one call.
pub(crate) const TOGETHER_MAX: usize = 64;

/// What is asked of one key.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) key: Key,
    pub(crate) limit: Limit,
    /// Whether the limit lately replaced one of another period.
    pub(crate) former: Former,
    pub(crate) sequence: u64,
    /// The call before, which granted what this one settles.
    pub(crate) previous: u64,
    pub(crate) spent: u64,
    /// Given up already.
    pub(crate) returned: u64,
    pub(crate) want: u64,
    pub(crate) least: u64,
    pub(crate) most: u64,
    pub(crate) life: Micros,
    pub(crate) asserted: Asserted,
}

impl Question {
    /// Wants nothing, and only tells what was taken of a counter.
    pub(crate) fn telling((key, limit): (Key, Limit), sequence: u64, asserted: Asserted) -> Self {
        Self {
            key,
            limit,
            former: Former::None,
            sequence,
            previous: 0,
            spent: 0,
            returned: 0,
            want: 0,
            least: 0,
            most: 0,
            life: Micros::ZERO,
            asserted,
        }
    }
}

/// What this node has taken as far as it knows, in case Redis does not know any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asserted {
    /// In all; 0 if nothing is to be asserted.
    pub(crate) known: u64,
    /// Of that, in the window of `at`, or what can still count.
    pub(crate) present: u64,
    /// Of that, in the window before.
    pub(crate) before: u64,
    pub(crate) at: Timestamp,
}

/// What came of one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Granted(Grant),
    /// Too little is left of the window.
    Collapse(Grant),
    /// The counter is of another limit; an exact decision carries it over.
    Odd,
    /// It is not there, and may have been lost.
    Unknown,
    /// It holds what is not ours.
    Foreign,
    /// A later call came before.
    Stale,
}

/// A slice, and how the pool is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Grant {
    /// 1 if the lease before was known, so that what was not settled of it stays with its holder.
    pub(crate) kept: u64,
    pub(crate) granted: u64,
    /// From the moment at which Redis answered.
    pub(crate) life: Micros,
    /// Tokens in the pool.
    pub(crate) left: u64,
    /// Until there are some.
    pub(crate) wait: Micros,
    /// Until the window ends, or the bucket is full.
    pub(crate) reset: Micros,
    /// Tokens that other nodes hold.
    pub(crate) outstanding: u64,
    /// Nodes that lease, this one included.
    pub(crate) holders: u64,
    /// What this node has taken in all.
    pub(crate) total: u64,
    /// What of that had been lost, in the units of totals.
    pub(crate) lost: u64,
}

/// What the script is given, but for the time in tests.
pub(crate) fn args(node: &str, since: Timestamp, questions: &[Question]) -> Vec<Vec<u8>> {
    let mut limits: Vec<(&Limit, Former)> = Vec::new();
    let mut numbers = Vec::with_capacity(questions.len() * 13);
    for question in questions {
        let limit = (&question.limit, question.former);
        let known = limits.iter().position(|one| *one == limit);
        let place = known.unwrap_or(limits.len());
        if known.is_none() {
            limits.push(limit);
        }
        let Asserted { known, present, before, at } = question.asserted;
        numbers.push(digits(place + 1));
        let rest = [
            question.sequence,
            question.previous,
            question.spent,
            question.returned,
            question.want,
            question.least,
            question.most,
            question.life.get(),
            known,
            present,
            before,
            at.as_micros(),
        ];
        numbers.extend(rest.map(digits));
    }
    let since = digits(since.as_micros());
    let mut args = vec![node.as_bytes().to_vec(), since, digits(limits.len())];
    for (limit, former) in limits {
        write_limit(limit, former, &mut args);
    }
    args.extend(numbers);
    args
}

/// The answers, in order; `None` if no script of ours replies like this.
pub(crate) fn read(value: &Value) -> Option<(Now, Vec<Answer>)> {
    let Value::Array(values) = value else {
        return None;
    };
    let mut texts = values.iter().map(text);
    let mut moment = || Some(Timestamp::from_micros(texts.next()??.parse().ok()?));
    let now = Now { wall: moment()?, steady: moment()? };
    let answers = texts.map(|text| answer(text?)).collect::<Option<_>>()?;
    Some((now, answers))
}

fn text(value: &Value) -> Option<&str> {
    match value {
        Value::BulkString(bytes) => std::str::from_utf8(bytes).ok(),
        Value::SimpleString(text) => Some(text),
        _ => None,
    }
}

fn answer(text: &str) -> Option<Answer> {
    let mut words = text.split(' ');
    let word = words.next()?;
    let mut next = || words.next()?.parse::<u64>().ok();
    let mut grant = || {
        Some(Grant {
            kept: next()?,
            granted: next()?,
            life: Micros::new(next()?),
            left: next()?,
            wait: Micros::new(next()?),
            reset: Micros::new(next()?),
            outstanding: next()?,
            holders: next()?,
            total: next()?,
            lost: next()?,
        })
    };
    Some(match word {
        "ok" => Answer::Granted(grant()?),
        "collapse" => Answer::Collapse(grant()?),
        "odd" => Answer::Odd,
        "unknown" => Answer::Unknown,
        "foreign" => Answer::Foreign,
        "stale" => Answer::Stale,
        _ => return None,
    })
}
