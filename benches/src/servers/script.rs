//! What is asked, as bytes.

use std::fmt::Write as _;

use crate::rules::Asked;

/// Requests one after the other, and how to tell their answers apart.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    bytes: Vec<u8>,
    /// Where each request ends.
    ends: Vec<usize>,
    /// Begins every answer and is nowhere else in one.
    pub(super) marker: &'static [u8],
    /// Decisions in one request.
    pub(super) decisions: u64,
    /// What is called over gRPC.
    pub(super) method: &'static str,
}

/// Requests in a script; then it begins anew.
const REQUESTS: usize = 4_096;
const USERS: usize = 100_000;

impl Script {
    fn new<T: AsRef<[u8]>>(marker: &'static [u8], request: impl FnMut(usize) -> T) -> Self {
        Self::of(REQUESTS, marker, request)
    }

    fn of<T: AsRef<[u8]>>(
        requests: usize,
        marker: &'static [u8],
        mut request: impl FnMut(usize) -> T,
    ) -> Self {
        let mut script =
            Self { bytes: Vec::new(), ends: Vec::new(), marker, decisions: 1, method: "" };
        for number in 0..requests {
            script.bytes.extend_from_slice(request(number).as_ref());
            script.ends.push(script.bytes.len());
        }
        script
    }

    /// `count` requests from the `first` on; a run that would pass the end is taken from the start.
    pub(super) fn run(&self, first: usize, count: usize) -> &[u8] {
        let first = first % (self.ends.len() - count + 1);
        let start = if first == 0 { 0 } else { self.ends[first - 1] };
        &self.bytes[start..self.ends[first + count - 1]]
    }

    /// Redis commands whose answers begin with `marker`.
    pub(crate) fn resp(marker: &'static [u8], words: impl Fn(usize) -> Vec<String>) -> Self {
        Self::new(marker, |number| {
            let words = words(user(number));
            let mut text = format!("*{}\r\n", words.len());
            for word in words {
                write!(text, "${}\r\n{word}\r\n", word.len()).expect("a string takes all");
            }
            text
        })
    }

    /// `TG.CHECK` with four facts, against 200 rules.
    pub(crate) fn tg_check() -> Self {
        Self::resp(b"*6", |user| {
            let asked = Asked::new(user % 200);
            let mut words = vec!["TG.CHECK".to_owned()];
            for (field, value) in asked.facts(user) {
                words.extend([field.to_owned(), value]);
            }
            words
        })
    }

    /// The same for one user who asks the same again and again.
    pub(super) fn one_tg_check() -> Self {
        Self::resp(b"*6", |_| {
            let mut words = vec!["TG.CHECK".to_owned()];
            for (field, value) in Asked::new(0).facts(0) {
                words.extend([field.to_owned(), value]);
            }
            words
        })
    }

    /// Posts of JSON to a path.
    pub(super) fn post(path: &str, body: impl Fn(usize) -> String) -> Self {
        Self::posts(REQUESTS, path, |number| body(user(number)))
    }

    /// So many of them, told apart by their number.
    pub(super) fn posts(requests: usize, path: &str, body: impl Fn(usize) -> String) -> Self {
        Self::of(requests, b"HTTP/1.1 ", |number| {
            let body = body(number);
            let length = body.len();
            format!(
                "POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
                 Content-Length: {length}\r\n\r\n{body}"
            )
        })
    }

    /// Messages to a method of gRPC, each behind its length.
    pub(super) fn calls(method: &'static str, message: impl Fn(usize) -> Vec<u8>) -> Self {
        let script = Self::new(b"", |number| {
            let message = message(user(number));
            let length = u32::try_from(message.len()).expect("a small message");
            let mut framed = vec![0];
            framed.extend_from_slice(&length.to_be_bytes());
            framed.extend_from_slice(&message);
            framed
        });
        Self { method, ..script }
    }

    /// A check with four facts, against 200 rules.
    pub(crate) fn check() -> Self {
        Self::post("/ratelimit/check", facts)
    }

    /// A hundred of them in one request.
    pub(super) fn batch() -> Self {
        let body = |user: usize| {
            let each: Vec<String> = (0..100).map(|number| facts(user + number * 37)).collect();
            format!(r#"{{"requests":[{}]}}"#, each.join(","))
        };
        Self { decisions: 100, ..Self::post("/ratelimit/check/batch", body) }
    }
}

fn facts(user: usize) -> String {
    let asked = Asked::new(user % 200);
    let facts = asked.facts(user);
    let members: Vec<String> =
        facts.iter().map(|(field, value)| format!(r#""{field}":"{value}""#)).collect();
    format!("{{{}}}", members.join(","))
}

/// The same order for everybody, users scattered.
const fn user(number: usize) -> usize {
    number * 7_919 % USERS
}
