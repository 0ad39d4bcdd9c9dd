//! From the bytes of a head to what they say.

use std::mem::MaybeUninit;

use httparse::{Error, Header, Status};
use memchr::memchr;

use super::{
    After, Asker, Flaw, Headers, Limits, Passage, Request, Version, Wanted,
    decode::{BLANK_LINES_MAX, HEAD_BYTES_MAX, HEADERS_MAX, LINE_REST_BYTES_MAX, TARGET_BYTES_MAX},
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
    let version = if minor == 0 { Version::Http10 } else { Version::Http11 };
    let fields = Fields::read(parsed.headers)?;
    let split = split(method, target);
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
    Ok(Head { request, framing, expects })
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
        value.saturating_mul(10).saturating_add(usize::from(digit - b'0'))
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
    if value.iter().all(is_sound) { Ok(()) } else { Err(Flaw::Host) }
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

/// Looks at every byte of a head once, however it is cut. What it objects to depends on the bytes only.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scan {
    /// So many bytes were looked at.
    seen: usize,
    /// Where the line begins that was not finished.
    line: usize,
    /// Empty lines before the request.
    blanks: u8,
}

const FIRST_LINE_BYTES_MAX: usize = TARGET_BYTES_MAX + LINE_REST_BYTES_MAX;

impl Scan {
    pub(super) const fn new() -> Self {
        Self { seen: 0, line: 0, blanks: 0 }
    }

    /// Whether nothing of a request is there.
    pub(super) const fn is_idle(&self) -> bool {
        self.seen == 0
    }

    /// How many bytes of empty lines stand before the request.
    pub(super) fn blanks(&mut self, bytes: &[u8]) -> Result<usize, Flaw> {
        let mut taken = 0;
        while self.seen == 0 {
            match bytes.get(taken..).unwrap_or_default() {
                [b'\r', b'\n', ..] if self.blanks == BLANK_LINES_MAX => {
                    return Err(Flaw::BlankLines);
                }
                [b'\r', b'\n', ..] => self.blanks += 1,
                [b'\r', _, ..] => return Err(Flaw::BareCr),
                [b'\n', ..] => return Err(Flaw::BareLf),
                _ => break,
            }
            taken += 2;
        }
        Ok(taken)
    }

    /// The length of the head at the start of `bytes`, if all of it is there.
    pub(super) fn head(&mut self, bytes: &[u8]) -> Result<Option<usize>, Flaw> {
        match bytes.first() {
            // One CR may yet become an empty line.
            None | Some(b'\r') => return Ok(None),
            Some(first) if !is_token(*first) => return Err(Flaw::RequestLine),
            Some(_) => {}
        }
        while let Some(found) = memchr(b'\n', bytes.get(self.seen..).unwrap_or_default()) {
            let end = self.seen + found;
            self.check_length(end + 1)?;
            let line = bytes.get(self.line..end).unwrap_or_default();
            let Some(line) = line.strip_suffix(b"\r") else {
                return Err(Flaw::BareLf);
            };
            if self.line == 0 {
                check_version(line)?;
            }
            if line.is_empty() {
                return Ok(Some(end + 1));
            }
            self.line = end + 1;
            self.seen = end + 1;
        }
        self.seen = bytes.len();
        self.check_length(bytes.len())?;
        Ok(None)
    }

    fn check_length(&self, length: usize) -> Result<(), Flaw> {
        if self.line == 0 && length > FIRST_LINE_BYTES_MAX {
            return Err(Flaw::TargetTooLong);
        }
        if length > HEAD_BYTES_MAX {
            return Err(Flaw::HeadTooLong);
        }
        Ok(())
    }
}

/// Early, so that somebody who speaks another protocol is not waited for.
fn check_version(line: &[u8]) -> Result<(), Flaw> {
    if line.ends_with(b" HTTP/1.1") || line.ends_with(b" HTTP/1.0") {
        return Ok(());
    }
    let version = line.rsplit(|byte| *byte == b' ').next();
    match version.and_then(|version| version.strip_prefix(b"HTTP/")) {
        Some([major, b'.', minor]) if major.is_ascii_digit() && minor.is_ascii_digit() => {
            Err(Flaw::Version)
        }
        _ => Err(Flaw::RequestLine),
    }
}

/// Whether a byte may be part of a method or of a header's name.
pub(super) const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'!' | b'#'
                | b'$'
                | b'%'
                | b'&'
                | b'\''
                | b'*'
                | b'+'
                | b'-'
                | b'.'
                | b'^'
                | b'_'
                | b'`'
                | b'|'
                | b'~'
        )
}

/// The path and the query of a target in any form a server must understand.
pub(super) fn split<'a>(method: &str, target: &'a str) -> Result<(&'a str, Option<&'a str>), Flaw> {
    if target.len() > TARGET_BYTES_MAX {
        return Err(Flaw::TargetTooLong);
    }
    if !target.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#') {
        return Err(Flaw::Target);
    }
    if target == "*" && method == "OPTIONS" {
        return Ok((target, None));
    }
    let origin = if target.starts_with('/') {
        target
    } else {
        after_authority(target).ok_or(Flaw::Target)?
    };
    Ok(match origin.split_once('?') {
        Some(("", query)) => ("/", Some(query)),
        Some((path, query)) => (path, Some(query)),
        None if origin.is_empty() => ("/", None),
        None => (origin, None),
    })
}

/// What stands after `http://host`.
fn after_authority(target: &str) -> Option<&str> {
    let (scheme, rest) = target.split_once("://")?;
    let is_ours = ["http", "https"].iter().any(|ours| scheme.eq_ignore_ascii_case(ours));
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, origin) = rest.split_at_checked(end)?;
    (is_ours && !authority.is_empty()).then_some(origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_has_its_path() {
        let split = |target| split("GET", target);
        assert_eq!(split("/a/b"), Ok(("/a/b", None)));
        assert_eq!(split("/a?b=c?d"), Ok(("/a", Some("b=c?d"))));
        assert_eq!(split("/a?"), Ok(("/a", Some(""))));
        assert_eq!(split("http://host/a?b"), Ok(("/a", Some("b"))));
        assert_eq!(split("HTTP://host:80"), Ok(("/", None)));
        assert_eq!(split("https://host?b"), Ok(("/", Some("b"))));
        for wrong in ["", "a", "*", "host:443", "ftp://host/", "http:///a", "/a#b", "/\u{e9}"] {
            assert_eq!(split(wrong), Err(Flaw::Target), "{wrong}");
        }
        assert_eq!(super::split("OPTIONS", "*"), Ok(("*", None)));
        let long = "/".repeat(TARGET_BYTES_MAX + 1);
        assert_eq!(split(&long), Err(Flaw::TargetTooLong));
    }
}
