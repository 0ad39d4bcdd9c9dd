//! Bytes to commands.

use smallvec::SmallVec;

use super::{
    command::{Bytes, Command, Span},
    error::ProtocolError,
    inline::{self, Words},
    length::{Length, length},
};

/// The most words of a command, its name among them.
pub const ARGS_MAX: usize = 1_024;
/// The longest word.
pub const BULK_BYTES_MAX: usize = 64 * 1_024;
/// The longest line that somebody can type.
pub const INLINE_BYTES_MAX: usize = 64 * 1_024;
/// The longest command, from its first byte to its last.
pub const FRAME_BYTES_MAX: usize = 1_024 * 1_024;

/// Finds commands in a stream of bytes. It remembers how far it has come, not the bytes: give it the
/// input from where a command begins, and more of it each time until there is one.
///
/// Memory grows with the bytes that have arrived, never with what a length announces, and no byte is
/// looked at more often than its neighbours arrive.
///
/// ```
/// use tollgate_wire::resp::{Decoded, Decoder};
///
/// let mut decoder = Decoder::new();
/// assert!(matches!(decoder.decode(b"*1\r\n$4\r\nPI")?, Decoded::Unfinished));
/// let Decoded::Command(command) = decoder.decode(b"*1\r\n$4\r\nPING\r\n")? else { panic!() };
/// assert_eq!((command.name(), command.taken()), (&b"PING"[..], 14));
/// let Decoded::Command(typed) = decoder.decode(b"echo \"a b\"\r\n")? else { panic!() };
/// assert_eq!(typed.arg(0), Some(&b"a b"[..]));
/// # Ok::<(), tollgate_wire::resp::ProtocolError>(())
/// ```
#[derive(Debug, Default)]
pub struct Decoder {
    /// Bytes of the command that are done with.
    at: usize,
    /// Words that are still to come; none before their number is known.
    missing: usize,
    /// Bytes of the word that comes next, once its length is known.
    next: Option<usize>,
    spans: SmallVec<[Span; 16]>,
    unquoted: Vec<u8>,
}

/// What the input begins with.
#[derive(Clone, Copy, Debug)]
pub enum Decoded<'d, 'i: 'd> {
    /// A command. The next call begins after it.
    Command(Command<'d, 'i>),
    /// A command of no words, which nobody answers. The next call begins after it.
    Empty {
        /// How many bytes it took.
        taken: usize,
    },
    /// The beginning of a command, or nothing.
    Unfinished,
}

impl Decoder {
    /// Before the first command.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether a command has begun and is not whole yet, as far as the last call could see.
    pub const fn is_within_a_command(&self) -> bool {
        self.at > 0 || self.missing > 0
    }

    /// The bytes of memory that it has taken for the words of a command.
    pub fn capacity(&self) -> usize {
        let spans = match self.spans.spilled() {
            true => self.spans.capacity() * size_of::<Span>(),
            false => 0,
        };
        spans + self.unquoted.capacity()
    }

    /// What `input` begins with.
    ///
    /// # Errors
    ///
    /// [`ProtocolError`]; there is no going on after it.
    #[inline]
    pub fn decode<'d, 'i: 'd>(
        &'d mut self,
        input: &'i [u8],
    ) -> Result<Decoded<'d, 'i>, ProtocolError> {
        if self.missing > 0 {
            return self.words(input);
        }
        match input {
            [] => Ok(Decoded::Unfinished),
            [b'*', rest @ ..] => match length(rest) {
                Length::Number { value, taken } => self.begin(value, 1 + taken, input),
                Length::Unfinished => {
                    self.at = 1;
                    Ok(Decoded::Unfinished)
                }
                Length::NotANumber => Err(ProtocolError::ArgumentCount),
            },
            _ => self.line(input),
        }
    }

    #[inline]
    fn begin<'d, 'i: 'd>(
        &'d mut self,
        count: i64,
        taken: usize,
        input: &'i [u8],
    ) -> Result<Decoded<'d, 'i>, ProtocolError> {
        if count <= 0 {
            self.at = 0;
            return Ok(Decoded::Empty { taken });
        }
        let count = usize::try_from(count)
            .ok()
            .filter(|count| *count <= ARGS_MAX);
        self.missing = count.ok_or(ProtocolError::ArgumentCount)?;
        self.at = taken;
        self.spans.clear();
        self.words(input)
    }

    /// Goes on with the words of a command.
    #[inline]
    fn words<'d, 'i: 'd>(&'d mut self, input: &'i [u8]) -> Result<Decoded<'d, 'i>, ProtocolError> {
        while self.missing > 0 {
            let Some(bytes) = self
                .next
                .map_or_else(|| self.word_length(input), |next| Ok(Some(next)))?
            else {
                return Ok(Decoded::Unfinished);
            };
            let (start, end) = (self.at, self.at.saturating_add(bytes));
            match input.get(end..end.saturating_add(2)) {
                Some(b"\r\n") => {}
                Some(_) => return Err(ProtocolError::NoLineEnd),
                None => {
                    self.next = Some(bytes);
                    return Ok(Decoded::Unfinished);
                }
            }
            self.spans
                .push(Span::new(start, end).ok_or(ProtocolError::TooLong)?);
            self.at = end + 2;
            self.missing -= 1;
            self.next = None;
        }
        let taken = std::mem::take(&mut self.at);
        Ok(Decoded::Command(Command {
            bytes: Bytes::Input(input),
            spans: &self.spans,
            taken,
        }))
    }

    /// The length of the next word, and moves to its first byte; `None` as long as it is not there.
    #[inline]
    fn word_length(&mut self, input: &[u8]) -> Result<Option<usize>, ProtocolError> {
        let rest = match input.get(self.at..) {
            Some([b'$', rest @ ..]) => rest,
            Some([other, ..]) => return Err(ProtocolError::NotABulk(*other)),
            Some([]) | None => return Ok(None),
        };
        let (value, taken) = match length(rest) {
            Length::Number { value, taken } => (value, taken),
            Length::Unfinished => return Ok(None),
            Length::NotANumber => return Err(ProtocolError::BulkLength),
        };
        let bytes = usize::try_from(value)
            .ok()
            .filter(|bytes| *bytes <= BULK_BYTES_MAX);
        let bytes = bytes.ok_or(ProtocolError::BulkLength)?;
        let at = self.at + 1 + taken;
        if at + bytes + 2 > FRAME_BYTES_MAX {
            return Err(ProtocolError::TooLong);
        }
        self.at = at;
        Ok(Some(bytes))
    }

    /// A line that somebody typed.
    #[cold]
    fn line<'d, 'i: 'd>(&'d mut self, input: &'i [u8]) -> Result<Decoded<'d, 'i>, ProtocolError> {
        let reach = input.get(..=INLINE_BYTES_MAX).unwrap_or(input);
        let unseen = reach.get(self.at..).unwrap_or_default();
        let Some(end) = memchr::memchr(b'\n', unseen).map(|place| self.at + place) else {
            if input.len() > INLINE_BYTES_MAX {
                return Err(ProtocolError::InlineTooLong);
            }
            self.at = input.len();
            return Ok(Decoded::Unfinished);
        };
        self.at = 0;
        self.spans.clear();
        let line = input.get(..end).unwrap_or_default();
        let words = inline::split(line, &mut self.spans, &mut self.unquoted)?;
        let taken = end + 1;
        if self.spans.is_empty() {
            return Ok(Decoded::Empty { taken });
        }
        let bytes = match words {
            Words::InPlace => Bytes::Input(input),
            Words::Unquoted => Bytes::Unquoted(&self.unquoted),
        };
        Ok(Decoded::Command(Command {
            bytes,
            spans: &self.spans,
            taken,
        }))
    }
}
