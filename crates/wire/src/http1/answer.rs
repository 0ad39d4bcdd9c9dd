//! Answers, as a client reads them.

use std::mem::MaybeUninit;

use httparse::{Header, Status};

use super::{
    After, Flaw, Headers,
    decode::{Chunked, HEAD_BYTES_MAX, HEADERS_MAX, KEPT_BYTES_MAX},
};

/// Takes answers out of the bytes of a connection, in their order. Give it what has arrived and was not yet
/// taken.
///
/// ```
/// use tollgate_wire::http1::{AnswerDecoder, Answered};
///
/// let mut decoder = AnswerDecoder::new(1 << 20);
/// let bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 2";
/// let Answered::Whole(answer) = decoder.decode(bytes)? else { panic!() };
/// assert_eq!((answer.status, answer.body), (200, &b"{}"[..]));
/// let taken = answer.taken;
/// assert!(matches!(decoder.decode(&bytes[taken..])?, Answered::Partial { taken: 0 }));
/// # Ok::<(), tollgate_wire::http1::AnswerFlaw>(())
/// ```
#[derive(Debug)]
pub struct AnswerDecoder {
    body_bytes_max: usize,
    chunks: Option<Gathering>,
    body: Vec<u8>,
}

/// A body in chunks, of an answer whose head was taken.
#[derive(Clone, Copy, Debug)]
struct Gathering {
    head: Head,
    chunked: Chunked,
}

/// What the bytes hold.
#[derive(Clone, Copy, Debug)]
pub enum Answered<'a> {
    /// No whole answer; so many bytes need not be shown again.
    Partial {
        /// How many.
        taken: usize,
    },
    /// An answer.
    Whole(Answer<'a>),
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer<'a> {
    /// Its status.
    pub status: u16,
    /// How many callers there are, if the server says so.
    pub callers: Option<u32>,
    /// What becomes of the connection.
    pub after: After,
    /// What was answered.
    pub body: &'a [u8],
    /// How many bytes it took.
    pub taken: usize,
}

/// Why bytes are no answer. Where the next one would begin is not known then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerFlaw {
    /// It does not begin as one.
    #[error("the server does not speak HTTP/1.1")]
    NotHttp,
    /// The head does not end.
    #[error("the head of the answer has more than {HEAD_BYTES_MAX} bytes")]
    HeadTooLong,
    /// Where the body ends is not said, or said twice.
    #[error("where the answer ends is not said")]
    Framing,
    /// The body is too long.
    #[error("the answer has more than {max} bytes")]
    BodyTooLong {
        /// What is let through.
        max: usize,
    },
    /// A chunk is none.
    #[error("the answer's chunks are broken: {0}")]
    Chunk(Flaw),
}

#[derive(Clone, Copy, Debug)]
struct Head {
    status: u16,
    callers: Option<u32>,
    after: After,
    length: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Framing {
    Fixed(usize),
    Chunked,
}

impl AnswerDecoder {
    /// Lets bodies of so many bytes through.
    pub const fn new(body_bytes_max: usize) -> Self {
        Self { body_bytes_max, chunks: None, body: Vec::new() }
    }

    /// The next answer.
    ///
    /// # Errors
    ///
    /// [`AnswerFlaw`] for what is none.
    pub fn decode<'a>(&'a mut self, input: &'a [u8]) -> Result<Answered<'a>, AnswerFlaw> {
        if self.chunks.is_some() {
            return self.gather(input, 0);
        }
        let Some((head, framing)) = head(input)? else {
            return Ok(Answered::Partial { taken: 0 });
        };
        if matches!(head.status, 100..=199) {
            // Interim answers mean nothing to us. The rest is looked at when it is shown again.
            let taken = head.length;
            return Ok(Answered::Partial { taken });
        }
        match framing {
            Framing::Fixed(length) => self.fixed(input, head, length),
            Framing::Chunked => {
                self.release();
                let chunked = Chunked::new(self.body_bytes_max);
                self.chunks = Some(Gathering { head, chunked });
                self.gather(input, head.length)
            }
        }
    }

    fn fixed<'a>(
        &self,
        input: &'a [u8],
        head: Head,
        length: usize,
    ) -> Result<Answered<'a>, AnswerFlaw> {
        let max = self.body_bytes_max;
        if length > max {
            return Err(AnswerFlaw::BodyTooLong { max });
        }
        let taken = head.length + length;
        Ok(match input.get(head.length..taken) {
            Some(body) => Answered::Whole(head.answer(body, taken)),
            None => Answered::Partial { taken: 0 },
        })
    }

    fn gather<'a>(&'a mut self, input: &[u8], from: usize) -> Result<Answered<'a>, AnswerFlaw> {
        let Some(Gathering { head, chunked }) = &mut self.chunks else {
            return Ok(Answered::Partial { taken: 0 });
        };
        let rest = input.get(from..).unwrap_or_default();
        let used = chunked.feed(rest, &mut self.body);
        let taken = from + used.map_err(AnswerFlaw::Chunk)?;
        if !chunked.is_done() {
            return Ok(Answered::Partial { taken });
        }
        let head = *head;
        self.chunks = None;
        Ok(Answered::Whole(head.answer(&self.body, taken)))
    }

    /// Makes room for the next body.
    fn release(&mut self) {
        self.body.clear();
        self.body.shrink_to(KEPT_BYTES_MAX);
    }
}

impl Head {
    const fn answer(self, body: &[u8], taken: usize) -> Answer<'_> {
        Answer { status: self.status, callers: self.callers, after: self.after, body, taken }
    }
}

/// Reads a head, if it is there.
fn head(input: &[u8]) -> Result<Option<(Head, Framing)>, AnswerFlaw> {
    let shown = input.get(..HEAD_BYTES_MAX).unwrap_or(input);
    let mut room = [const { MaybeUninit::uninit() }; HEADERS_MAX];
    let mut parsed = httparse::Response::new(&mut []);
    let config = httparse::ParserConfig::default();
    let read = config.parse_response_with_uninit_headers(&mut parsed, shown, &mut room);
    let length = match read {
        Ok(Status::Complete(length)) => length,
        Ok(Status::Partial) if input.len() < HEAD_BYTES_MAX => return Ok(None),
        Ok(Status::Partial) => return Err(AnswerFlaw::HeadTooLong),
        Err(httparse::Error::TooManyHeaders) => return Err(AnswerFlaw::HeadTooLong),
        Err(_) => return Err(AnswerFlaw::NotHttp),
    };
    let status = parsed.code.unwrap_or_default();
    let framing = framing(status, parsed.headers)?;
    let headers = Headers::of(shown.get(..length).unwrap_or_default());
    let says_close = headers.all("connection").any(says_close);
    let head = Head {
        status,
        callers: headers.all("tollgate-callers").find_map(number),
        after: match (parsed.version, says_close) {
            (Some(1), false) => After::Keep,
            _ => After::Close,
        },
        length,
    };
    Ok(Some((head, framing)))
}

/// An answer whose end only the end of the connection tells is refused: one that was cut looks the same.
fn framing(status: u16, headers: &[Header<'_>]) -> Result<Framing, AnswerFlaw> {
    if matches!(status, 100..=199 | 204 | 304) {
        return Ok(Framing::Fixed(0));
    }
    let mut framing = None;
    for header in headers {
        let said = if header.name.eq_ignore_ascii_case("content-length") {
            number(header.value).map(Framing::Fixed)
        } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
            let is_chunked = header.value.eq_ignore_ascii_case(b"chunked");
            is_chunked.then_some(Framing::Chunked)
        } else {
            continue;
        };
        let said = said.ok_or(AnswerFlaw::Framing)?;
        if framing.replace(said).is_some() {
            return Err(AnswerFlaw::Framing);
        }
    }
    framing.ok_or(AnswerFlaw::Framing)
}

fn number<N: std::str::FromStr>(text: &[u8]) -> Option<N> {
    let is_digits = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let text = str::from_utf8(text).ok().filter(|_| is_digits)?;
    text.parse().ok()
}

fn says_close(value: &[u8]) -> bool {
    let mut words = value.split(|byte| *byte == b',');
    words.any(|word| word.trim_ascii().eq_ignore_ascii_case(b"close"))
}
