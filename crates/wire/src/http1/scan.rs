//! Where the head of a request ends.

use memchr::memchr;

use super::{
    Flaw,
    limits::{BLANK_LINES_MAX, HEAD_BYTES_MAX, LINE_REST_BYTES_MAX, TARGET_BYTES_MAX},
};

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
        Self {
            seen: 0,
            line: 0,
            blanks: 0,
        }
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
