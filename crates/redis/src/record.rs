//! States as they lie in Redis.
//!
//! A state is a text: a version, a letter for the law, for buckets the rate, and numbers. Small letters are for what
//! scripts cannot count exactly; only this side reads those. A state whose beginning is that of the limit in
//! force is gone on from; any other is carried over (D14).

use std::str::FromStr;

use tollgate_core::{
    AlgorithmName, Bucket, BucketState, FixedState, FixedWindow, Law, LeakyBucket, Limit, Log,
    LogEntry, Period, SlidingLog, SlidingState, SlidingWindow, State, Timestamp, TokenBucket,
};

use crate::{custom, lease::Held};

/// The version of everything below: another one is read by another release.
const VERSION: char = '1';

/// A state with the law that it was counted by.
#[derive(Clone, Debug)]
pub(crate) struct Counted {
    pub(crate) law: Law,
    pub(crate) state: State,
}

/// The first of these numbers that a script cannot hold.
const EXACT: u128 = 1 << 53;

/// What the states of a limit begin with, as scripts write them.
pub(crate) fn header(limit: &Limit) -> String {
    match limit.law() {
        Law::TokenBucket(law) => bucket_header('T', law.bucket()),
        Law::LeakyBucket(law) => bucket_header('Q', law.bucket()),
        Law::FixedWindow(_) => format!("{VERSION}F "),
        Law::SlidingWindow(_) => format!("{VERSION}S "),
        Law::SlidingLog(_) => format!("{VERSION}L "),
        law => format!("{VERSION}c{:016x} ", custom::fingerprint(law)),
    }
}

fn bucket_header(letter: char, bucket: &Bucket) -> String {
    let (micro, token) = (bucket.units_per_micro(), bucket.units_per_token());
    format!("{VERSION}{letter}{micro}/{token} ")
}

/// The state under this limit as text.
pub(crate) fn write(limit: &Limit, state: &State) -> String {
    let mut text = header(limit);
    match (limit.law(), state) {
        (Law::TokenBucket(law), State::Bucket(state)) => {
            write_bucket(law.bucket(), *state, &mut text);
        }
        (Law::LeakyBucket(law), State::Bucket(state)) => {
            write_bucket(law.bucket(), *state, &mut text);
        }
        (_, State::Fixed(state)) => put(&mut text, &[state.window.into(), state.used.into()]),
        (_, State::Sliding(state)) => {
            let numbers = [state.window, state.current, state.previous];
            put(&mut text, &numbers.map(u128::from));
        }
        (_, State::Log(log)) => write_log(log, &mut text),
        (_, State::Custom(words)) => put(&mut text, &words.map(u128::from)),
        // No law is paired with the state of another.
        _ => {}
    }
    text
}

fn write_bucket(bucket: &Bucket, state: BucketState, text: &mut String) {
    let per_micro = u128::from(bucket.units_per_micro()).max(1);
    let (full, rest) = (state.full_at / per_micro, state.full_at % per_micro);
    put(text, &[full, rest, state.at.as_micros().into()]);
}

fn write_log(log: &Log, text: &mut String) {
    let counted = log.entries().iter().filter(|entry| entry.cost > 0);
    let sum = counted.clone().map(|entry| u128::from(entry.cost)).sum();
    let mut entries: Vec<&LogEntry> = counted.collect();
    let newest = entries.pop();
    let (at, cost) = newest.map_or((0, 0), |entry| (entry.at.as_micros(), entry.cost));
    put(text, &[sum, at.into(), cost.into()]);
    text.push(' ');
    for entry in entries {
        text.push_str(&format!("{}:{};", entry.at.as_micros(), entry.cost));
    }
}

/// Appends the numbers; if one of them is beyond scripts, the law's letter says so.
fn put(text: &mut String, numbers: &[u128]) {
    let letter = text.get(1..2).map(str::to_ascii_lowercase);
    if let Some(letter) = letter.filter(|_| numbers.iter().any(|number| *number >= EXACT)) {
        text.replace_range(1..2, &letter);
    }
    for (place, number) in numbers.iter().enumerate() {
        let space = if place == 0 { "" } else { " " };
        text.push_str(space);
        text.push_str(&number.to_string());
    }
}

/// Reads what a record of this period comes to at a moment: its state, and the leases on it. `None` if it is none that
/// this release knows.
pub(crate) fn read(record: &str, period: Period, steady: Timestamp) -> Option<(Counted, Held)> {
    let (text, held) = Held::split(record);
    let mut counted = read_state(text, period)?;
    if let (Law::TokenBucket(law), State::Bucket(state)) = (&counted.law, &counted.state)
        && held != Held::default()
    {
        counted.state = State::Bucket(held.hold(law.bucket(), *state, steady));
    }
    Some((counted, held))
}

fn read_state(text: &str, period: Period) -> Option<Counted> {
    let (head, numbers) = text.strip_prefix(VERSION)?.split_once(' ')?;
    let (letter, rate) = head.split_at_checked(1)?;
    let counted = |law, state| Some(Counted { law, state });
    match letter.to_ascii_uppercase().as_str() {
        "T" => {
            let (micro, token) = read_rate(rate)?;
            let law = TokenBucket::of_rate(micro, token, u64::MAX);
            counted(Law::TokenBucket(law), read_bucket(micro, numbers)?)
        }
        "Q" => {
            let (micro, token) = read_rate(rate)?;
            let law = LeakyBucket::of_rate(micro, token, u64::MAX);
            counted(Law::LeakyBucket(law), read_bucket(micro, numbers)?)
        }
        "F" => {
            let [window, used] = read_numbers(numbers)?;
            let law = FixedWindow::new(u64::MAX, period);
            counted(Law::FixedWindow(law), State::Fixed(FixedState { window, used }))
        }
        "S" => {
            let [window, current, previous] = read_numbers(numbers)?;
            let law = SlidingWindow::new(u64::MAX, period);
            let state = SlidingState { window, current, previous };
            counted(Law::SlidingWindow(law), State::Sliding(state))
        }
        "L" => {
            let law = SlidingLog::new(u64::MAX, period.length());
            counted(Law::SlidingLog(law), State::Log(read_log(numbers)?))
        }
        "C" => {
            let law = custom::known(u64::from_str_radix(rate, 16).ok()?)?;
            counted(law, State::Custom(read_numbers(numbers)?))
        }
        _ => None,
    }
}

fn read_rate(text: &str) -> Option<(u64, u64)> {
    let (micro, token) = text.split_once('/')?;
    let rate = (micro.parse().ok()?, token.parse().ok()?);
    (rate.0 > 0 && rate.1 > 0).then_some(rate)
}

fn read_bucket(per_micro: u64, numbers: &str) -> Option<State> {
    let [full, rest, at]: [u128; 3] = read_numbers(numbers)?;
    let full_at = full.checked_mul(per_micro.into())?.checked_add(rest)?;
    let at = Timestamp::from_micros(u64::try_from(at).ok()?);
    Some(State::Bucket(BucketState { full_at, at }))
}

fn read_numbers<T: FromStr + Copy + Default, const N: usize>(text: &str) -> Option<[T; N]> {
    let mut numbers = [T::default(); N];
    let mut words = text.split(' ');
    for number in &mut numbers {
        *number = words.next()?.parse().ok()?;
    }
    words.next().is_none().then_some(numbers)
}

fn read_log(text: &str) -> Option<Log> {
    let mut words = text.splitn(4, ' ');
    let _sum: u64 = words.next()?.parse().ok()?;
    let (newest, latest) = (words.next()?, words.next()?);
    let mut entries = Vec::new();
    for entry in words.next()?.split_terminator(';') {
        let (at, cost) = entry.split_once(':')?;
        entries.push(read_entry(at, cost)?);
    }
    entries.push(read_entry(newest, latest)?);
    entries.retain(|entry| entry.cost > 0);
    Some(Log::new(entries))
}

fn read_entry(at: &str, cost: &str) -> Option<LogEntry> {
    Some(LogEntry { at: Timestamp::from_micros(at.parse().ok()?), cost: cost.parse().ok()? })
}

/// Whether scripts can count by this limit.
pub(crate) fn is_for_scripts(limit: &Limit) -> bool {
    const PERIOD_MAX: u64 = 1 << 50;
    let is_short = limit.period().length().get() <= PERIOD_MAX;
    let bucket = match limit.law() {
        Law::TokenBucket(law) => law.bucket(),
        Law::LeakyBucket(law) => law.bucket(),
        _ => {
            let is_custom = limit.algorithm() == AlgorithmName::Custom;
            return is_short && !is_custom && u128::from(limit.law().capacity()) < EXACT;
        }
    };
    let (micro, token) = (bucket.units_per_micro(), bucket.units_per_token());
    let fills_in =
        u128::from(bucket.capacity()).saturating_mul(token.into()) / u128::from(micro.max(1));
    is_short
        && u128::from(micro) < EXACT / 2
        && u128::from(token) < EXACT
        && u128::from(bucket.capacity()) < EXACT
        && fills_in <= u128::from(PERIOD_MAX)
}
