//! A request, as far as this server looks at one.

use std::fmt;

use super::decode::{
    BLANK_LINES_MAX, EXTENSION_BYTES_MAX, HEAD_BYTES_MAX, HEADERS_MAX, TARGET_BYTES_MAX,
    TRAILER_BYTES_MAX,
};

/// One request. What it borrows lies in the bytes it was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// The method, as it was sent.
    pub method: &'a str,
    /// The path, as it was sent; `*` for `OPTIONS *`.
    pub path: &'a str,
    /// What stands after the `?`.
    pub query: Option<&'a str>,
    /// The version of HTTP.
    pub version: Version,
    /// Whether another request may follow.
    pub after: After,
    /// What kind of answer is asked for.
    pub wanted: Wanted,
    /// Who asks.
    pub asker: Asker,
    /// Whether a proxy handed it on.
    pub passage: Passage,
    /// The header `Content-Type`.
    pub content_type: Option<&'a [u8]>,
    /// The header `Authorization`.
    pub authorization: Option<&'a [u8]>,
    /// The header `Tollgate-Caller`.
    pub caller: Option<&'a [u8]>,
    /// All headers, for whoever looks further.
    pub headers: Headers<'a>,
    /// The body, whatever way it came.
    pub body: &'a [u8],
}

/// A version of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// HTTP/1.0.
    Http10,
    /// HTTP/1.1.
    Http11,
}

/// What follows an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// The next request.
    Keep,
    /// The end.
    Close,
}

/// What kind of answer is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Any.
    Any,
    /// `Accept` lists `application/problem+json`.
    Problem,
}

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asker {
    /// A program.
    Program,
    /// A page in a browser: there is an `Origin`, or a `Sec-Fetch-Site` other than `none`.
    Page,
}

/// How a request came here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    /// No header tells of a proxy.
    Direct,
    /// There is `X-Forwarded-*`, `Forwarded`, `X-Real-IP` or `Via`: the peer speaks for another.
    Proxied,
}

impl<'a> Request<'a> {
    /// The token of `Authorization: Bearer TOKEN`.
    pub fn bearer(&self) -> Option<&'a str> {
        let text = str::from_utf8(self.authorization?).ok()?;
        let (scheme, token) = text.split_once(' ')?;
        let is_bearer = scheme.eq_ignore_ascii_case("bearer");
        is_bearer.then(|| token.trim_matches(' '))
    }

    /// Whether the body is, or may be, JSON: it says so, or says nothing, or is said to be a form, which
    /// is what `curl -d` says of everything.
    pub fn is_json(&self) -> bool {
        let Some(kind) = self.content_type else {
            return true;
        };
        let essence = kind.split(|byte| *byte == b';').next().unwrap_or_default();
        let essence = essence.trim_ascii();
        let has_suffix = || {
            let suffix = essence.len().checked_sub(b"+json".len());
            let ending = suffix.and_then(|from| essence.get(from..));
            ending.is_some_and(|ending| ending.eq_ignore_ascii_case(b"+json"))
        };
        let is_one_of = [b"application/json".as_slice(), b"application/x-www-form-urlencoded"];
        let is_named = is_one_of.iter().any(|kind| essence.eq_ignore_ascii_case(kind));
        is_named || has_suffix()
    }
}

/// All headers of a request, as they were sent. Nothing is looked at before somebody asks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Headers<'a> {
    /// A head that was read without objection.
    head: &'a [u8],
}

/// A header that may be there once is there again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Again;

impl<'a> Headers<'a> {
    /// Of a head that was read without objection.
    pub(super) const fn of(head: &'a [u8]) -> Self {
        Self { head }
    }

    /// The values of all headers of this name, in the order in which they were sent, without the blanks
    /// around them.
    ///
    /// ```
    /// use tollgate_wire::http1::{Again, Decoded, Decoder, Limits};
    ///
    /// let mut decoder = Decoder::new(Limits::default());
    /// let bytes = b"GET / HTTP/1.1\r\nHost: a\r\nVia:  b \r\nvia: c\r\n\r\n";
    /// let Ok(Decoded::Whole { request, .. }) = decoder.decode(bytes) else { panic!() };
    /// let values: Vec<&[u8]> = request.headers.all("via").collect();
    /// assert_eq!(values, [b"b", b"c"]);
    /// assert_eq!(request.headers.one("host"), Ok(Some(&b"a"[..])));
    /// assert_eq!(request.headers.one("via"), Err(Again));
    /// ```
    pub fn all(self, name: &str) -> impl Iterator<Item = &'a [u8]> {
        let lines = self.head.split(|byte| *byte == b'\n').skip(1);
        lines.filter_map(move |line| {
            let colon = line.get(name.len())?;
            let (known, value) = line.split_at_checked(name.len())?;
            let is_it = *colon == b':' && known.eq_ignore_ascii_case(name.as_bytes());
            is_it.then(|| value.get(1..).unwrap_or_default().trim_ascii())
        })
    }

    /// The value of a header that may be there once.
    ///
    /// # Errors
    ///
    /// [`Again`] if it is there more than once: nobody knows which of them was meant.
    pub fn one(self, name: &str) -> Result<Option<&'a [u8]>, Again> {
        let mut all = self.all(name);
        let first = all.next();
        match all.next() {
            Some(_) => Err(Again),
            None => Ok(first),
        }
    }
}

/// Headers hold secrets, so only their size is shown.
impl fmt::Debug for Headers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Headers({} bytes)", self.head.len())
    }
}

/// What is wrong with a request. The conversation ends with the answer: nobody knows where the next one
/// would begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Flaw {
    /// Nothing but line ends.
    #[error("more than {BLANK_LINES_MAX} empty lines before a request")]
    BlankLines,
    /// The first line is no request line.
    #[error("the first line is not `METHOD TARGET HTTP/1.1`")]
    RequestLine,
    /// Another version of HTTP.
    #[error("only HTTP/1.1 and HTTP/1.0 are spoken here")]
    Version,
    /// A target that is too long.
    #[error("the target has more than {TARGET_BYTES_MAX} bytes")]
    TargetTooLong,
    /// A target in none of the forms.
    #[error("the target is neither a path, an http:// address, nor `*` for OPTIONS")]
    Target,
    /// A head that is too long.
    #[error("request line and headers have more than {HEAD_BYTES_MAX} bytes")]
    HeadTooLong,
    /// Too many headers.
    #[error("more than {HEADERS_MAX} headers")]
    TooManyHeaders,
    /// A line that ends in LF only.
    #[error("a line ends without CR")]
    BareLf,
    /// A CR within a line.
    #[error("a CR stands alone")]
    BareCr,
    /// A header's name.
    #[error(
        "the name of a header is not a token (a blank before the colon, or a line that is folded?)"
    )]
    HeaderName,
    /// A header's value.
    #[error("the value of a header holds a control character")]
    HeaderValue,
    /// No host.
    #[error("the header Host is missing")]
    HostMissing,
    /// A host that is none.
    #[error("the header Host does not name a host")]
    Host,
    /// A header that may be there once.
    #[error("the header {0} is there twice")]
    Twice(&'static str),
    /// A length that is not a number.
    #[error("Content-Length is not a number")]
    Length,
    /// Two ways to say where the body ends.
    #[error("Content-Length and Transfer-Encoding together")]
    LengthAndEncoding,
    /// Another encoding than chunked.
    #[error("the only Transfer-Encoding understood is exactly `chunked`")]
    TransferEncoding,
    /// An encoding that HTTP/1.0 does not have.
    #[error("HTTP/1.0 has no Transfer-Encoding")]
    EncodingTooNew,
    /// A compressed body.
    #[error("the body must not be compressed: Content-Encoding is not understood")]
    ContentEncoding,
    /// Something else than 100-continue.
    #[error("the only expectation understood is 100-continue")]
    Expectation,
    /// A body that is too long.
    #[error("the body has more than {max} bytes")]
    BodyTooLong {
        /// How many it may have.
        max: usize,
    },
    /// A chunk's size.
    #[error("the size of a chunk is not a hexadecimal number")]
    ChunkSize,
    /// What follows a chunk.
    #[error("a chunk does not end where its size says")]
    ChunkEnd,
    /// The extensions of chunks.
    #[error(
        "the extensions of chunks hold a control character or more than {EXTENSION_BYTES_MAX} bytes"
    )]
    Extension,
    /// Trailers.
    #[error("the trailers are not headers or have more than {TRAILER_BYTES_MAX} bytes")]
    Trailer,
}

impl Flaw {
    /// The status of the answer.
    pub const fn status(self) -> u16 {
        match self {
            Self::BodyTooLong { .. } => 413,
            Self::TargetTooLong => 414,
            Self::ContentEncoding => 415,
            Self::Expectation => 417,
            Self::HeadTooLong | Self::TooManyHeaders => 431,
            Self::TransferEncoding => 501,
            Self::Version => 505,
            _ => 400,
        }
    }
}
