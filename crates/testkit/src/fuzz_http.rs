//! The bodies of the fuzz targets about HTTP.

use serde_json::{Value, json};
use tollgate_wire::{
    check::{BATCH_MAX, BodyError, BodyFlaw, CheckBody, Purpose, read_batch, read_body},
    http1::{Decoded, Decoder, Flaw, Limits},
};

/// Longer than any message.
const MESSAGE_BYTES_MAX: usize = 1_024;
/// Bodies are small here, so that their bound is met.
const LIMITS: Limits =
    Limits { body_bytes_max: 1_000, short_bytes_max: 100, short_paths: &["/short"] };

/// Reads arbitrary bytes as a conversation over HTTP/1.1. Whatever they are: no panic; however they are
/// cut, the same requests come out, and the same flaw ends them.
///
/// ```
/// tollgate_testkit::fuzz::http1(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n\r\n");
/// tollgate_testkit::fuzz::http1(b"GET \xff\r\n");
/// ```
///
/// # Panics
///
/// If one of these does not hold.
pub fn http1(data: &[u8]) {
    let whole = converse(data, data.len().max(1));
    for piece in [1, 2, 3, 17] {
        assert_eq!(converse(data, piece), whole, "in pieces of {piece}");
    }
    if let Some(flaw) = whole.1 {
        assert!((400..=599).contains(&flaw.status()), "{flaw:?}");
        assert!(flaw.to_string().len() <= MESSAGE_BYTES_MAX, "{flaw:?}");
    }
}

/// What came out, and what ended it.
fn converse(data: &[u8], piece: usize) -> (Vec<String>, Option<Flaw>) {
    let mut decoder = Decoder::new(LIMITS);
    let mut said = Vec::new();
    let mut input = Vec::new();
    for piece in data.chunks(piece) {
        input.extend_from_slice(piece);
        loop {
            let taken = match decoder.decode(&input) {
                Err(flaw) => return (said, Some(flaw)),
                Ok(Decoded::Partial { taken }) => {
                    input.drain(..taken);
                    break;
                }
                Ok(Decoded::Continue { taken }) => {
                    said.push("continue".to_owned());
                    taken
                }
                Ok(Decoded::Whole { request, taken }) => {
                    said.push(format!("{request:?}"));
                    taken
                }
                Ok(Decoded::Gathered { taken }) => {
                    let request = decoder.gathered().expect("it was gathered");
                    assert!(request.body.len() <= LIMITS.body_bytes_max);
                    said.push(format!("{request:?}"));
                    taken
                }
            };
            assert!(taken > 0, "a step that takes nothing never ends");
            input.drain(..taken);
        }
    }
    (said, None)
}

/// Reads arbitrary bytes as the body of a check and of a batch. Whatever they are: no panic; what a
/// parser of JSON can read is not called broken; what is refused is refused in few words that name a
/// place; what is understood is understood again when it is written anew.
///
/// ```
/// tollgate_testkit::fuzz::check_json(br#"{"user_id":"ann","cost":2}"#);
/// tollgate_testkit::fuzz::check_json(b"{\"requests\":[{},\xff");
/// ```
///
/// # Panics
///
/// If one of these does not hold.
pub fn check_json(data: &[u8]) {
    let value = serde_json::from_slice::<Value>(data);
    for purpose in [Purpose::Check, Purpose::Deed] {
        match read_body(data, purpose) {
            Ok(body) => {
                let value = value.as_ref().expect("what is understood is JSON");
                assert!(value.is_object(), "{value}");
                again(&body, purpose);
            }
            Err(error) => {
                check_error(data, &error);
                assert!(!(value.is_ok() && is_broken(&error)), "{error}");
            }
        }
    }
    match read_batch(data) {
        Ok(batch) => {
            assert!(batch.len() <= BATCH_MAX);
            for read in &batch {
                match read {
                    Ok(body) => again(body, Purpose::Check),
                    Err(error) => {
                        check_error(data, error);
                        assert!(!is_broken(error), "{error}");
                    }
                }
            }
        }
        Err(error) => {
            check_error(data, &error);
            assert!(!(value.is_ok() && is_broken(&error)), "{error}");
        }
    }
}

fn check_error(data: &[u8], error: &BodyError) {
    let message = error.to_string();
    assert!(message.len() <= MESSAGE_BYTES_MAX, "{message}");
    assert!(!message.contains(char::is_control), "{message:?}");
    let lines = data.iter().filter(|byte| **byte == b'\n').count() + 1;
    assert!((1..=lines).contains(&error.line), "{message}");
    assert!((1..=data.len() + 1).contains(&error.column), "{message}");
}

/// Whether it says that this is not JSON at all.
fn is_broken(error: &BodyError) -> bool {
    matches!(error.flaw, BodyFlaw::Empty | BodyFlaw::NotUtf8 | BodyFlaw::Syntax(_))
}

/// Writes a body with every character escaped, and reads it again.
fn again(body: &CheckBody<'_>, purpose: Purpose) {
    let texts = [
        ("user_id", &body.user_id),
        ("org_id", &body.org_id),
        ("api_key", &body.api_key),
        ("ip", &body.ip),
        ("tier", &body.tier),
        ("endpoint", &body.endpoint),
        ("method", &body.method),
        ("region", &body.region),
        ("scope", &body.scope),
        ("request_id", &body.request_id),
        ("rule", &body.rule),
    ];
    let mut members = Vec::new();
    for (name, text) in texts {
        if let Some(text) = text {
            members.push(format!("\"{name}\":{}", escaped(text)));
        }
    }
    members.push(format!("\"cost\" : {}", json!(body.cost)));
    let attributes = body.attributes.iter();
    let attributes: Vec<String> =
        attributes.map(|(name, value)| format!("{}: {}", escaped(name), escaped(value))).collect();
    members.push(format!("\"attributes\":{{{}}}", attributes.join(" ,")));
    let written = format!("{{{}}}", members.join(",\n"));
    let read = read_body(written.as_bytes(), purpose);
    let read = read.unwrap_or_else(|error| panic!("{error}: {written}"));
    assert_eq!(format!("{read:?}"), format!("{body:?}"), "{written}");
}

fn escaped(text: &str) -> String {
    let units = text.encode_utf16().map(|unit| format!("\\u{unit:04X}"));
    format!("\"{}\"", units.collect::<String>())
}
