//! From bytes to requests.

use super::{
    Flaw, Limits, Request,
    chunked::Chunked,
    head::{self, Expects, Framing},
    limits::KEPT_BYTES_MAX,
    scan::Scan,
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
        Self {
            limits,
            scan: Scan::new(),
            stage: Stage::Head,
            head: Vec::new(),
            body: Vec::new(),
        }
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
        Some(Request {
            body: &self.body,
            ..head.request
        })
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
            let request = Request {
                body,
                ..head.request
            };
            let taken = blanks + length + left;
            return Ok(Decoded::Whole { request, taken });
        }
        self.head.extend_from_slice(bytes);
        self.stage = match head.framing {
            Framing::Fixed(left) => Stage::Fixed { left },
            Framing::Chunked => Stage::Chunked(Chunked::new(self.limits.at(head.request.path))),
        };
        match head.expects {
            Expects::Continue => Ok(Decoded::Continue {
                taken: blanks + length,
            }),
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
