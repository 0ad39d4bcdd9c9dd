//! A body that comes in chunks.

use super::{
    Flaw,
    limits::{CHUNK_DIGITS_MAX, EXTENSION_BYTES_MAX, TRAILER_BYTES_MAX},
    scan::is_token,
};

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
                    return Err(Flaw::BodyTooLong {
                        max: self.body_bytes_max,
                    });
                }
                Ok(if byte == b'\r' {
                    At::SizeLf
                } else {
                    At::Extension
                })
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
