//! Questions to bytes.

use tollgate_wire::{
    check::{self, CheckBody},
    http1::AnswerDecoder,
    resp,
};

use super::{
    address::{Address, Protocol},
    connection::Expected,
    reader::Reader,
};

/// The most bytes of one answer.
const ANSWER_BYTES_MAX: usize = 4 << 20;

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Question<'a, 'b> {
    Check(&'a CheckBody<'b>),
    Peek(&'a CheckBody<'b>),
    Batch(&'a [CheckBody<'b>]),
}

impl Question<'_, '_> {
    pub(crate) const fn expected(&self) -> Expected {
        match self {
            Self::Check(_) | Self::Peek(_) => Expected::One,
            Self::Batch(bodies) => Expected::Batch(bodies.len()),
        }
    }
}

/// How questions to one server are written.
#[derive(Debug)]
pub(crate) enum Writer {
    /// The heads of requests, up to the number of bytes that follow.
    Http { check: Box<[u8]>, peek: Box<[u8]>, batch: Box<[u8]> },
    /// What every connection begins with.
    Resp { greeting: Box<[u8]>, replies: usize },
}

impl Writer {
    pub(crate) fn new(address: &Address, caller: &str, token: Option<&str>) -> Self {
        match address.protocol {
            Protocol::Http => {
                let head = |path: &str| {
                    let bearer = token.map(|token| format!("Authorization: Bearer {token}\r\n"));
                    let text = format!(
                        "POST {path} HTTP/1.1\r\nHost: {}\r\nTollgate-Caller: {caller}\r\n{}\
                         Content-Type: application/json\r\nContent-Length: ",
                        address.authority(),
                        bearer.unwrap_or_default(),
                    );
                    text.into_bytes().into_boxed_slice()
                };
                Self::Http {
                    check: head("/ratelimit/check"),
                    peek: head("/ratelimit/peek"),
                    batch: head("/ratelimit/check/batch"),
                }
            }
            Protocol::Resp => {
                let mut greeting = Vec::new();
                if let Some(token) = token {
                    resp::write_command(["AUTH", token], &mut greeting);
                }
                resp::write_command(["TG.CALLER", caller], &mut greeting);
                Self::Resp { greeting: greeting.into(), replies: 1 + usize::from(token.is_some()) }
            }
        }
    }

    /// Appends a question.
    pub(crate) fn write(&self, question: Question<'_, '_>, out: &mut Vec<u8>) {
        match (self, question) {
            (Self::Http { check, .. }, Question::Check(body)) => {
                request(check, |out| body.write(out), out);
            }
            (Self::Http { peek, .. }, Question::Peek(body)) => {
                request(peek, |out| body.write(out), out);
            }
            (Self::Http { batch, .. }, Question::Batch(bodies)) => {
                request(batch, |out| check::write_batch(bodies, out), out);
            }
            (Self::Resp { .. }, Question::Check(body)) => command("TG.DECIDE", body, out),
            (Self::Resp { .. }, Question::Peek(body)) => command("TG.PEEK", body, out),
            (Self::Resp { .. }, Question::Batch(bodies)) => {
                for body in bodies {
                    command("TG.DECIDE", body, out);
                }
            }
        }
    }

    /// What a connection begins with.
    pub(super) fn greeting(&self) -> &[u8] {
        match self {
            Self::Http { .. } => &[],
            Self::Resp { greeting, .. } => greeting,
        }
    }

    /// Who reads what such a connection says.
    pub(super) const fn reader(&self) -> Reader {
        match self {
            Self::Http { .. } => Reader::Http(AnswerDecoder::new(ANSWER_BYTES_MAX)),
            Self::Resp { replies, .. } => {
                Reader::Resp { greetings: *replies, callers: None, said: None }
            }
        }
    }
}

/// A request with its body; how long that is stands before it.
fn request(head: &[u8], write: impl FnOnce(&mut Vec<u8>), out: &mut Vec<u8>) {
    let mut body = Vec::with_capacity(256);
    write(&mut body);
    out.reserve(head.len() + body.len() + 16);
    out.extend_from_slice(head);
    out.extend_from_slice(body.len().to_string().as_bytes());
    out.extend_from_slice(b"\r\n\r\n");
    out.extend_from_slice(&body);
}

fn command(name: &str, body: &CheckBody<'_>, out: &mut Vec<u8>) {
    let cost = body.cost.map(|cost| cost.to_string());
    let mut names = Vec::with_capacity(body.attributes.len());
    for (attribute, _) in &body.attributes {
        names.push(format!("attributes.{attribute}"));
    }
    let mut words: Vec<&str> = Vec::with_capacity(16);
    words.push(name);
    for (field, text) in body.texts() {
        words.extend([field, text]);
    }
    for (name, (_, value)) in names.iter().zip(&body.attributes) {
        words.extend([name.as_str(), value.as_ref()]);
    }
    if let Some(cost) = &cost {
        words.extend(["cost", cost.as_str()]);
    }
    resp::write_command(words, out);
}
