//! Pieces of a file, each with its length and a checksum.

use std::io::{self, Read, Write};

/// What every file begins with: whose it is, and the number of the format.
const MAGIC: [u8; 8] = *b"tollgate";
const FORMAT: u32 = 1;
/// More than the longest page of overrides, or than the largest rule.
const FRAME_BYTES_MAX: u32 = 64 * 1024 * 1024;
const LENGTH_BYTES: usize = 4;
const CHECKSUM_BYTES: usize = 8;

pub(super) fn write_magic(out: &mut impl Write) -> io::Result<()> {
    out.write_all(&MAGIC)?;
    out.write_all(&FORMAT.to_le_bytes())
}

/// Writes a piece; answers how many bytes that took.
pub(super) fn write_frame(out: &mut impl Write, payload: &[u8]) -> io::Result<u64> {
    let length = u32::try_from(payload.len()).ok().filter(|&length| length <= FRAME_BYTES_MAX);
    let length = length.ok_or_else(|| io::Error::other("a piece is too long"))?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(payload)?;
    out.write_all(&checksum(payload))?;
    Ok(whole(length))
}

const fn whole(length: u32) -> u64 {
    (LENGTH_BYTES + CHECKSUM_BYTES) as u64 + length as u64
}

/// Reads pieces until the file ends, or until one is not whole.
#[derive(Debug)]
pub(super) struct Frames<R> {
    input: R,
    /// How far the whole ones go.
    good: u64,
}

/// What comes next in a file.
#[derive(Debug)]
pub(super) enum Frame {
    Whole(Vec<u8>),
    /// The file ends here.
    End,
    /// Something else begins here.
    Broken(&'static str),
}

impl<R: Read> Frames<R> {
    /// Of a file that begins as ours do; otherwise why it does not.
    pub(super) fn new(mut input: R) -> Result<Self, &'static str> {
        let (mut magic, mut format) = (MAGIC, FORMAT.to_le_bytes());
        input.read_exact(&mut magic).map_err(|_| "it is too short")?;
        input.read_exact(&mut format).map_err(|_| "it is too short")?;
        if magic != MAGIC {
            return Err("it begins with other bytes");
        }
        if u32::from_le_bytes(format) != FORMAT {
            return Err("it was written by another release");
        }
        Ok(Self { input, good: (size_of_val(&magic) + size_of_val(&format)) as u64 })
    }

    pub(super) const fn good(&self) -> u64 {
        self.good
    }

    pub(super) fn next(&mut self) -> io::Result<Frame> {
        let mut length = [0; LENGTH_BYTES];
        match self.fill(&mut length)? {
            0 => return Ok(Frame::End),
            LENGTH_BYTES => {}
            _ => return Ok(Frame::Broken("it ends within a length")),
        }
        let length = u32::from_le_bytes(length);
        if length > FRAME_BYTES_MAX {
            return Ok(Frame::Broken("a piece is too long"));
        }
        let mut payload = Vec::new();
        self.input.by_ref().take(u64::from(length)).read_to_end(&mut payload)?;
        let mut sum = [0; CHECKSUM_BYTES];
        let has_sum = self.fill(&mut sum)? == CHECKSUM_BYTES;
        // A payload that is too short has swallowed no checksum.
        if !has_sum {
            return Ok(Frame::Broken("it ends within a piece"));
        }
        if sum != checksum(&payload) {
            return Ok(Frame::Broken("a checksum differs"));
        }
        self.good += whole(length);
        Ok(Frame::Whole(payload))
    }

    /// Reads as much as there is.
    fn fill(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.input.read(rest) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

fn checksum(payload: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let hash: [u8; 32] = blake3::hash(payload).into();
    hash.first_chunk().copied().unwrap_or_default()
}
