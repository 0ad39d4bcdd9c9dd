//! What must hold for any bytes.

use std::sync::{Arc, OnceLock};

use prost::Message as _;
use tollgate_core::ManualClock;
use tollgate_memory::MemoryStore;
use tollgate_rls::{Code, RateLimitRequest, RateLimitResponse};
use tollgate_rules::Live;

use super::{
    convert::Question,
    service::{Caller, Rls},
};
use crate::{
    Fields,
    engine::{Engine, Time, at_once},
    telemetry::Recorder,
};

const RULES: &str = "
version: 1
rules:
  - { name: login, match: { endpoint: /login }, key: [ip], limit: 2/min, response: { message: slow down } }
  - { name: tenants, match: { descriptor: [[tenant]] }, key: [attributes.tenant], limit: 5/h }
  - { name: all, key: [], limit: 1000/s }
";

/// How many counters the questions may make.
const KEYS_MAX: usize = 10_000;

/// Reads arbitrary bytes as a question of Envoy's and answers it. Whatever they are: no panic; a question
/// that has a domain and a bounded number of descriptors gets one status for each, in known codes, denied
/// as a whole exactly if one of them is; every header can be sent.
///
/// # Panics
///
/// If one of these does not hold.
#[doc(hidden)]
pub fn any_rls_question(bytes: &[u8]) {
    let Ok(request) = RateLimitRequest::decode(bytes) else {
        return;
    };
    let Some(answer) = at_once(rls().answer(&request, Caller::NEAR)) else {
        return;
    };
    let Ok(response) = answer else {
        assert!(Question::read(&request).is_err(), "a question is answered: {request:?}");
        return;
    };
    assert_eq!(response.statuses.len(), request.descriptors.len(), "{request:?}");
    let is_over = response.statuses.iter().any(|status| {
        assert_ne!(status.code(), Code::Unknown, "{request:?}");
        status.code() == Code::OverLimit
    });
    assert_eq!(response.overall_code() == Code::OverLimit, is_over, "{request:?}");
    for header in &response.response_headers_to_add {
        let mut letters = header.value.bytes();
        assert!(letters.all(|letter| letter == b' ' || letter.is_ascii_graphic()), "{header:?}");
    }
    let read = RateLimitResponse::decode(response.encode_to_vec().as_slice());
    assert_eq!(read.as_ref(), Ok(&response));
}

fn rls() -> &'static Rls {
    static RLS: OnceLock<Rls> = OnceLock::new();
    RLS.get_or_init(|| {
        let live = Arc::new(Live::new());
        if let Ok(rules) = RULES.parse() {
            live.publish(&rules, 1);
        }
        let time = Time::new(ManualClock::start());
        let store = MemoryStore::with_capacity(KEYS_MAX, time.clone());
        let engine = Engine::new(live, store, time, Arc::new(Recorder::default()));
        Rls::plain(Arc::new(engine), Some(Fields::Both))
    })
}
