//! Bytes to commands.

use smallvec::SmallVec;

use super::command::{Bytes, Command, Span};

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
        let count = usize::try_from(count).ok().filter(|count| *count <= ARGS_MAX);
        self.missing = count.ok_or(ProtocolError::ArgumentCount)?;
        self.at = taken;
        self.spans.clear();
        self.words(input)
    }

    /// Goes on with the words of a command.
    #[inline]
    fn words<'d, 'i: 'd>(&'d mut self, input: &'i [u8]) -> Result<Decoded<'d, 'i>, ProtocolError> {
        while self.missing > 0 {
            let Some(bytes) =
                self.next.map_or_else(|| self.word_length(input), |next| Ok(Some(next)))?
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
            self.spans.push(Span::new(start, end).ok_or(ProtocolError::TooLong)?);
            self.at = end + 2;
            self.missing -= 1;
            self.next = None;
        }
        let taken = std::mem::take(&mut self.at);
        Ok(Decoded::Command(Command { bytes: Bytes::Input(input), spans: &self.spans, taken }))
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
        let bytes = usize::try_from(value).ok().filter(|bytes| *bytes <= BULK_BYTES_MAX);
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
        let words = split(line, &mut self.spans, &mut self.unquoted)?;
        let taken = end + 1;
        if self.spans.is_empty() {
            return Ok(Decoded::Empty { taken });
        }
        let bytes = match words {
            Words::InPlace => Bytes::Input(input),
            Words::Unquoted => Bytes::Unquoted(&self.unquoted),
        };
        Ok(Decoded::Command(Command { bytes, spans: &self.spans, taken }))
    }
}

/// More characters than any number that is let through has.
const CHARS_MAX: usize = 20;

/// What a line with a number holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    /// The line has not ended yet.
    Unfinished,
    /// A number, and so many bytes up to and with the end of its line.
    Number { value: i64, taken: usize },
    /// Something else.
    NotANumber,
}

/// Reads a number and the end of its line. It is written in one way only, as in Redis: no plus, no
/// leading zeros.
#[inline]
pub(super) fn length(bytes: &[u8]) -> Length {
    // Nearly all of them have one digit or two.
    if let &[digit @ b'0'..=b'9', b'\r', b'\n', ..] = bytes {
        let value = i64::from(digit - b'0');
        return Length::Number { value, taken: 3 };
    }
    if let &[tens @ b'1'..=b'9', ones @ b'0'..=b'9', b'\r', b'\n', ..] = bytes {
        let value = 10 * i64::from(tens - b'0') + i64::from(ones - b'0');
        return Length::Number { value, taken: 4 };
    }
    long(bytes)
}

fn long(bytes: &[u8]) -> Length {
    let window = bytes.get(..CHARS_MAX + 2).unwrap_or(bytes);
    let Some(end) = window.iter().position(|byte| *byte == b'\r') else {
        let is_hopeless = bytes.len() > CHARS_MAX || !window.iter().all(may_be_in_a_number);
        return if is_hopeless { Length::NotANumber } else { Length::Unfinished };
    };
    let (digits, rest) = window.split_at(end);
    let Some(value) = number(digits) else {
        return Length::NotANumber;
    };
    match rest {
        [b'\r', b'\n', ..] => Length::Number { value, taken: end + 2 },
        [_] => Length::Unfinished,
        _ => Length::NotANumber,
    }
}

fn may_be_in_a_number(byte: &u8) -> bool {
    byte.is_ascii_digit() || *byte == b'-'
}

fn number(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let is_plain = match digits {
        [b'0'] => digits.len() == text.len(),
        [b'1'..=b'9', ..] => digits.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    let text = std::str::from_utf8(text).ok().filter(|_| is_plain)?;
    text.parse().ok()
}

/// What is wrong with the bytes. Where the next command would begin is not known then, so the
/// conversation ends with it. The words are those of Redis where it has some.
///
/// ```
/// use tollgate_wire::resp::{Decoder, ProtocolError};
///
/// let error = Decoder::new().decode(b"*1\r\n$-7\r\n").unwrap_err();
/// assert_eq!(error.to_string(), "Protocol error: invalid bulk length (at most 65536)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProtocolError {
    /// The number of arguments is no number, or too large.
    #[error("Protocol error: invalid multibulk length (at most {ARGS_MAX})")]
    ArgumentCount,
    /// The length of an argument is no number, negative, or too large.
    #[error("Protocol error: invalid bulk length (at most {BULK_BYTES_MAX})")]
    BulkLength,
    /// An argument does not begin as one.
    #[error("Protocol error: expected '$', got '{}'", char::from(*.0).escape_default())]
    NotABulk(u8),
    /// Something else stands where a line or an argument ends.
    #[error("Protocol error: expected CRLF")]
    NoLineEnd,
    /// A line without an end.
    #[error("Protocol error: too big inline request (at most {INLINE_BYTES_MAX} bytes)")]
    InlineTooLong,
    /// A quote that is not closed, or closed within a word.
    #[error("Protocol error: unbalanced quotes in request")]
    Quotes,
    /// A command that is too long as a whole.
    #[error("Protocol error: too big request (at most {FRAME_BYTES_MAX} bytes)")]
    TooLong,
}

/// Cuts a line into words. With no quotes in it, the words are where they stand in `line`; otherwise
/// they are put together in `unquoted`.
pub(super) fn split(
    line: &[u8],
    spans: &mut SmallVec<[Span; 16]>,
    unquoted: &mut Vec<u8>,
) -> Result<Words, ProtocolError> {
    if memchr::memchr2(b'"', b'\'', line).is_none() {
        return split_plain(line, spans).map(|()| Words::InPlace);
    }
    unquoted.clear();
    let mut rest = after_blanks(line);
    while !rest.is_empty() {
        let start = unquoted.len();
        rest = word(rest, unquoted)?;
        push(spans, start, unquoted.len())?;
        rest = after_blanks(rest);
    }
    Ok(Words::Unquoted)
}

/// Where the words of a line are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Words {
    /// In the line.
    InPlace,
    /// In the buffer for those that were quoted.
    Unquoted,
}

fn split_plain(line: &[u8], spans: &mut SmallVec<[Span; 16]>) -> Result<(), ProtocolError> {
    let mut start = None;
    for (at, byte) in line.iter().enumerate() {
        match (is_space(*byte), start) {
            (true, Some(begun)) => {
                push(spans, begun, at)?;
                start = None;
            }
            (false, None) => start = Some(at),
            _ => {}
        }
    }
    start.map_or(Ok(()), |begun| push(spans, begun, line.len()))
}

fn push(spans: &mut SmallVec<[Span; 16]>, start: usize, end: usize) -> Result<(), ProtocolError> {
    if spans.len() >= ARGS_MAX {
        return Err(ProtocolError::ArgumentCount);
    }
    spans.push(Span::new(start, end).ok_or(ProtocolError::InlineTooLong)?);
    Ok(())
}

/// Takes one word off the line. A quote may open within it; where it closes, the word must end.
fn word<'a>(line: &'a [u8], unquoted: &mut Vec<u8>) -> Result<&'a [u8], ProtocolError> {
    let mut rest = line;
    while let [byte, after @ ..] = rest {
        rest = match byte {
            b'"' => return closed(double_quoted(after, unquoted)?),
            b'\'' => return closed(single_quoted(after, unquoted)?),
            byte if is_space(*byte) => return Ok(rest),
            byte => {
                unquoted.push(*byte);
                after
            }
        };
    }
    Ok(rest)
}

fn closed(rest: &[u8]) -> Result<&[u8], ProtocolError> {
    match rest.first() {
        Some(byte) if !is_space(*byte) => Err(ProtocolError::Quotes),
        _ => Ok(rest),
    }
}

fn double_quoted<'a>(line: &'a [u8], unquoted: &mut Vec<u8>) -> Result<&'a [u8], ProtocolError> {
    let mut rest = line;
    loop {
        let (byte, after) = match rest {
            [] => return Err(ProtocolError::Quotes),
            [b'"', after @ ..] => return Ok(after),
            [b'\\', b'x', high, low, after @ ..] if is_hex(*high) && is_hex(*low) => {
                (hex(*high) << 4 | hex(*low), after)
            }
            [b'\\', escaped, after @ ..] => (unescaped(*escaped), after),
            [byte, after @ ..] => (*byte, after),
        };
        unquoted.push(byte);
        rest = after;
    }
}

fn single_quoted<'a>(line: &'a [u8], unquoted: &mut Vec<u8>) -> Result<&'a [u8], ProtocolError> {
    let mut rest = line;
    loop {
        let (byte, after) = match rest {
            [] => return Err(ProtocolError::Quotes),
            [b'\\', b'\'', after @ ..] => (b'\'', after),
            [b'\'', after @ ..] => return Ok(after),
            [byte, after @ ..] => (*byte, after),
        };
        unquoted.push(byte);
        rest = after;
    }
}

const fn unescaped(byte: u8) -> u8 {
    match byte {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'b' => 0x08,
        b'a' => 0x07,
        other => other,
    }
}

const fn is_hex(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

const fn hex(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => byte - b'0',
        b'a'..=b'f' => byte - b'a' + 10,
        b'A'..=b'F' => byte - b'A' + 10,
        _ => 0,
    }
}

/// As C's `isspace`, which Redis asks: Rust's own test leaves out the vertical tab.
const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r')
}

fn after_blanks(text: &[u8]) -> &[u8] {
    let blanks = text.iter().take_while(|byte| is_space(**byte)).count();
    text.get(blanks..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn found(value: i64, taken: usize) -> Length {
        Length::Number { value, taken }
    }

    #[test]
    fn numbers_are_read_with_the_end_of_their_line() {
        assert_eq!(length(b"3\r\nrest"), found(3, 3));
        assert_eq!(length(b"12\r\n"), found(12, 4));
        assert_eq!(length(b"-1\r\n"), found(-1, 4));
        assert_eq!(length(b"0\r\n"), found(0, 3));
        let largest = i64::MAX.to_string() + "\r\n";
        assert_eq!(length(largest.as_bytes()), found(i64::MAX, 21));
        let smallest = i64::MIN.to_string() + "\r\n";
        assert_eq!(length(smallest.as_bytes()), found(i64::MIN, 22));
    }

    #[test]
    fn what_is_not_complete_is_waited_for() {
        for text in ["", "1", "12", "12\r", "-", "-12", "1234567890123456789"] {
            assert_eq!(length(text.as_bytes()), Length::Unfinished, "{text:?}");
        }
    }

    #[test]
    fn other_spellings_are_refused_at_once() {
        let bad = [
            "\r\n",
            "+1\r\n",
            "01\r\n",
            "-0\r\n",
            "--1\r\n",
            "1x",
            "1\n",
            "1\rx",
            " 1\r\n",
            "1 \r\n",
            "9223372036854775808\r\n",
            "123456789012345678901",
            "x",
            "\n",
            "-\r\n",
        ];
        for text in bad {
            assert_eq!(length(text.as_bytes()), Length::NotANumber, "{text:?}");
        }
    }
}
