//! Limits.

use tollgate_core::{AlgorithmName, Bands, Limit};

use super::shape::{Fields, Shape, put};

/// What all limits share is said once, beside them.
pub(super) fn put_limits(fields: &mut Fields, limits: &[Limit]) {
    let Some(first) = limits.first() else { return };
    let algorithm = first.algorithm();
    let is_shared = limits.iter().all(|limit| limit.algorithm() == algorithm);
    let is_usual = limits.iter().all(|limit| limit.algorithm() == usual(limit));
    let bands = first.bands();
    let same_bands = limits.iter().all(|limit| limit.bands() == bands);
    let says_algorithm = is_shared && !is_usual;
    let shape = |limit: &Limit| {
        let own = !says_algorithm && limit.algorithm() != usual(limit);
        let own = own.then(|| limit.algorithm());
        limit_shape(
            limit,
            own,
            if same_bands {
                None
            } else {
                Some(limit.bands())
            },
        )
    };
    match limits {
        [one] => put(fields, "limit", shape(one)),
        many => put(
            fields,
            "limits",
            Shape::List(many.iter().map(shape).collect()),
        ),
    }
    if says_algorithm {
        put(fields, "algorithm", Shape::text(&algorithm));
    }
    if same_bands {
        put_bands(fields, bands, Bands::default());
    }
}

fn put_bands(fields: &mut Fields, bands: Bands, usual: Bands) {
    if bands.warn_at() != usual.warn_at() {
        put(
            fields,
            "warn_at",
            Shape::Text(format!("{}%", bands.warn_at())),
        );
    }
    if bands.hard_at() != usual.hard_at() {
        put(
            fields,
            "hard_at",
            Shape::Text(format!("{}%", bands.hard_at())),
        );
    }
}

/// The algorithm a limit has if none is named.
fn usual(limit: &Limit) -> AlgorithmName {
    match limit.burst() {
        Some(_) => AlgorithmName::TokenBucket,
        None => AlgorithmName::SlidingWindow,
    }
}

fn limit_shape(limit: &Limit, algorithm: Option<AlgorithmName>, bands: Option<Bands>) -> Shape {
    let mut fields = Fields::new();
    put(&mut fields, "per", Shape::text(limit));
    if let Some(burst) = limit.burst() {
        put(&mut fields, "burst", Shape::number(burst));
    }
    if let Some(algorithm) = algorithm.filter(|name| *name != AlgorithmName::Custom) {
        put(&mut fields, "algorithm", Shape::text(&algorithm));
    }
    if let Some(bands) = bands {
        put_bands(&mut fields, bands, Bands::default());
    }
    match fields.len() {
        1 => Shape::text(limit),
        _ => Shape::Map(fields),
    }
}

/// A limit that stands by itself.
pub(super) fn whole_limit(limit: &Limit) -> Shape {
    let own = (limit.algorithm() != usual(limit)).then(|| limit.algorithm());
    limit_shape(limit, own, Some(limit.bands()))
}

/// The limit of an override. What it does not say it has from the rule, so what it says is written even
/// where it is usual.
pub(super) fn override_limit(limit: &Limit) -> Shape {
    limit_shape(limit, limit.chosen_algorithm(), None)
}
