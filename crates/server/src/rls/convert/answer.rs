//! What Envoy is told.

use std::collections::BTreeMap;

use bytes::Bytes;
use prost_types::{Duration, Struct, Value, value::Kind};
use tollgate::Ruling;
use tollgate_rls::{Code, DescriptorStatus, HeaderValue, RateLimit, RateLimitResponse, Unit};
use tollgate_rules::QueryError;

use super::question::{Crooked, unit};
use crate::{
    Fields, ResetAs, Wording,
    engine::{Answer, Together},
    http::fields::{self, Lines},
    identity::Refused,
};

/// The answer to a question whose parts were decided, but for those that could not be asked.
pub(crate) fn response(
    together: &Together,
    crooked: &[Option<Crooked>],
    added: Option<Fields>,
) -> RateLimitResponse {
    let mut answers = together.answers.iter();
    let statuses = crooked.iter().map(|crooked| match crooked {
        Some(_) => refused(),
        None => answers.next().map_or_else(refused, status),
    });
    let statuses = statuses.collect();
    let first = crooked.iter().flatten().next();
    let overall = match first {
        None if together.is_allowed() => Code::Ok,
        _ => Code::OverLimit,
    };
    let shown = together.shown();
    let message = match (first, shown) {
        (Some(Crooked::Fact(error)), _) => Some(Bytes::from(in_entries(error))),
        (Some(Crooked::Refused(refused)), _) => Some(Bytes::from(refused.to_string())),
        (None, Some(answer)) if overall == Code::OverLimit => message(&answer.ruling),
        (None, _) => None,
    };
    let why = why(shown, first);
    let added = match first {
        Some(Crooked::Refused(refused)) => unbelieved(*refused),
        _ => shown.map_or(Added(Vec::new()), |answer| headers(answer, together, added)),
    };
    let added = match why.filter(|_| overall == Code::OverLimit) {
        Some(word) => added.with(REASON, |out| out.extend_from_slice(word.as_bytes())),
        None => added,
    };
    RateLimitResponse {
        overall_code: overall.into(),
        statuses,
        response_headers_to_add: added.0,
        request_headers_to_add: Vec::new(),
        raw_body: message.unwrap_or_default(),
        dynamic_metadata: shown.map(|answer| metadata(answer, overall, why)),
    }
}

/// The answer to a question that is longer than any may be. A client can make it so, and must not get
/// past by that.
pub(crate) fn too_long(bytes: usize, max: usize) -> RateLimitResponse {
    RateLimitResponse {
        overall_code: Code::OverLimit.into(),
        raw_body: Bytes::from(format!(
            "the headers of this request make a question of {bytes} bytes, at most {max} are read"
        )),
        ..RateLimitResponse::default()
    }
}

fn code(ruling: &Ruling) -> Code {
    if ruling.is_allowed() { Code::Ok } else { Code::OverLimit }
}

/// Of a descriptor that says nothing that can be held against rules.
fn refused() -> DescriptorStatus {
    DescriptorStatus { code: Code::OverLimit.into(), ..DescriptorStatus::default() }
}

fn status(answer: &Answer) -> DescriptorStatus {
    let ruling = &answer.ruling;
    let code = code(ruling).into();
    let Some((met, decision)) = ruling.shown() else {
        let blocked =
            RateLimit { requests_per_unit: 0, unit: Unit::Unknown.into(), name: name(ruling) };
        return DescriptorStatus {
            code,
            current_limit: (!ruling.is_allowed()).then_some(blocked),
            limit_remaining: if ruling.is_exempt() { u32::MAX } else { 0 },
            duration_until_reset: None,
        };
    };
    // Envoy shows whole seconds and drops the rest; a client must not come too early.
    let reset = answer.reset_after().unwrap_or_default().as_secs_ceil();
    DescriptorStatus {
        code,
        current_limit: Some(RateLimit {
            requests_per_unit: clamped(decision.limit()),
            unit: unit(met.period).into(),
            name: name(ruling),
        }),
        limit_remaining: clamped(decision.remaining()),
        duration_until_reset: Some(Duration {
            seconds: i64::try_from(reset).unwrap_or(i64::MAX),
            nanos: 0,
        }),
    }
}

fn clamped(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn name(ruling: &Ruling) -> String {
    let rule = ruling.rule();
    rule.map(|rule| rule.name.as_str().to_owned()).unwrap_or_default()
}

/// The facts are called as the entries are.
fn in_entries(error: &QueryError) -> String {
    match error {
        QueryError::Endpoint(error) => format!("path: {error}"),
        error => error.to_string(),
    }
}

fn message(ruling: &Ruling) -> Option<Bytes> {
    let text = ruling.rule()?.response.message.as_deref()?;
    Some(Bytes::copy_from_slice(text.as_bytes()))
}

/// Header fields for Envoy to add.
struct Added(Vec<HeaderValue>);

impl Lines for Added {
    fn with(mut self, name: &'static str, write: impl FnOnce(&mut Vec<u8>)) -> Self {
        let mut value = Vec::new();
        write(&mut value);
        self.0.push(HeaderValue {
            key: name.to_owned(),
            value: String::from_utf8(value).unwrap_or_default(),
            raw_value: Bytes::new(),
        });
        self
    }
}

/// The failure policy that decided one of the questions.
const FALLBACK: &str = "x-tollgate-fallback";

/// What the status would have been, and why.
const STATUS: &str = "tollgate-status";
const REASON: &str = "tollgate-reason";
/// The reason of a denial because a fact cannot be read.
const MALFORMED: &str = "malformed";

/// For a client that is not believed: Envoy answers its own status, so the header says which it is.
fn unbelieved(refused: Refused) -> Added {
    let status = refused.reason().status();
    Added(Vec::new()).number(STATUS, status.into())
}

fn headers(answer: &Answer, together: &Together, added: Option<Fields>) -> Added {
    let none = Added(Vec::new());
    let added = match added {
        None => fields::retry_after(none, answer),
        // Envoy's own fields count seconds from now, so ours do too.
        Some(fields) => {
            let reset = ResetAs::Seconds;
            fields::write(none, answer, Wording { fields, reset })
        }
    };
    let mut answers = together.answers.iter();
    let by_policy = answers.find(|answer| answer.ruling.fallback().is_some());
    match by_policy {
        None => added,
        Some(answer) => fields::fallback(added, FALLBACK, &answer.ruling),
    }
}

/// Why all pass or none: a question that cannot be asked stops them, whatever the others got.
fn why(shown: Option<&Answer>, crooked: Option<&Crooked>) -> Option<&'static str> {
    match crooked {
        None => shown.map(|answer| answer.ruling.reason().word()),
        Some(Crooked::Refused(refused)) => Some(refused.reason().word()),
        Some(Crooked::Fact(_)) => Some(MALFORMED),
    }
}

/// For Envoy's access log.
fn metadata(answer: &Answer, overall: Code, why: Option<&str>) -> Struct {
    let text = |text: String| Kind::StringValue(text);
    let rule = answer.ruling.rule();
    let rule = rule.map_or(Kind::NullValue(0), |rule| text(rule.name.as_str().to_owned()));
    let fields = [
        ("allowed", Kind::BoolValue(overall == Code::Ok)),
        ("decision_id", text(answer.id.to_string())),
        ("reason", text(why.unwrap_or_default().to_owned())),
        ("revision", text(answer.ruling.revision().to_string())),
        ("rule", rule),
    ];
    let value = |kind| Value { kind: Some(kind) };
    let fields = fields.map(|(name, kind)| (name.to_owned(), value(kind)));
    Struct { fields: BTreeMap::from(fields) }
}
