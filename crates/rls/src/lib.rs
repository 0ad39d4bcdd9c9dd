//! Envoy's rate limit service, version 3: messages and server, generated from `proto/`.
//!
//! The texts of a question are bytes here. On the wire that is the same, and a client that puts other bytes
//! than UTF-8 into a header is still counted.
#![allow(missing_docs, clippy::all, reason = "most of this is generated")]

#[path = "generated/mod.rs"]
mod generated;

/// What a client can ask a server about its services: the protocol as it is written, for reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!("generated/descriptors.bin");

pub use generated::envoy::{
    config::core::v3::HeaderValue,
    extensions::common::ratelimit::v3::{
        RateLimitDescriptor,
        rate_limit_descriptor::{Entry, RateLimitOverride},
    },
    service::ratelimit::v3::{
        RateLimitRequest, RateLimitResponse,
        rate_limit_response::{Code, DescriptorStatus, RateLimit, rate_limit::Unit},
        rate_limit_service_server as server,
    },
    r#type::v3::RateLimitUnit,
};
