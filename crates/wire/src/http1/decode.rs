//! From bytes to requests.

use super::{
    Flaw, Request, head,
    head::{Expects, Framing, Scan, is_token},
};

/// Reads one client's requests. Feed it what is at hand, drop what it took, and feed it again once there
/// is more: no byte is looked at more than a few times, and what comes out does not depend on how the
/// bytes were cut.
///
/// ```
/// use tollgate_wire::http1::{Decoded, Decoder, Limits};
///
/// let mut decoder = Decoder::new(Limits::default());
/// let bytes = b"POST /check HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}";
/// let Ok(Decoded::Whole { request, taken }) = decoder.decode(bytes) else { panic!() };
/// assert_eq!((request.path, request.body, taken), ("/check", &b"{}"[..], bytes.len()));
/// ```
#[derive(Debug)]
pub struct Decoder {
    limits: Limits,
    scan: Scan,
    stage: Stage,
    /// The head of a request whose body came later.
    head: Vec<u8>,
    /// The body of a request that came in pieces.
    body: Vec<u8>,
}

#[derive(Debug)]
enum Stage {
    Head,
    Fixed { left: usize },
    Chunked(Chunked),
    Gathered,
}

/// What the start of the input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decoded<'i> {
    /// Part of a request, or nothing.
    Partial {
        /// So many bytes are done with.
        taken: usize,
    },
    /// The head of a request whose sender waits for [`CONTINUE`](super::CONTINUE) before it sends the
    /// body.
    Continue {
        /// So many bytes are done with.
        taken: usize,
    },
    /// A request that lies in the input.
    Whole {
        /// The request.
        request: Request<'i>,
        /// So many bytes are done with.
        taken: usize,
    },
    /// The end of a request that came in pieces: [`Decoder::gathered`] has it.
    Gathered {
        /// So many bytes are done with.
        taken: usize,
    },
}

impl Decoder {
    /// At the start of a conversation.
    pub const fn new(limits: Limits) -> Self {
        Self { limits, scan: Scan::new(), stage: Stage::Head, head: Vec::new(), body: Vec::new() }
    }

    /// Reads the start of `input`, which is what was left of the input before, and more.
    ///
    /// # Errors
    ///
    /// [`Flaw`]; there is nothing more to read from this client.
    pub fn decode<'i>(&mut self, input: &'i [u8]) -> Result<Decoded<'i>, Flaw> {
        match &self.stage {
            Stage::Head => self.read_head(input),
            Stage::Gathered => {
                self.forget();
                self.read_head(input)
            }
            Stage::Fixed { .. } | Stage::Chunked(_) => self.read_body(input, 0),
        }
    }

    /// The request that came in pieces, until [`Decoder::decode`] is called again.
    pub fn gathered(&self) -> Option<Request<'_>> {
        let Stage::Gathered = self.stage else {
            return None;
        };
        let head = head::parse(&self.head, self.limits).ok()?;
        Some(Request { body: &self.body, ..head.request })
    }

    /// Lets go of the request that came in pieces, and of its memory.
    pub fn release(&mut self) {
        if let Stage::Gathered = self.stage {
            self.forget();
        }
    }

    /// The bytes of memory that it has taken for a request that came in pieces.
    pub const fn capacity(&self) -> usize {
        self.head.capacity() + self.body.capacity()
    }

    /// Whether no request is begun.
    pub const fn is_idle(&self) -> bool {
        matches!(self.stage, Stage::Head | Stage::Gathered) && self.scan.is_idle()
    }

    fn read_head<'i>(&mut self, input: &'i [u8]) -> Result<Decoded<'i>, Flaw> {
        let blanks = self.scan.blanks(input)?;
        let input = input.get(blanks..).unwrap_or_default();
        let Some(length) = self.scan.head(input)? else {
            return Ok(Decoded::Partial { taken: blanks });
        };
        self.scan = Scan::new();
        let (bytes, rest) = input.split_at_checked(length).unwrap_or((input, &[]));
        let head = head::parse(bytes, self.limits)?;
        if let (Framing::Fixed(left), Expects::Nothing) = (head.framing, head.expects)
            && let Some(body) = rest.get(..left)
        {
            let request = Request { body, ..head.request };
            let taken = blanks + length + left;
            return Ok(Decoded::Whole { request, taken });
        }
        self.head.extend_from_slice(bytes);
        self.stage = match head.framing {
            Framing::Fixed(left) => Stage::Fixed { left },
            Framing::Chunked => Stage::Chunked(Chunked::new(self.limits.at(head.request.path))),
        };
        match head.expects {
            Expects::Continue => Ok(Decoded::Continue { taken: blanks + length }),
            Expects::Nothing => self.read_body(rest, blanks + length),
        }
    }

    /// Reads on in a body, after `before` bytes that are done with.
    fn read_body<'i>(&mut self, bytes: &[u8], before: usize) -> Result<Decoded<'i>, Flaw> {
        let (used, is_done) = match &mut self.stage {
            Stage::Chunked(chunked) => {
                let used = chunked.feed(bytes, &mut self.body)?;
                (used, chunked.is_done())
            }
            Stage::Fixed { left } => {
                let data = bytes.get(..*left).unwrap_or(bytes);
                if self.body.capacity() - self.body.len() < data.len() {
                    // As a vector grows, and not beyond what is announced.
                    let more = self.body.capacity().max(data.len()).min(*left);
                    self.body.reserve_exact(more);
                }
                self.body.extend_from_slice(data);
                *left -= data.len();
                (data.len(), *left == 0)
            }
            Stage::Head | Stage::Gathered => (0, false),
        };
        let taken = before + used;
        if is_done {
            self.stage = Stage::Gathered;
            return Ok(Decoded::Gathered { taken });
        }
        Ok(Decoded::Partial { taken })
    }

    fn forget(&mut self) {
        self.stage = Stage::Head;
        for buffer in [&mut self.head, &mut self.body] {
            buffer.clear();
            buffer.shrink_to(KEPT_BYTES_MAX);
        }
    }
}

/// Takes the chunks of one body apart, each byte once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunked {
    body_bytes_max: usize,
    at: At,
    /// The size of a chunk while it is read, then what is left of it.
    left: usize,
    digits: u8,
    extension_bytes: usize,
    trailer_bytes: usize,
}

/// What is read next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum At {
    #[default]
    Size,
    Extension,
    SizeLf,
    Data,
    DataCr,
    DataLf,
    TrailerStart,
    Trailer,
    TrailerLf,
    LastLf,
    End,
}

impl Chunked {
    pub(super) fn new(body_bytes_max: usize) -> Self {
        Self {
            body_bytes_max,
            at: At::default(),
            left: 0,
            digits: 0,
            extension_bytes: 0,
            trailer_bytes: 0,
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.at == At::End
    }

    /// Appends what of the body is in `bytes`, and says how many of them it took.
    pub(super) fn feed(&mut self, bytes: &[u8], body: &mut Vec<u8>) -> Result<usize, Flaw> {
        let mut used = 0;
        while let (false, Some(&byte)) = (self.is_done(), bytes.get(used)) {
            if self.at == At::Data {
                let rest = bytes.get(used..).unwrap_or_default();
                let data = rest.get(..self.left.min(rest.len())).unwrap_or_default();
                body.extend_from_slice(data);
                used += data.len();
                self.left -= data.len();
                self.at = if self.left == 0 { At::DataCr } else { At::Data };
                continue;
            }
            self.at = self.step(byte, self.body_bytes_max.saturating_sub(body.len()))?;
            used += 1;
        }
        Ok(used)
    }

    /// What follows a byte that is not data.
    fn step(&mut self, byte: u8, room: usize) -> Result<At, Flaw> {
        match (self.at, byte) {
            (At::Size, _) => self.size(byte, room),
            (At::Extension, b'\r') => Ok(At::SizeLf),
            (At::Extension, _) => self.extension(byte),
            (At::SizeLf, b'\n') if self.left == 0 => Ok(At::TrailerStart),
            (At::SizeLf, b'\n') => Ok(At::Data),
            (At::SizeLf, _) => Err(Flaw::BareCr),
            (At::DataCr, b'\r') => Ok(At::DataLf),
            (At::DataLf, b'\n') => {
                self.digits = 0;
                Ok(At::Size)
            }
            (At::DataCr | At::DataLf, _) => Err(Flaw::ChunkEnd),
            (At::TrailerStart, b'\r') => Ok(At::LastLf),
            (At::TrailerStart, _) if is_token(byte) => self.trailer(byte),
            (At::TrailerStart, _) => Err(Flaw::Trailer),
            (At::Trailer, b'\r') => Ok(At::TrailerLf),
            (At::Trailer, _) => self.trailer(byte),
            (At::TrailerLf, b'\n') => Ok(At::TrailerStart),
            (At::LastLf, b'\n') => Ok(At::End),
            (At::TrailerLf | At::LastLf, _) => Err(Flaw::BareCr),
            (at @ (At::Data | At::End), _) => Ok(at),
        }
    }

    fn size(&mut self, byte: u8, room: usize) -> Result<At, Flaw> {
        let digit = char::from(byte).to_digit(16);
        match (digit.and_then(|digit| usize::try_from(digit).ok()), byte) {
            (Some(_), _) if self.digits == CHUNK_DIGITS_MAX => Err(Flaw::ChunkSize),
            (Some(digit), _) => {
                self.left = self.left.saturating_mul(16).saturating_add(digit);
                self.digits += 1;
                Ok(At::Size)
            }
            (None, b'\r' | b';') if self.digits > 0 => {
                if self.left > room {
                    return Err(Flaw::BodyTooLong { max: self.body_bytes_max });
                }
                Ok(if byte == b'\r' { At::SizeLf } else { At::Extension })
            }
            (None, _) => Err(Flaw::ChunkSize),
        }
    }

    fn extension(&mut self, byte: u8) -> Result<At, Flaw> {
        self.extension_bytes += 1;
        if is_control(byte) || self.extension_bytes > EXTENSION_BYTES_MAX {
            return Err(Flaw::Extension);
        }
        Ok(At::Extension)
    }

    fn trailer(&mut self, byte: u8) -> Result<At, Flaw> {
        self.trailer_bytes += 1;
        if is_control(byte) || self.trailer_bytes > TRAILER_BYTES_MAX {
            return Err(Flaw::Trailer);
        }
        Ok(At::Trailer)
    }
}

const fn is_control(byte: u8) -> bool {
    byte.is_ascii_control() && byte != b'\t'
}

/// The bytes of a request line and all headers together.
pub const HEAD_BYTES_MAX: usize = 16 * 1024;
/// The headers of one request.
pub const HEADERS_MAX: usize = 64;
/// The bytes of what is asked for: path and query.
pub const TARGET_BYTES_MAX: usize = 8 * 1024;
/// The bytes of a request line beside its target: a method, two blanks, the version.
pub(super) const LINE_REST_BYTES_MAX: usize = 64;
/// Empty lines that are overlooked before a request: some clients send one after a body.
pub(super) const BLANK_LINES_MAX: u8 = 4;
/// The digits of a chunk's size.
pub(super) const CHUNK_DIGITS_MAX: u8 = 16;
/// The extensions of all chunks of a body together. They are ignored.
pub(super) const EXTENSION_BYTES_MAX: usize = 4 * 1024;
/// The trailers of a body. They are dropped.
pub(super) const TRAILER_BYTES_MAX: usize = 4 * 1024;
/// What is kept of the buffers of a large request, for the next one.
pub(super) const KEPT_BYTES_MAX: usize = 64 * 1024;

/// How much a client may send, as far as an operator has a say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The bytes of a body.
    pub body_bytes_max: usize,
    /// The bytes of a body at one of the short paths, if that is less.
    pub short_bytes_max: usize,
    /// The paths where bodies are short.
    pub short_paths: &'static [&'static str],
}

impl Limits {
    /// The bytes of a body at this path.
    pub(super) fn at(&self, path: &str) -> usize {
        match self.short_paths.contains(&path) {
            true => self.body_bytes_max.min(self.short_bytes_max),
            false => self.body_bytes_max,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { body_bytes_max: 1 << 20, short_bytes_max: 1 << 16, short_paths: &[] }
    }
}
