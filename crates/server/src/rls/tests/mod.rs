//! What Envoy is told.
