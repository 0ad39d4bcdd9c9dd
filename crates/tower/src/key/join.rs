//! The key of a plain limiter: every value, so that different ones never meet.

use std::fmt::Write as _;

use super::{Fact, Facts, IpText, Value};

/// What no value begins with that is a key by itself.
const JOINED: char = '\u{1}';

/// Hands on the key that the facts make.
///
/// One value is a key as it is, so that `limiter.reset("192.0.2.1")` means what it says. Several, and those that came by
/// another alternative than the first, are each written with their way and length behind a sign with which no other
/// begins. The empty key is that of requests without any.
pub(crate) fn with_key<R>(facts: &Facts<'_>, with: impl FnOnce(&str) -> R) -> R {
    match facts.as_slice() {
        [] | [Fact { value: None, .. }] => with(""),
        [
            Fact {
                way: 0,
                value: Some(Value::Ip(ip)),
                ..
            },
        ] => with(IpText::of_client(*ip).as_str()),
        [
            Fact {
                way: 0,
                value: Some(Value::Text(text)),
                ..
            },
        ] if !text.starts_with(JOINED) => with(text),
        several => with(&joined(several)),
    }
}

fn joined(facts: &[Fact<'_>]) -> String {
    let mut key = String::from(JOINED);
    for fact in facts {
        let ip;
        let text = match &fact.value {
            None => {
                key.push('-');
                continue;
            }
            Some(Value::Text(text)) => text.as_ref(),
            Some(Value::Ip(address)) => {
                ip = IpText::of_client(*address);
                ip.as_str()
            }
        };
        // Writing to a text cannot fail.
        write!(key, "{}+{}:{text}", fact.way, text.len()).ok();
    }
    key
}
