//! Cells that outlive a restart: those that owe for an hour or longer.

use std::io::{self, Read, Write};

use tollgate_core::{Clock, Fingerprinter};

use super::{CellStore, debts::Sketch, shard::Entry, store::nanos};
use crate::{
    LoadError, SAVED_PERIOD_MIN,
    overflow::Moments,
    save::{Contents, Header, Reader, Writer, read_entries, write_entries},
};

/// More than any table has.
const PARTS_MAX: u64 = 1 << 32;

impl<C: Clock> CellStore<C> {
    /// Writes the keys that owe for [`SAVED_PERIOD_MIN`] or longer, and says how many. Traffic goes on
    /// meanwhile. The file is as [`crate::MemoryStore::save`] writes it, but begins with `TOLLCELL`: for each
    /// key its fingerprint, and the nanoseconds until it owes nothing; then the sketches.
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
        writer.header(&Header { secrets: self.hash.secrets(), saved_at: now.wall })?;
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
        self.write_debts(&mut writer, now)?;
        writer.finish()?;
        Ok(count)
    }

    /// The sketches follow the keys, behind a fingerprint of zero: each with its part, and the number of parts.
    fn write_debts<W: Write>(&self, out: &mut Writer<'_, W>, now: i64) -> io::Result<()> {
        out.words([0, number(self.parts())])?;
        let mut part = 0;
        for shard in self.shards() {
            let debts = shard.debts().to_vec();
            drop(shard);
            for debts in debts {
                for Sketch { class, moments } in debts.sketches() {
                    let base = i128::from(moments.base) * i128::from(moments.tick);
                    let base = i64::try_from(base - i128::from(now)).unwrap_or(i64::MIN);
                    let head = [part, u64::from(*class), base.cast_unsigned(), moments.tick];
                    out.words(head)?;
                    write_entries(&moments.entries, out)?;
                }
                part += 1;
            }
        }
        Ok(())
    }

    /// Reads what [`CellStore::write_debts`] wrote, but for the first word. Where there are more parts than before
    /// each gets a copy of the one it was in; where there are fewer they lie side by side.
    fn read_debts(&self, input: &mut Reader, away: u64, now: i64) -> Result<(), LoadError> {
        let former = input.word()?;
        if !former.is_power_of_two() || former > PARTS_MAX {
            return Err(LoadError::Damaged("a number of parts that no table has"));
        }
        let parts = self.parts();
        while !input.is_at_end() {
            let [part, class, base, tick] =
                [input.word()?, input.word()?, input.word()?, input.word()?];
            let entries = read_entries(input)?;
            let class = u32::try_from(class).ok().filter(|class| *class < u64::BITS);
            let class = class.ok_or(LoadError::Damaged("a debt of an unknown length"))?;
            let base = i128::from(base.cast_signed()) - i128::from(away) + i128::from(now);
            let moments = Moments::starting_at(base, tick, entries);
            let (first, count) = match number(parts) / former {
                0 => (part / (former / number(parts)), 1),
                copies => (part.saturating_mul(copies), copies),
            };
            for part in first..first.saturating_add(count) {
                let moments = moments.clone();
                self.insert_debts(part, Sketch { class, moments });
            }
        }
        Ok(())
    }

    fn parts(&self) -> usize {
        self.shards().map(|shard| shard.debts().len()).sum()
    }

    fn insert_debts(&self, part: u64, sketch: Sketch) {
        let each = self.shards().next().map_or(1, |shard| shard.debts().len());
        let part = usize::try_from(part).unwrap_or(usize::MAX);
        if let Some(mut shard) = self.numbered(part / each.max(1)) {
            shard.insert_debts(part % each.max(1), sketch);
        }
    }

    /// A table for `keys` keys that goes on with saved ones; the capacity may be another than before. The
    /// time of day tells how long the restart took; a key never owes more for it than when it was saved.
    ///
    /// # Errors
    ///
    /// [`LoadError`] if the file is not whole and ours; nothing of it is used then.
    pub fn load(input: impl Read, keys: usize, clock: C) -> Result<Self, LoadError> {
        Self::load_with_bounds(input, keys, Self::OVERFLOW_BYTES_DEFAULT, clock)
    }

    /// As [`CellStore::load`], with the bounds of [`CellStore::with_bounds`].
    ///
    /// # Errors
    ///
    /// As [`CellStore::load`].
    pub fn load_with_bounds(
        input: impl Read,
        keys: usize,
        overflow_bytes: usize,
        clock: C,
    ) -> Result<Self, LoadError> {
        let now = clock.now();
        let mut reader = Reader::new(Contents::Cells, input)?;
        let Header { secrets, saved_at } = reader.header()?;
        let cells =
            Self::with_hash(keys, overflow_bytes, Fingerprinter::with_secrets(secrets), clock);
        let away = now.wall.since(saved_at).get().saturating_mul(1_000);
        let now = nanos(now);
        while !reader.is_at_end() {
            let fingerprint = reader.word()?;
            if fingerprint == 0 && !reader.is_without_sketches() {
                cells.read_debts(&mut reader, away, now)?;
                break;
            }
            let owed = reader.word()?;
            let left = i64::try_from(owed.saturating_sub(away)).unwrap_or(i64::MAX);
            if fingerprint == 0 {
                return Err(LoadError::Damaged("a key without a fingerprint"));
            }
            if left > 0 {
                let arrival = now.saturating_add(left);
                let entry = Entry { fingerprint, arrival };
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

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
