//! From the bytes of a head to what they say.

use std::mem::MaybeUninit;

use httparse::{Error, Header, Status};

use super::{
    After, Asker, Flaw, Headers, Limits, Passage, Request, Version, Wanted, limits::HEADERS_MAX,
    target,
};
use crate::forwarded;

/// A head, and what follows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head<'a> {
    /// The request, without its body.
    pub(super) request: Request<'a>,
    pub(super) framing: Framing,
    pub(super) expects: Expects,
}

/// Where the body ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// After so many bytes.
    Fixed(usize),
    /// Where its chunks say.
    Chunked,
}

/// Whether the client waits with the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expects {
    Nothing,
    Continue,
}

/// Reads a head of which every line ends in CR and LF.
pub(super) fn parse(bytes: &[u8], limits: Limits) -> Result<Head<'_>, Flaw> {
    let mut headers = [const { MaybeUninit::uninit() }; HEADERS_MAX];
    let mut parsed = httparse::Request::new(&mut []);
    match parsed.parse_with_uninit_headers(bytes, &mut headers) {
        Ok(Status::Complete(length)) if length == bytes.len() => {}
        Ok(_) => return Err(Flaw::RequestLine),
        Err(error) => return Err(flaw(error)),
    }
    let (Some(method), Some(target), Some(minor)) = (parsed.method, parsed.path, parsed.version)
    else {
        return Err(Flaw::RequestLine);
    };
    let version = if minor == 0 {
        Version::Http10
    } else {
        Version::Http11
    };
    let fields = Fields::read(parsed.headers)?;
    let split = target::split(method, target);
    let path = split.as_ref().map_or("", |(path, _)| *path);
    let framing = fields.framing(version, limits, path)?;
    let expects = fields.expects(version, framing)?;
    let (path, query) = split?;
    if fields.host.is_none() && version == Version::Http11 {
        return Err(Flaw::HostMissing);
    }
    let request = Request {
        method,
        path,
        query,
        version,
        after: fields.after(version),
        wanted: fields.wanted,
        asker: fields.asker,
        passage: fields.passage,
        content_type: fields.content_type,
        authorization: fields.authorization,
        caller: fields.caller,
        headers: Headers::of(bytes),
        body: &[],
    };
    Ok(Head {
        request,
        framing,
        expects,
    })
}

const fn flaw(error: Error) -> Flaw {
    match error {
        Error::HeaderName => Flaw::HeaderName,
        Error::HeaderValue => Flaw::HeaderValue,
        Error::TooManyHeaders => Flaw::TooManyHeaders,
        Error::NewLine => Flaw::BareCr,
        // The line ends in a version that we speak: what precedes it is wrong.
        Error::Version | Error::Status | Error::Token => Flaw::RequestLine,
    }
}

/// The headers that mean something here.
#[derive(Clone, Copy, Debug)]
struct Fields<'a> {
    host: Option<&'a [u8]>,
    length: Option<&'a [u8]>,
    transfer_encoding: Option<&'a [u8]>,
    expect: Option<&'a [u8]>,
    content_type: Option<&'a [u8]>,
    authorization: Option<&'a [u8]>,
    caller: Option<&'a [u8]>,
    wanted: Wanted,
    asker: Asker,
    passage: Passage,
    says_close: Said,
    says_keep: Said,
    is_encoded: Said,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    No,
    Yes,
}

impl<'a> Fields<'a> {
    fn read(headers: &[Header<'a>]) -> Result<Self, Flaw> {
        let mut fields = Self {
            host: None,
            length: None,
            transfer_encoding: None,
            expect: None,
            content_type: None,
            authorization: None,
            caller: None,
            wanted: Wanted::Any,
            asker: Asker::Program,
            passage: Passage::Direct,
            says_close: Said::No,
            says_keep: Said::No,
            is_encoded: Said::No,
        };
        for header in headers {
            fields.take(header.name, header.value)?;
        }
        Ok(fields)
    }

    /// The length of a name tells most of them apart.
    fn take(&mut self, name: &str, value: &'a [u8]) -> Result<(), Flaw> {
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        match name.len() {
            4 if is("host") => {
                check_host(value)?;
                once(&mut self.host, value, "Host")?;
            }
            6 if is("accept") && lists_problem(value) => self.wanted = Wanted::Problem,
            6 if is("expect") => once(&mut self.expect, value, "Expect")?,
            6 if is("origin") => self.asker = Asker::Page,
            10 if is("connection") => self.connection(value),
            12 if is("content-type") => once(&mut self.content_type, value, "Content-Type")?,
            13 if is("authorization") => once(&mut self.authorization, value, "Authorization")?,
            14 if is("content-length") => once(&mut self.length, value, "Content-Length")?,
            // `none` is a request that a person made, not a page.
            14 if is("sec-fetch-site") && value != b"none" => self.asker = Asker::Page,
            15 if is("tollgate-caller") => once(&mut self.caller, value, "Tollgate-Caller")?,
            16 if is("content-encoding") && !value.eq_ignore_ascii_case(b"identity") => {
                self.is_encoded = Said::Yes;
            }
            17 if is("transfer-encoding") => {
                once(&mut self.transfer_encoding, value, "Transfer-Encoding")?;
            }
            _ if forwarded::is_of_proxy(name) => self.passage = Passage::Proxied,
            _ => {}
        }
        Ok(())
    }

    fn connection(&mut self, value: &[u8]) {
        for option in value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
            if option.eq_ignore_ascii_case(b"close") {
                self.says_close = Said::Yes;
            } else if option.eq_ignore_ascii_case(b"keep-alive") {
                self.says_keep = Said::Yes;
            }
        }
    }

    fn framing(&self, version: Version, limits: Limits, path: &str) -> Result<Framing, Flaw> {
        let framing = match (self.transfer_encoding, self.length) {
            (Some(_), Some(_)) => return Err(Flaw::LengthAndEncoding),
            (Some(_), None) if version == Version::Http10 => return Err(Flaw::EncodingTooNew),
            (Some(encoding), None) if encoding.eq_ignore_ascii_case(b"chunked") => Framing::Chunked,
            (Some(_), None) => return Err(Flaw::TransferEncoding),
            (None, Some(length)) => Framing::Fixed(fixed(length, limits, path)?),
            (None, None) => Framing::Fixed(0),
        };
        // A gateway may ask without the body that its client's headers speak of.
        if self.is_encoded == Said::Yes && framing != Framing::Fixed(0) {
            return Err(Flaw::ContentEncoding);
        }
        Ok(framing)
    }

    /// HTTP/1.0 does not know expectations, so there they are overlooked.
    fn expects(&self, version: Version, framing: Framing) -> Result<Expects, Flaw> {
        match self.expect {
            Some(_) if version == Version::Http10 => Ok(Expects::Nothing),
            Some(expected) if !expected.eq_ignore_ascii_case(b"100-continue") => {
                Err(Flaw::Expectation)
            }
            Some(_) if framing != Framing::Fixed(0) => Ok(Expects::Continue),
            _ => Ok(Expects::Nothing),
        }
    }

    fn after(&self, version: Version) -> After {
        match (version, self.says_close, self.says_keep) {
            (_, Said::Yes, _) | (Version::Http10, _, Said::No) => After::Close,
            _ => After::Keep,
        }
    }
}

/// Two of them are two opinions, even where they agree: somebody before us may have read the other.
fn once<'a>(place: &mut Option<&'a [u8]>, value: &'a [u8], name: &'static str) -> Result<(), Flaw> {
    if place.replace(value).is_some() {
        return Err(Flaw::Twice(name));
    }
    Ok(())
}

fn fixed(length: &[u8], limits: Limits, path: &str) -> Result<usize, Flaw> {
    if length.is_empty() || !length.iter().all(u8::is_ascii_digit) {
        return Err(Flaw::Length);
    }
    let value = length.iter().fold(0_usize, |value, digit| {
        value
            .saturating_mul(10)
            .saturating_add(usize::from(digit - b'0'))
    });
    // The path is looked at only if it matters.
    if value > limits.short_bytes_max.min(limits.body_bytes_max) {
        let max = limits.at(path);
        if value > max {
            return Err(Flaw::BodyTooLong { max });
        }
    }
    Ok(value)
}

fn check_host(value: &[u8]) -> Result<(), Flaw> {
    let is_sound = |byte: &u8| {
        byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'!' | b'$'..=b'+' | b'-' | b'.' | b':' | b';' | b'=' | b'[' | b']' | b'_' | b'~'
            )
    };
    if value.iter().all(is_sound) {
        Ok(())
    } else {
        Err(Flaw::Host)
    }
}

/// Whether `application/problem+json` is among these, and not with a weight of nothing.
fn lists_problem(value: &[u8]) -> bool {
    value.split(|byte| *byte == b',').any(|range| {
        let mut parts = range.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
        let kind = parts.next().unwrap_or_default();
        let is_nothing = |part: &[u8]| {
            let weight = part.strip_prefix(b"q=").or(part.strip_prefix(b"Q="));
            weight.is_some_and(|weight| weight.iter().all(|byte| b"0.".contains(byte)))
        };
        kind.eq_ignore_ascii_case(b"application/problem+json") && !parts.any(is_nothing)
    })
}
