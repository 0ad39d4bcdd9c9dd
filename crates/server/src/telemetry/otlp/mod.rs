//! The same metrics, pushed to an OpenTelemetry collector.

mod encode;
mod push;
#[cfg(test)]
mod tests;

pub(crate) use push::push;
