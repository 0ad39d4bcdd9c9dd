//! Decisions over gRPC: Envoy's rate limit service.

mod serve;

pub(crate) use serve::RlsServe;
