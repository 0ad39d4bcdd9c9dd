//! The sketches in a file: they follow the counters, behind a fingerprint of zero.
//!
//! A sketch is written with its shard and the number of shards. In a store with more shards each that was
//! part of the old one gets a copy; in one with fewer they lie side by side. Either way a key finds
//! what it left.

use std::io::{self, Write};

use tollgate_core::{Law, Now, Timestamp};

use super::{
    LoadError,
    file::{Reader, Writer},
    record::{Kept, read_scope, scope_words},
};
use crate::{
    overflow::{Counts, Entries, Layout, Moments, Odds, Sketch, Windows},
    store::Counters,
};

const WINDOWS: u64 = 1;
const MOMENTS: u64 = 2;
/// More than any store has.
const SHARDS_MAX: u64 = 1 << 16;
const WORDS_MAX: u64 = 1 << 27;

impl Counters {
    /// Writes every sketch.
    pub(super) fn write_sketches<W: Write>(
        &self,
        out: &mut Writer<'_, W>,
        now: Now,
    ) -> io::Result<()> {
        let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        out.words([0, count(self.shards.count())])?;
        for number in 0..self.shards.count() {
            // Nobody waits for the disk.
            let sketches = self.shards.lock(number).overflow.sketches().to_vec();
            for sketch in &sketches {
                out.words([count(number)])?;
                write(sketch, out, now)?;
            }
        }
        Ok(())
    }

    /// Reads what [`Counters::write_sketches`] wrote, but for the first word.
    pub(super) fn read_sketches(
        &self,
        input: &mut Reader,
        saved_at: Timestamp,
        now: Now,
    ) -> Result<(), LoadError> {
        let shards = input.word()?;
        if !shards.is_power_of_two() || shards > SHARDS_MAX {
            return Err(LoadError::Damaged("a number of shards that no store has"));
        }
        let shards = usize::try_from(shards).unwrap_or(1);
        let common = shards.min(self.shards.count()) - 1;
        while !input.is_at_end() {
            let former = usize::try_from(input.word()?).unwrap_or(0);
            let Some(sketch) = read(input, saved_at, now)? else {
                continue;
            };
            let shards = (0..self.shards.count()).filter(|it| it & common == former & common);
            for number in shards {
                let mut shard = self.shards.lock(number);
                let words_max = self.shards.overflow_words();
                shard.overflow.insert(sketch.clone(), words_max);
            }
        }
        Ok(())
    }
}

fn write<W: Write>(sketch: &Sketch, out: &mut Writer<'_, W>, now: Now) -> io::Result<()> {
    out.words(scope_words(sketch.scope))?;
    out.words([u64::from(sketch.law.is_some())])?;
    if let Some(law) = &sketch.law {
        out.words(Kept::Wide(law.clone()).words())?;
    }
    match &sketch.counts {
        Counts::Windows(windows) => {
            out.words([WINDOWS, windows.window, windows.quantum])?;
            write_entries(&windows.entries, out)
        }
        Counts::Moments(moments) => {
            // As the time of day: elapsed time has another origin in every process.
            let base = moments.base.saturating_mul(moments.tick);
            let ahead = now.wall.as_micros().saturating_sub(now.steady.as_micros());
            let behind = now.steady.as_micros().saturating_sub(now.wall.as_micros());
            let base = base.saturating_add(ahead).saturating_sub(behind);
            out.words([MOMENTS, base, moments.tick])?;
            write_entries(&moments.entries, out)
        }
    }
}

pub(crate) fn write_entries<W: Write>(
    entries: &Entries,
    out: &mut Writer<'_, W>,
) -> io::Result<()> {
    let (words, Layout { bits, numbers }) = (entries.as_words(), entries.layout());
    let length = u64::try_from(words.len()).map_err(io::Error::other)?;
    out.words([bits.into(), numbers.into(), length])?;
    out.words(words.iter().copied())
}

/// `None` if all of it has run out.
fn read(input: &mut Reader, saved_at: Timestamp, now: Now) -> Result<Option<Sketch>, LoadError> {
    let scope = read_scope(input)?;
    let law = match input.word()? {
        0 => None,
        _ => Some(Kept::read(input)?.1),
    };
    let counts = match input.word()? {
        WINDOWS => {
            let (window, quantum) = (input.word()?, input.word()?.max(1));
            let mut windows =
                Windows { window, rebased_to: None, quantum, entries: read_entries(input)? };
            if let Some(Law::SlidingLog(log)) = &law {
                let away = now.wall.since(saved_at).get();
                if away >= log.period().get().saturating_mul(2) {
                    return Ok(None);
                }
                // Windows of elapsed time begin anew: all counts as admitted just now.
                windows.move_to(now.steady.as_micros() / log.period().get().max(1));
            }
            Counts::Windows(windows)
        }
        MOMENTS => {
            let (base, tick) = (input.word()?, input.word()?.max(1));
            let entries = read_entries(input)?;
            let origin = now.wall.max(saved_at).as_micros();
            let (base, now) = (i128::from(base), now.steady.as_micros());
            let base = base - i128::from(origin) + i128::from(now);
            Counts::Moments(Moments::starting_at(base, tick, entries))
        }
        _ => return Err(LoadError::Damaged("a sketch of an unknown kind")),
    };
    Ok(Some(Sketch { scope, law, counts, odds: Odds::default(), laws: None }))
}

pub(crate) fn read_entries(input: &mut Reader) -> Result<Entries, LoadError> {
    let [bits, numbers, length] = [input.word()?, input.word()?, input.word()?];
    let unknown = || LoadError::Damaged("entries of an unknown layout");
    let [bits, numbers] = [bits, numbers].map(u32::try_from);
    let (bits, numbers) = bits.ok().zip(numbers.ok()).ok_or_else(unknown)?;
    let layout = Layout::new(bits, numbers).ok_or_else(unknown)?;
    if length > WORDS_MAX {
        return Err(LoadError::Damaged("more entries than any store has"));
    }
    let words = (0..length).map(|_| input.word());
    let words: Box<[u64]> = words.collect::<Result<_, _>>()?;
    Entries::from_words(words, layout).ok_or_else(unknown)
}
