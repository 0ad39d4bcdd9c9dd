//! Envoy, as far as the service can tell.

use std::sync::Arc;

use prost::Message as _;
use tollgate_core::ManualClock;
use tollgate_rls::{
    DescriptorStatus, Entry, RateLimitDescriptor, RateLimitOverride, RateLimitRequest,
    RateLimitResponse, RateLimitUnit,
};
use tollgate_rules::Live;
use tonic::Status;

use crate::{
    Fields,
    engine::{Engine, at_once},
    rls::service::{Caller, Rls},
};

/// A service with rules, on a clock that is moved.
pub(super) struct Envoy {
    pub(super) rls: Rls,
    pub(super) clock: ManualClock,
}

impl Envoy {
    pub(super) fn of(rules: &str) -> Self {
        Self::over(Engine::of_rules(&format!("version: 1\nrules:\n{rules}")))
    }

    pub(super) fn without_rules() -> Self {
        Self::over(Engine::of_live(Arc::new(Live::new())))
    }

    fn over((engine, clock): (Arc<Engine>, ManualClock)) -> Self {
        let rls = Rls::plain(engine, None);
        Self { rls, clock }
    }

    pub(super) const fn adding(mut self, fields: Fields) -> Self {
        self.rls.fields = Some(fields);
        self
    }

    /// Asks through the bytes of both messages, in the domain `edge`.
    pub(super) fn ask(&self, descriptors: &[RateLimitDescriptor]) -> RateLimitResponse {
        self.send(&request(descriptors)).unwrap()
    }

    pub(super) fn send(&self, request: &RateLimitRequest) -> Result<RateLimitResponse, Status> {
        let bytes = request.encode_to_vec();
        let read = RateLimitRequest::decode(bytes.as_slice()).unwrap();
        assert_eq!(&read, request);
        let response = at_once(self.rls.answer(&read, Caller::NEAR)).unwrap()?;
        let bytes = response.encode_to_vec();
        let read = RateLimitResponse::decode(bytes.as_slice()).unwrap();
        assert_eq!(read, response);
        Ok(read)
    }

    /// The codes of the statuses, and what is left of each: `ok 4, over 0`.
    pub(super) fn says(&self, descriptors: &[RateLimitDescriptor]) -> String {
        said(&self.ask(descriptors))
    }
}

pub(super) fn said(response: &RateLimitResponse) -> String {
    let one = |status: &DescriptorStatus| {
        let code = match status.code {
            1 => "ok",
            2 => "over",
            other => panic!("code {other}"),
        };
        format!("{code} {}", status.limit_remaining)
    };
    let all: Vec<String> = response.statuses.iter().map(one).collect();
    let is_over = response.statuses.iter().any(|status| status.code == 2);
    assert_eq!(response.overall_code, if is_over { 2 } else { 1 });
    all.join(", ")
}

pub(super) fn request(descriptors: &[RateLimitDescriptor]) -> RateLimitRequest {
    RateLimitRequest { domain: "edge".into(), descriptors: descriptors.to_vec(), hits_addend: 0 }
}

/// A descriptor of entries: `path=/login, remote_address=10.0.0.1`.
pub(super) fn descriptor(entries: &str) -> RateLimitDescriptor {
    let entries = entries.split(", ").map(|entry| {
        let (key, value) = entry.split_once('=').unwrap();
        Entry { key: key.to_owned().into(), value: value.to_owned().into() }
    });
    RateLimitDescriptor { entries: entries.collect(), limit: None, hits_addend: None }
}

pub(super) trait Described {
    fn weighing(self, addend: u64) -> Self;
    fn limited(self, requests_per_unit: u32, unit: RateLimitUnit) -> Self;
}

impl Described for RateLimitDescriptor {
    fn weighing(mut self, addend: u64) -> Self {
        self.hits_addend = Some(addend);
        self
    }

    fn limited(mut self, requests_per_unit: u32, unit: RateLimitUnit) -> Self {
        self.limit = Some(RateLimitOverride { requests_per_unit, unit: unit.into() });
        self
    }
}
