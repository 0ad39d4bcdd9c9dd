//! The copy of the overrides: a file that begins with all of them, and grows by what changes.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufReader, Seek as _, SeekFrom},
};

use tollgate_core::Timestamp;

use super::{
    LastGood, LastGoodError,
    copy::{Tail, damaged, failed, open},
    frames::{Frame, Frames, write_frame},
    row::{MarkRow, OverrideRow, PageRow, ReachedRow, from_bytes, to_bytes},
};
use crate::{
    OverrideDelta, OverrideId, OverrideMark, OverrideSeq, Removal, Scope, StoredOverride, codec,
};

/// A file may grow by this many before it is worth writing anew.
const ADDED_MIN: u64 = 10_000;

impl LastGood {
    /// Keeps a page. The last one of a walk comes with the mark that is reached; until then nothing of it
    /// counts.
    pub(crate) fn save_overrides(
        &self,
        page: &OverrideDelta,
        reached: Option<&OverrideMark>,
    ) -> Result<(), LastGoodError> {
        let mut tail = self.tail();
        let saved = match page.scope {
            Scope::Everything => self.anew(&mut tail, page, reached),
            Scope::Changes => self.added(&mut tail, page, reached),
        };
        saved.map_err(|error| failed(&self.overrides_path(), error))
    }

    /// Whether the file has grown so much that it is worth writing anew.
    pub(crate) fn is_bloated(&self) -> bool {
        let tail = self.tail();
        tail.added > tail.begun.max(ADDED_MIN)
    }

    /// A walk that was given up is not continued by the next one.
    pub(crate) fn begin_walk(&self) {
        self.tail().fresh = None;
    }

    fn anew(
        &self,
        tail: &mut Tail,
        page: &OverrideDelta,
        reached: Option<&OverrideMark>,
    ) -> io::Result<()> {
        let path = self.overrides_path();
        let (mut out, before) = match tail.fresh.take() {
            Some(out) => (out, tail.begun),
            None => (self.begin(&path)?, 0),
        };
        write_frame(&mut out, &to_bytes(&row(page, reached))?)?;
        tail.begun = before.saturating_add(count(page));
        if reached.is_some() {
            tail.good = Some(self.replace(&path, out)?);
            tail.added = 0;
        } else {
            tail.fresh = Some(out);
        }
        Ok(())
    }

    /// What follows the good part, from a write that failed or a machine that stopped, is cut off first.
    fn added(
        &self,
        tail: &mut Tail,
        page: &OverrideDelta,
        reached: Option<&OverrideMark>,
    ) -> io::Result<()> {
        let Some(good) = tail.good else {
            return Err(io::Error::other("what it holds is not known"));
        };
        let payload = to_bytes(&row(page, reached))?;
        let mut file = OpenOptions::new().write(true).open(self.overrides_path())?;
        file.set_len(good)?;
        file.seek(SeekFrom::End(0))?;
        let bytes = write_frame(&mut file, &payload)?;
        file.sync_all()?;
        tail.good = Some(good.saturating_add(bytes));
        tail.added = tail.added.saturating_add(count(page));
        Ok(())
    }

    /// Hands out the overrides that were kept, page by page, and the mark they reach; none if there never
    /// were any. A write that is not whole at the end of the file is left out.
    pub(crate) fn load_overrides(
        &self,
        each: impl FnMut(OverrideDelta),
    ) -> Result<Option<Loaded>, LastGoodError> {
        let path = self.overrides_path();
        let Some(file) = open(&path)? else {
            return Ok(None);
        };
        // Read twice: the first time to find how far it is good.
        let whole = survey(file).map_err(|why| damaged(&path, why))?;
        let Some(file) = open(&path)? else {
            return Ok(None);
        };
        let mark = hand_out(file, whole.pages, each).map_err(|why| damaged(&path, why))?;
        *self.tail() = Tail {
            good: Some(whole.bytes),
            ..Tail::default()
        };
        Ok(Some(Loaded {
            mark,
            cut_off: whole.cut_off,
        }))
    }
}

/// What a file of overrides held.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// How far it goes.
    pub(crate) mark: OverrideMark,
    /// Why the rest of it could not be read, if there is a rest: a write that a crash cut short, or damage.
    pub(crate) cut_off: Option<&'static str>,
}

/// The part of a file that is good: everything up to the last mark.
#[derive(Clone, Copy, Debug)]
struct Whole {
    pages: usize,
    bytes: u64,
    cut_off: Option<&'static str>,
}

fn survey(file: File) -> Result<Whole, String> {
    let mut frames = Frames::new(BufReader::new(file))?;
    let (mut pages, mut whole) = (0, None);
    let cut_off = loop {
        let bytes = match frames.next().map_err(|error| error.to_string())? {
            Frame::Whole(bytes) => bytes,
            Frame::End => break None,
            Frame::Broken(why) => break Some(why),
        };
        pages += 1;
        let page: PageRow = from_bytes(&bytes)?;
        if page.reached.is_some() {
            whole = Some(Whole {
                pages,
                bytes: frames.good(),
                cut_off: None,
            });
        }
    };
    let whole = whole.ok_or_else(|| "nothing in it is whole".to_owned())?;
    Ok(Whole { cut_off, ..whole })
}

fn hand_out(
    file: File,
    pages: usize,
    mut each: impl FnMut(OverrideDelta),
) -> Result<OverrideMark, String> {
    let mut frames = Frames::new(BufReader::new(file))?;
    let mut mark = OverrideMark::default();
    for at in 1..=pages {
        let Frame::Whole(bytes) = frames.next().map_err(|error| error.to_string())? else {
            return Err("it changed while it was read".to_owned());
        };
        let page: PageRow = from_bytes(&bytes)?;
        if let Some(reached) = page.reached {
            let seq = OverrideSeq::new(reached.seq).ok_or("a number is out of range")?;
            mark = OverrideMark {
                seq,
                mark: reached.mark,
            };
        }
        let entries = page
            .entries
            .into_iter()
            .map(stored)
            .collect::<Result<Vec<_>, _>>()?;
        let seq = entries.last().map_or(mark.seq, |last| last.seq);
        each(OverrideDelta {
            scope: Scope::Everything,
            entries,
            seq,
            is_first: at == 1,
            is_last: at == pages,
            skipped: None,
        });
    }
    Ok(mark)
}

fn row(page: &OverrideDelta, reached: Option<&OverrideMark>) -> PageRow {
    let entry = |stored: &StoredOverride| OverrideRow {
        id: stored.id.get(),
        seq: stored.seq.get(),
        rule_id: stored.rule_id.map(|id| id.to_string()),
        body: codec::override_body(&stored.what),
        author: stored.author.to_string(),
        created_at: stored.created_at.as_micros(),
        removed: stored.removed.as_ref().map(|removal| MarkRow {
            at: removal.at.as_micros(),
            by: removal.by.to_string(),
        }),
    };
    PageRow {
        entries: page.entries.iter().map(entry).collect(),
        reached: reached.map(|mark| ReachedRow {
            seq: mark.seq.get(),
            mark: mark.mark.clone(),
        }),
    }
}

fn stored(row: OverrideRow) -> Result<StoredOverride, String> {
    let removal = |row: MarkRow| Removal {
        at: Timestamp::from_micros(row.at),
        by: row.by.into(),
    };
    Ok(StoredOverride {
        id: OverrideId::new(row.id).ok_or("an id is out of range")?,
        rule_id: row
            .rule_id
            .as_deref()
            .map(codec::read_rule_id)
            .transpose()?,
        what: codec::read_override(&row.body)?,
        seq: OverrideSeq::new(row.seq).ok_or("a number is out of range")?,
        author: row.author.into(),
        created_at: Timestamp::from_micros(row.created_at),
        removed: row.removed.map(removal),
    })
}

fn count(page: &OverrideDelta) -> u64 {
    u64::try_from(page.entries.len()).unwrap_or(u64::MAX)
}
