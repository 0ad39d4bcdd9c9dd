//! Commands that somebody typed: words on a line, with quotes.

use smallvec::SmallVec;

use super::{command::Span, error::ProtocolError};

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
    if spans.len() >= super::decode::ARGS_MAX {
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
