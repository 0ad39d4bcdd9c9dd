//! Words in and out, with a checksum.

use std::{
    hash::Hasher,
    io::{self, Read, Write},
};

use siphasher::sip::SipHasher13;
use tollgate_core::Timestamp;

use super::LoadError;

/// Without sketches.
const VERSION_1: u64 = 1;
/// With sketches: the version that is written.
const VERSION: u64 = 2;
const WORD_BYTES: usize = size_of::<u64>();
/// More than a store of 10 million keys writes; more is neither written nor read.
const BYTES_MAX: u64 = 1 << 30;

/// What a file begins with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    pub(crate) secrets: [u64; 4],
    /// The time of day when it was written.
    pub(crate) saved_at: Timestamp,
}

/// What a file holds. Each begins with bytes of its own, so that none is taken for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    /// The counters of rules.
    Counters,
    /// The arrival times of `CL.THROTTLE`.
    Cells,
}

impl Contents {
    const fn magic(self) -> u64 {
        u64::from_le_bytes(match self {
            Self::Counters => *b"TOLLGATE",
            Self::Cells => *b"TOLLCELL",
        })
    }

    /// Not a secret: it guards against accidents.
    fn checksum(self, version: u64) -> SipHasher13 {
        SipHasher13::new_with_keys(self.magic(), version)
    }
}

pub(crate) struct Writer<'a, W> {
    contents: Contents,
    out: &'a mut W,
    buffer: Vec<u8>,
    bytes: u64,
    checksum: SipHasher13,
}

/// Words gathered before they are written.
const BUFFER_BYTES: usize = 64 * 1024;

impl<'a, W: Write> Writer<'a, W> {
    pub(crate) fn new(contents: Contents, out: &'a mut W) -> Self {
        let buffer = Vec::with_capacity(BUFFER_BYTES + WORD_BYTES);
        Self { contents, out, buffer, bytes: 0, checksum: contents.checksum(VERSION) }
    }

    pub(crate) fn header(&mut self, header: &Header) -> io::Result<()> {
        let saved_at = header.saved_at.as_micros();
        self.words(
            [self.contents.magic(), VERSION].into_iter().chain(header.secrets).chain([saved_at]),
        )
    }

    pub(crate) fn words(&mut self, words: impl IntoIterator<Item = u64>) -> io::Result<()> {
        words.into_iter().try_for_each(|word| self.word(word))
    }

    fn word(&mut self, word: u64) -> io::Result<()> {
        self.bytes += WORD_BYTES as u64;
        if self.bytes >= BYTES_MAX {
            return Err(io::Error::other("more than 1 GiB of counters: lower the capacity"));
        }
        self.checksum.write_u64(word);
        self.buffer.extend_from_slice(&word.to_le_bytes());
        if self.buffer.len() >= BUFFER_BYTES {
            self.out.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.buffer.extend_from_slice(&self.checksum.finish().to_le_bytes());
        self.out.write_all(&self.buffer)?;
        self.out.flush()
    }
}

/// A whole file that has been checked before the first word is handed out.
pub(crate) struct Reader {
    bytes: Vec<u8>,
    version: u64,
    /// Words handed out.
    position: usize,
}

impl Reader {
    pub(crate) fn new(contents: Contents, input: impl Read) -> Result<Self, LoadError> {
        let mut bytes = Vec::new();
        input.take(BYTES_MAX + 1).read_to_end(&mut bytes)?;
        if !bytes.starts_with(&contents.magic().to_le_bytes()) {
            return Err(LoadError::NotOurs);
        }
        if u64::try_from(bytes.len()).is_ok_and(|length| length > BYTES_MAX) {
            return Err(LoadError::Damaged("longer than any store writes"));
        }
        let (words, rest) = bytes.as_chunks::<WORD_BYTES>();
        let (Some((expected, words)), true) = (words.split_last(), rest.is_empty()) else {
            return Err(LoadError::Damaged("it ends within a word"));
        };
        let version = words.get(1).map_or(0, |word| u64::from_le_bytes(*word));
        if words.len() > 1 && !(VERSION_1..=VERSION).contains(&version) {
            let (found, ours) = (version, VERSION);
            return Err(LoadError::Version { found, ours });
        }
        let mut checksum = contents.checksum(version);
        words.iter().for_each(|word| checksum.write_u64(u64::from_le_bytes(*word)));
        let is_right = checksum.finish() == u64::from_le_bytes(*expected);
        if !is_right && !cfg!(mutant = "saved-files-are-believed") {
            return Err(LoadError::Damaged("its checksum differs"));
        }
        bytes.truncate(bytes.len() - WORD_BYTES);
        Ok(Self { bytes, version, position: 0 })
    }

    /// Whether the file is of a release that knew nothing of sketches, nor whose a counter is.
    pub(crate) const fn is_without_sketches(&self) -> bool {
        self.version == VERSION_1
    }

    pub(crate) fn header(&mut self) -> Result<Header, LoadError> {
        let (_magic, _version) = (self.word()?, self.word()?);
        let secrets = [self.word()?, self.word()?, self.word()?, self.word()?];
        Ok(Header { secrets, saved_at: Timestamp::from_micros(self.word()?) })
    }

    pub(crate) fn word(&mut self) -> Result<u64, LoadError> {
        let word = self.bytes.as_chunks::<WORD_BYTES>().0.get(self.position);
        self.position += 1;
        word.map(|word| u64::from_le_bytes(*word))
            .ok_or(LoadError::Damaged("it ends within a counter"))
    }

    pub(crate) const fn is_at_end(&self) -> bool {
        self.position * WORD_BYTES >= self.bytes.len()
    }
}
