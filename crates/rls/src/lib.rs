//! The messages of Envoy's rate limit service.
