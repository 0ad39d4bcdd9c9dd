//! What came of a question.

use serde_json::Value;

/// What came of a question, whatever protocol it was asked by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Told {
    /// As HTTP has it; 200 is allowed, 429 a denial.
    pub(super) status: u16,
    pub(super) reason: Option<String>,
    pub(super) text: String,
}

impl Told {
    #[track_caller]
    pub(super) fn refused(&self, status: u16, reason: &str) {
        assert_eq!((self.status, self.reason.as_deref()), (status, Some(reason)), "{self:?}");
    }

    #[track_caller]
    pub(super) fn decided(&self, status: u16) {
        assert_eq!((self.status, self.reason.as_deref()), (status, None), "{self:?}");
    }
}

/// A reason that is about who asks, and not one of a decision.
pub(super) fn of_identity(word: &str) -> Option<String> {
    let is_decision = tollgate_core::Reason::from_word(word).is_some();
    (!is_decision).then(|| word.to_owned())
}

pub(super) fn told(said: &str, inner: Option<&str>, text: &str) -> Told {
    let outer = status(said);
    let status = inner.map_or(outer, |status| status.parse().unwrap());
    let value: Value = serde_json::from_str(text).unwrap_or(Value::Null);
    Told {
        status: if status == 204 { 200 } else { status },
        reason: value["reason"].as_str().and_then(of_identity),
        text: text.to_owned(),
    }
}

pub(super) fn status(said: &str) -> u16 {
    said.split(' ').nth(1).unwrap().parse().unwrap()
}

pub(super) fn body(said: &str) -> &str {
    said.split_once("\r\n\r\n").map_or("", |(_, body)| body)
}

pub(super) fn header<'a>(said: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = said.lines().filter_map(|line| line.split_once(": "));
    lines.find_map(|(known, value)| (known == name).then_some(value))
}
