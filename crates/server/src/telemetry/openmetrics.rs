//! Metrics as Prometheus reads them.

use std::fmt;

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet, text},
    metrics::MetricType,
    registry::Registry,
};

use super::reading::{Family, Kind, Reading, Value};

/// The text of a reading.
pub(super) fn text_of(reading: Reading) -> String {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(reading));
    let mut text = String::new();
    match text::encode(&mut text, &registry) {
        Ok(()) => text,
        // Writing to a String does not fail; half a scrape would be worse than none.
        Err(fmt::Error) => String::new(),
    }
}

impl Collector for Reading {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        for family in &self.families {
            let kind = match family.kind {
                Kind::Counter => MetricType::Counter,
                Kind::Gauge => MetricType::Gauge,
                Kind::Histogram => MetricType::Histogram,
            };
            let mut metric = encoder.encode_descriptor(family.name, family.help, None, kind)?;
            write(family, &mut metric)?;
        }
        Ok(())
    }
}

fn write(family: &Family, metric: &mut MetricEncoder<'_>) -> fmt::Result {
    for sample in &family.samples {
        if sample.labels.is_empty() {
            value(&sample.value, family.kind, metric)?;
        } else {
            let labels = sample.labels.as_slice();
            value(&sample.value, family.kind, &mut metric.encode_family(&labels)?)?;
        }
    }
    Ok(())
}

fn value(value: &Value, kind: Kind, series: &mut MetricEncoder<'_>) -> fmt::Result {
    match (value, kind) {
        (Value::Whole(value), Kind::Counter) => {
            series.encode_counter::<NoLabelSet, _, f64>(value, None)
        }
        (Value::Fraction(value), Kind::Counter) => {
            series.encode_counter::<NoLabelSet, _, f64>(value, None)
        }
        (Value::Whole(value), _) => series.encode_gauge(value),
        (Value::Fraction(value), _) => series.encode_gauge(value),
        (Value::Durations(durations), _) => {
            let count = durations.count();
            series.encode_histogram::<NoLabelSet>(durations.sum_s, count, &durations.buckets, None)
        }
    }
}
