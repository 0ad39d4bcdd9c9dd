//! A reading as OTLP has it in JSON: an `ExportMetricsServiceRequest`.
//!
//! Whole numbers of 64 bits are texts there, and a histogram has one bucket more than ends.

use serde_json::{Value as Json, json};

use super::super::{
    histogram::Durations,
    reading::{Family, Kind, Reading, Sample, Value},
};

/// Counts are since the start, not since the last push.
const CUMULATIVE: u8 = 2;

/// Whose metrics, and when, in nanoseconds since 1970.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin<'a> {
    pub(super) node: &'a str,
    pub(super) region: &'a str,
    pub(super) started_ns: u64,
    pub(super) now_ns: u64,
}

pub(super) fn request(reading: &Reading, origin: Origin<'_>) -> Json {
    let version = env!("CARGO_PKG_VERSION");
    let about = [
        ("service.name", "tollgate"),
        ("service.version", version),
        ("service.instance.id", origin.node),
        ("tollgate.region", origin.region),
    ];
    let about: Vec<Json> = about.iter().map(|(key, text)| attribute(key, text)).collect();
    let families = reading.families.iter().map(|family| metric(family, origin));
    json!({
        "resourceMetrics": [{
            "resource": { "attributes": about },
            "scopeMetrics": [{
                "scope": { "name": "tollgate", "version": version },
                "metrics": families.collect::<Vec<Json>>(),
            }],
        }],
    })
}

fn metric(family: &Family, origin: Origin<'_>) -> Json {
    let points = family.samples.iter().map(|sample| point(sample, origin));
    let points: Vec<Json> = points.collect();
    let (kind, data) = match family.kind {
        Kind::Gauge => ("gauge", json!({ "dataPoints": points })),
        Kind::Counter => (
            "sum",
            json!({
                "dataPoints": points,
                "aggregationTemporality": CUMULATIVE,
                "isMonotonic": true,
            }),
        ),
        Kind::Histogram => {
            ("histogram", json!({ "dataPoints": points, "aggregationTemporality": CUMULATIVE }))
        }
    };
    json!({ "name": family.name, "description": family.help, kind: data })
}

fn point(sample: &Sample, origin: Origin<'_>) -> Json {
    let labels = sample.labels.iter().map(|(key, text)| attribute(key, text));
    let labels: Vec<Json> = labels.collect();
    let (started, now) = (origin.started_ns.to_string(), origin.now_ns.to_string());
    match &sample.value {
        Value::Whole(value) => json!({
            "attributes": labels, "startTimeUnixNano": started, "timeUnixNano": now,
            // The number is signed there.
            "asInt": i64::try_from(*value).unwrap_or(i64::MAX).to_string(),
        }),
        Value::Fraction(value) => json!({
            "attributes": labels, "startTimeUnixNano": started, "timeUnixNano": now,
            "asDouble": value,
        }),
        Value::Durations(durations) => {
            let Durations { buckets, sum_s } = durations;
            let counts = buckets.iter().map(|(_, count)| count.to_string());
            let ends = buckets.iter().map(|(end, _)| *end).filter(|end| end.is_finite());
            json!({
                "attributes": labels, "startTimeUnixNano": started, "timeUnixNano": now,
                "count": durations.count().to_string(),
                "sum": sum_s,
                "bucketCounts": counts.collect::<Vec<String>>(),
                "explicitBounds": ends.collect::<Vec<f64>>(),
            })
        }
    }
}

fn attribute(key: &str, text: &str) -> Json {
    json!({ "key": key, "value": { "stringValue": text } })
}
