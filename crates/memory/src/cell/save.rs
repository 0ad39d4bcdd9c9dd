//! Cells that outlive a restart: those that owe for an hour or longer.

use std::io::{self, Read, Write};

use tollgate_core::{Clock, Fingerprinter};

use super::{CellStore, shard::Entry, store::nanos};
use crate::{
    LoadError, SAVED_PERIOD_MIN,
    save::{Contents, Header, Reader, Writer},
};

impl<C: Clock> CellStore<C> {
    /// Writes the keys that owe for [`SAVED_PERIOD_MIN`] or longer, and says how many. Traffic goes on
    /// meanwhile. The file is as [`crate::MemoryStore::save`] writes it, but begins with `TOLLCELL`: for each
    /// key its fingerprint, and the nanoseconds until it owes nothing.
    ///
    /// ```
    /// use tollgate_core::SystemClock;
    /// use tollgate_memory::{CellStore, Throttle};
    ///
    /// let cells = CellStore::with_capacity(1_000, SystemClock);
    /// let once_a_day = Throttle { max_burst: 0, count: 1, period_s: 86_400, quantity: 1 };
    /// assert!(!cells.throttle(b"user123", once_a_day).unwrap().is_limited);
    ///
    /// let mut file = Vec::new();
    /// assert_eq!(cells.save(&mut file)?, 1);
    /// let restarted = CellStore::load(file.as_slice(), 1_000, SystemClock).unwrap();
    /// assert!(restarted.throttle(b"user123", once_a_day).unwrap().is_limited);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What `out` says.
    pub fn save(&self, out: &mut impl Write) -> io::Result<usize> {
        let now = self.clock.now();
        let mut writer = Writer::new(Contents::Cells, out);
        writer.header(&Header {
            secrets: self.hash.secrets(),
            saved_at: now.wall,
        })?;
        let now = nanos(now);
        let least = SAVED_PERIOD_MIN.length().get().saturating_mul(1_000);
        let mut count = 0;
        for shard in self.shards() {
            let owing = shard.entries(now).map(|entry| {
                let owed = entry.arrival.saturating_sub(now).unsigned_abs();
                [entry.fingerprint, owed]
            });
            let kept: Vec<[u64; 2]> = owing.filter(|[_, owed]| *owed >= least).collect();
            // Nobody waits for the disk.
            drop(shard);
            count += kept.len();
            writer.words(kept.into_iter().flatten())?;
        }
        writer.finish()?;
        Ok(count)
    }

    /// A table for `keys` keys that goes on with saved ones; the capacity may be another than before. The
    /// time of day tells how long the restart took; a key never owes more for it than when it was saved.
    ///
    /// # Errors
    ///
    /// [`LoadError`] if the file is not whole and ours; nothing of it is used then.
    pub fn load(input: impl Read, keys: usize, clock: C) -> Result<Self, LoadError> {
        let now = clock.now();
        let mut reader = Reader::new(Contents::Cells, input)?;
        let Header { secrets, saved_at } = reader.header()?;
        let cells = Self::with_hash(
            keys,
            Self::OVERFLOW_BYTES_DEFAULT,
            Fingerprinter::with_secrets(secrets),
            clock,
        );
        let away = now.wall.since(saved_at).get().saturating_mul(1_000);
        let now = nanos(now);
        while !reader.is_at_end() {
            let (fingerprint, owed) = (reader.word()?, reader.word()?);
            let left = i64::try_from(owed.saturating_sub(away)).unwrap_or(i64::MAX);
            if fingerprint == 0 {
                return Err(LoadError::Damaged("a key without a fingerprint"));
            }
            if left > 0 {
                let arrival = now.saturating_add(left);
                let entry = Entry {
                    fingerprint,
                    arrival,
                };
                cells.restore(entry, now);
            }
        }
        Ok(cells)
    }

    fn restore(&self, entry: Entry, now: i64) {
        let mut shard = self.shard(entry.fingerprint);
        match shard.find(entry.fingerprint) {
            Some(word) => *word = entry.arrival.cast_unsigned(),
            None => shard.insert(entry, now),
        }
    }
}
