//! Words in and out, with a checksum.

use std::{
    hash::Hasher,
    io::{self, Read, Write},
};

use siphasher::sip::SipHasher13;

use super::LoadError;

const MAGIC: u64 = u64::from_le_bytes(*b"TOLLGATE");
const VERSION: u64 = 1;
/// More than a store of 10 million keys writes; what is larger is not read.
const BYTES_MAX: u64 = 1 << 30;

pub(super) struct Writer<'a, W> {
    out: &'a mut W,
    buffer: Vec<u8>,
    checksum: SipHasher13,
}

/// Words gathered before they are written.
const BUFFER_BYTES: usize = 64 * 1024;

impl<'a, W: Write> Writer<'a, W> {
    pub(super) fn new(out: &'a mut W) -> Self {
        Self {
            out,
            buffer: Vec::with_capacity(BUFFER_BYTES + 8),
            checksum: checksum(),
        }
    }

    pub(super) fn header(&mut self, secrets: [u64; 4], count: usize) -> io::Result<()> {
        let count = u64::try_from(count).map_err(io::Error::other)?;
        [MAGIC, VERSION]
            .into_iter()
            .chain(secrets)
            .chain([count])
            .try_for_each(|word| self.word(word))
    }

    pub(super) fn word(&mut self, word: u64) -> io::Result<()> {
        self.checksum.write_u64(word);
        self.buffer.extend_from_slice(&word.to_le_bytes());
        if self.buffer.len() >= BUFFER_BYTES {
            self.out.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        self.buffer
            .extend_from_slice(&self.checksum.finish().to_le_bytes());
        self.out.write_all(&self.buffer)?;
        self.out.flush()
    }
}

/// A whole file that has been checked before the first word is handed out.
pub(super) struct Reader {
    words: std::vec::IntoIter<u64>,
}

impl Reader {
    pub(super) fn new(input: impl Read) -> Result<Self, LoadError> {
        let mut bytes = Vec::new();
        input.take(BYTES_MAX + 1).read_to_end(&mut bytes)?;
        if !bytes.starts_with(&MAGIC.to_le_bytes()) {
            return Err(LoadError::NotOurs);
        }
        if u64::try_from(bytes.len()).is_ok_and(|length| length > BYTES_MAX) {
            return Err(LoadError::Damaged("longer than any store writes"));
        }
        let (words, rest) = bytes.as_chunks::<8>();
        let mut words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let (Some(expected), true) = (words.pop(), rest.is_empty()) else {
            return Err(LoadError::Damaged("it ends within a word"));
        };
        if let Some(found) = words.get(1)
            && *found != VERSION
        {
            return Err(LoadError::Version {
                found: *found,
                ours: VERSION,
            });
        }
        let mut checksum = checksum();
        words.iter().for_each(|word| checksum.write_u64(*word));
        if checksum.finish() != expected {
            return Err(LoadError::Damaged("its checksum differs"));
        }
        Ok(Self {
            words: words.into_iter(),
        })
    }

    /// The secrets and the number of counters.
    pub(super) fn header(&mut self) -> Result<([u64; 4], u64), LoadError> {
        let (_magic, _version) = (self.word()?, self.word()?);
        let secrets = [self.word()?, self.word()?, self.word()?, self.word()?];
        Ok((secrets, self.word()?))
    }

    pub(super) fn word(&mut self) -> Result<u64, LoadError> {
        self.words
            .next()
            .ok_or(LoadError::Damaged("it ends within a counter"))
    }

    pub(super) fn finish(mut self) -> Result<(), LoadError> {
        match self.words.next() {
            None => Ok(()),
            Some(_) => Err(LoadError::Damaged("it goes on after the last counter")),
        }
    }
}

/// Not a secret: it guards against accidents.
fn checksum() -> SipHasher13 {
    SipHasher13::new_with_keys(MAGIC, VERSION)
}
