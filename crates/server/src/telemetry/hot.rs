//! The busiest keys, in metrics: by rank, because a name would be a label without end.

use std::iter;

use super::{
    histogram::seconds,
    reading::{Kind, Reading, Value},
    top::TopKeys,
};

/// How many of the busiest keys have series.
const RANKS: usize = 10;

pub(super) fn read(top: &TopKeys, reading: &mut Reading) {
    let top = top.list(RANKS);
    // All ranks are always there: traffic makes no series.
    let keys = || top.keys.iter().map(Some).chain(iter::repeat(None));
    let ranked = || (1..=RANKS).zip(keys());
    let help = "Requests of the busiest keys of this node, by rank; the admin API has their names";
    let family = reading.add(Kind::Gauge, "tollgate_hot_key_requests", help);
    for (rank, hot) in ranked() {
        let requests = hot.map_or(0, |hot| hot.requests);
        family.with([("rank", rank.to_string())], Value::Whole(requests));
    }
    let help = "How far off that number may be, either way";
    let family = reading.add(Kind::Gauge, "tollgate_hot_key_error", help);
    for (rank, hot) in ranked() {
        let error = hot.map_or(0, |hot| hot.error);
        family.with([("rank", rank.to_string())], Value::Whole(error));
    }
    let help = "The time that those requests came in";
    let family = reading.add(Kind::Gauge, "tollgate_hot_key_span_seconds", help);
    family.with([], Value::Fraction(seconds(top.span.get())));
}
