//! How answers are written.

/// The interim answer to a client that waits with its body.
pub const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// An answer while it is written: status, headers, and last the body.
///
/// ```
/// use tollgate_wire::http1::Reply;
///
/// let mut out = Vec::new();
/// Reply::begin(&mut out, 200).number("X-RateLimit-Limit", 5).body(b"{}");
/// assert_eq!(out, b"HTTP/1.1 200 OK\r\nX-RateLimit-Limit: 5\r\nContent-Length: 2\r\n\r\n{}");
/// ```
#[derive(Debug)]
#[must_use = "an answer ends with its body"]
pub struct Reply<'o> {
    out: &'o mut Vec<u8>,
}

impl<'o> Reply<'o> {
    /// Begins an answer of this status.
    pub fn begin(out: &'o mut Vec<u8>, status: u16) -> Self {
        match status {
            200 => out.extend_from_slice(b"HTTP/1.1 200 OK\r\n"),
            429 => out.extend_from_slice(b"HTTP/1.1 429 Too Many Requests\r\n"),
            _ => {
                out.extend_from_slice(b"HTTP/1.1 ");
                out.extend_from_slice(itoa::Buffer::new().format(status).as_bytes());
                out.push(b' ');
                out.extend_from_slice(reason(status).as_bytes());
                out.extend_from_slice(b"\r\n");
            }
        }
        Self { out }
    }

    /// With headers that are written out already, each line with its end.
    pub fn lines(self, lines: &[u8]) -> Self {
        self.out.extend_from_slice(lines);
        self
    }

    /// With a header. The value must not hold a line end: it is ours, or was checked.
    pub fn header(self, name: &str, value: &[u8]) -> Self {
        self.with(name, |out| out.extend_from_slice(value))
    }

    /// With a header that is a number.
    pub fn number(self, name: &str, value: u64) -> Self {
        self.with(name, |out| {
            out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
        })
    }

    /// With a header whose value is written by `write`.
    pub fn with(self, name: &str, write: impl FnOnce(&mut Vec<u8>)) -> Self {
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b": ");
        write(self.out);
        self.out.extend_from_slice(b"\r\n");
        self
    }

    /// Ends the answer.
    pub fn body(self, body: &[u8]) {
        self.length(body).extend_from_slice(body);
    }

    /// Ends the answer to a `HEAD`: as long as it would be, but without the body.
    pub fn head_only(self, body: &[u8]) {
        self.length(body);
    }

    /// Ends an answer that can have no body, 204 for example.
    pub fn nothing(self) {
        self.out.extend_from_slice(b"\r\n");
    }

    fn length(self, body: &[u8]) -> &'o mut Vec<u8> {
        let out = self.out;
        out.extend_from_slice(b"Content-Length: ");
        out.extend_from_slice(itoa::Buffer::new().format(body.len()).as_bytes());
        out.extend_from_slice(b"\r\n\r\n");
        out
    }
}

/// The phrase that goes with a status; statuses without a name of their own have that of their class.
pub const fn reason(status: u16) -> &'static str {
    match status {
        100 => "Continue",
        200 => "OK",
        204 => "No Content",
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        408 => "Request Timeout",
        409 => "Conflict",
        410 => "Gone",
        412 => "Precondition Failed",
        413 => "Content Too Large",
        414 => "URI Too Long",
        415 => "Unsupported Media Type",
        417 => "Expectation Failed",
        418 => "I'm a teapot",
        421 => "Misdirected Request",
        422 => "Unprocessable Content",
        423 => "Locked",
        425 => "Too Early",
        426 => "Upgrade Required",
        428 => "Precondition Required",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        451 => "Unavailable For Legal Reasons",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        505 => "HTTP Version Not Supported",
        507 => "Insufficient Storage",
        _ if status / 100 == 4 => "Client Error",
        _ if status / 100 == 5 => "Server Error",
        _ => "Answer",
    }
}
