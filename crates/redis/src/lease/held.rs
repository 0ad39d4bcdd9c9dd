//! The leases on a counter as they lie in its record; see counters.lua.

use tollgate_core::{Bucket, BucketState, Micros, Timestamp};

/// What nodes hold of one counter, the first to end first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Held(Vec<Lease>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Lease {
    /// The node, and the sequence of its call.
    holder: String,
    until: Timestamp,
    tokens: u64,
    /// By that call.
    granted: u64,
}

/// No lease lives longer.
const LIFE_MAX: Micros = Micros::from_secs(20);

impl Held {
    /// Takes a record apart: its state, and the leases after it. What is no lease holds nothing.
    pub(crate) fn split(record: &str) -> (&str, Self) {
        let Some((state, lines)) = record.split_once('|') else {
            return (record, Self::default());
        };
        let mut leases: Vec<Lease> = lines.split_terminator(';').filter_map(read).collect();
        leases.sort_by_key(|lease| lease.until);
        (state, Self(leases))
    }

    /// Tokens that may be spent yet.
    pub(crate) fn tokens(&self, steady: Timestamp) -> u64 {
        let live = self.0.iter().filter(|lease| lease.until > steady);
        live.fold(0, |sum, lease| sum.saturating_add(lease.tokens))
    }

    /// What belongs after the state. If the clock was set back, leases end when they would have otherwise.
    pub(crate) fn text(&self, steady: Timestamp) -> String {
        let latest = steady.saturating_add(LIFE_MAX);
        let live = self.0.iter().filter(|lease| lease.until > steady);
        let line = |lease: &Lease| {
            let until = lease.until.min(latest).as_micros();
            format!("{} {until} {} {};", lease.holder, lease.tokens, lease.granted)
        };
        let lines: String = live.map(line).collect();
        match lines.as_str() {
            "" => lines,
            _ => format!("|{lines}"),
        }
    }

    /// A bucket as its leases leave it: until each ends, the bucket gains nothing in the place of its tokens.
    pub(crate) fn hold(
        &self,
        bucket: &Bucket,
        mut state: BucketState,
        steady: Timestamp,
    ) -> BucketState {
        let mut out: u64 = self.0.iter().map(|lease| lease.tokens).sum();
        let mut at_least = |at: Timestamp, tokens: u64| {
            let gained = u128::from(at.as_micros()) * u128::from(bucket.units_per_micro());
            let held = u128::from(tokens) * u128::from(bucket.units_per_token());
            state.full_at = state.full_at.max(gained.saturating_add(held));
        };
        for lease in self.0.iter().filter(|lease| lease.until <= steady) {
            at_least(lease.until, out);
            out = out.saturating_sub(lease.tokens);
        }
        at_least(steady, out);
        state
    }
}

fn read(line: &str) -> Option<Lease> {
    let words: Vec<&str> = line.split(' ').collect();
    let [node, sequence, until, tokens, granted] = words.as_slice() else {
        return None;
    };
    Some(Lease {
        holder: format!("{node} {sequence}"),
        until: Timestamp::from_micros(until.parse().ok()?),
        tokens: tokens.parse().ok()?,
        granted: granted.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use tollgate_core::Law;

    use super::*;

    #[test]
    fn leases_end_in_the_order_of_time() {
        let at = Timestamp::from_secs;
        let (state, held) = Held::split("1F 3 4|b 2 20000000 5 5;a 1 10000000 7 2;nonsense;");
        assert_eq!(state, "1F 3 4");
        assert_eq!((held.tokens(at(9)), held.tokens(at(10)), held.tokens(at(20))), (12, 5, 0));
        assert_eq!(held.text(at(15)), "|b 2 20000000 5 5;");
        assert_eq!(held.text(at(30)), "");
        assert_eq!(Held::split("1F 3 4").1, Held::default());
    }

    // Proves: C3
    #[test]
    fn a_bucket_gains_nothing_in_the_place_of_tokens_that_are_out() {
        let limit = tollgate_testkit::limit("1/s burst 10");
        let Law::TokenBucket(law) = limit.law() else { panic!("a burst makes a token bucket") };
        let micros = |seconds: u64| Timestamp::from_secs(seconds);
        let (_, held) = Held::split("|a 1 10000000 4 4;b 1 20000000 3 3;");
        let full = BucketState { full_at: 0, at: micros(0) };
        let debt = |seconds| {
            let held = held.hold(law.bucket(), full, micros(seconds));
            held.full_at.saturating_sub(u128::from(micros(seconds).as_micros())) / 1_000_000
        };
        // Both are out, then one is, and what ended was in the way until then.
        assert_eq!([5, 9, 11, 13, 14, 19, 20, 22, 23].map(debt), [7, 7, 6, 4, 3, 3, 3, 1, 0]);
    }
}
