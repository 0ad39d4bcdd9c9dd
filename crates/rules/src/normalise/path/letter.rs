//! One letter of a path, and its one spelling.

use super::{Ambiguity, PathError};

/// What becomes of `{` and `}` that are not escaped.
#[derive(Clone, Copy, Debug)]
pub(super) enum Braces {
    /// They are letters like any other, and no URI may hold them: they become escapes.
    Escaped,
    /// They name a segment of a pattern: they stay.
    Plain,
}

/// The normal spelling of one letter: as it is, or one escape for each of its bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spelling {
    text: [u8; Self::BYTES_MAX],
    len: usize,
}

impl Spelling {
    /// Four escapes.
    const BYTES_MAX: usize = 12;

    /// The letter as it is to be written; plain ASCII.
    pub(super) fn bytes(&self) -> &[u8] {
        self.text.get(..self.len).unwrap_or_default()
    }

    const fn plain(byte: u8) -> Self {
        let mut text = [0; Self::BYTES_MAX];
        text[0] = byte;
        Self { text, len: 1 }
    }

    fn escaped(letter: &[u8]) -> Self {
        const DIGITS: [u8; 16] = *b"0123456789ABCDEF";
        let digit = |value: u8| DIGITS.get(usize::from(value)).copied().unwrap_or(b'0');
        let mut text = [0; Self::BYTES_MAX];
        for (escape, byte) in text.as_chunks_mut::<3>().0.iter_mut().zip(letter) {
            *escape = [b'%', digit(byte >> 4), digit(byte & 0xf)];
        }
        let len = letter.len().saturating_mul(3).min(Self::BYTES_MAX);
        Self { text, len }
    }
}

/// Reads the first letter of `rest`, which is not empty: how it is spelled, and how many bytes of
/// `rest` it took.
pub(super) fn first(rest: &str, braces: Braces) -> Result<(Spelling, usize), PathError> {
    let Some(letter) = rest.chars().next() else {
        return Err(PathError::Escape);
    };
    if letter == '%' {
        return escaped(rest.as_bytes());
    }
    if letter.is_control() {
        return Err(PathError::Control);
    }
    if letter == '\\' {
        return Err(PathError::Ambiguous(Ambiguity::Backslash));
    }
    let is_brace = matches!(letter, '{' | '}') && matches!(braces, Braces::Plain);
    let spelling = match u8::try_from(letter) {
        Ok(byte) if is_plain(byte) || is_brace => Spelling::plain(byte),
        _ => Spelling::escaped(letter.encode_utf8(&mut [0; 4]).as_bytes()),
    };
    Ok((spelling, letter.len_utf8()))
}

/// Reads the one letter that the first escapes of `rest` are.
fn escaped(rest: &[u8]) -> Result<(Spelling, usize), PathError> {
    let (escapes, _) = rest.as_chunks::<3>();
    let lead = escapes.first().map_or(Err(PathError::Escape), byte_of)?;
    let len = match lead {
        0..=0x7f => 1,
        0x80..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xff => 4,
    };
    let mut bytes = [lead, 0, 0, 0];
    for (place, byte) in bytes.iter_mut().enumerate().take(len).skip(1) {
        let escape = escapes.get(place).filter(|escape| escape[0] == b'%');
        *byte = byte_of(escape.ok_or(PathError::Utf8)?)?;
    }
    let bytes = bytes.get(..len).unwrap_or_default();
    let letter = str::from_utf8(bytes).map_err(|_| PathError::Utf8)?;
    if letter.contains(char::is_control) {
        return Err(PathError::Control);
    }
    let spelling = if is_unreserved(lead) {
        Spelling::plain(lead)
    } else {
        Spelling::escaped(bytes)
    };
    Ok((spelling, len.saturating_mul(3)))
}

fn byte_of(escape: &[u8; 3]) -> Result<u8, PathError> {
    let [_, high, low] = escape.map(|digit| char::from(digit).to_digit(16));
    let byte = high.zip(low).map(|(high, low)| high << 4 | low);
    let byte = byte.and_then(|byte| u8::try_from(byte).ok());
    byte.ok_or(PathError::Escape)
}

/// The letters that mean the same escaped and plain.
const fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// The letters a segment of a URI may hold as they are.
pub(super) const fn is_plain(byte: u8) -> bool {
    let is_delimiter = matches!(
        byte,
        b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=' | b':' | b'@'
    );
    is_unreserved(byte) || is_delimiter
}
