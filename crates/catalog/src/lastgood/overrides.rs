//! The copy of the overrides and entries: a file that begins with all of them, and grows by what changes.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufReader, Seek as _, SeekFrom},
    mem,
};

use tollgate_core::Timestamp;

use super::{
    LastGood, LastGoodError,
    copy::{Fresh, Tail, damaged, failed, open},
    entries,
    frames::{Frame, Frames, write_frame},
    row::{MarkRow, OverrideRow, PageRow, from_bytes, to_bytes},
};
use crate::{
    EntryDelta, OverrideDelta, OverrideId, OverrideMark, OverrideSeq, Removal, Scope,
    StoredOverride, codec,
};

/// A file may grow by this many before it is worth writing anew.
const ADDED_MIN: u64 = 10_000;

impl LastGood {
    /// Keeps a page; nothing of it counts before the entries that follow it have come to their end.
    pub(crate) fn save_overrides(&self, page: &OverrideDelta) -> Result<(), LastGoodError> {
        // Most writes change either overrides or entries.
        if page.entries.is_empty() && page.scope == Scope::Changes {
            return Ok(());
        }
        let row = PageRow {
            entries: page.entries.iter().map(row).collect(),
            identities: None,
            reached: None,
        };
        self.save(page.scope, &row)
    }

    pub(super) fn save(&self, scope: Scope, row: &PageRow) -> Result<(), LastGoodError> {
        let mut tail = self.tail();
        let saved = match scope {
            Scope::Everything => self.anew(&mut tail, row),
            Scope::Changes => self.added(&mut tail, row),
        };
        if saved.is_err() {
            // The node goes on, the file does not: what follows would not be the whole story.
            tail.good = None;
        }
        saved.map_err(|error| failed(&self.overrides_path(), error))
    }

    /// Whether the file is worth writing anew: it has grown so much, or a write to it failed and another may not.
    pub(crate) fn is_bloated(&self) -> bool {
        let tail = self.tail();
        let can_begin = || self.begin(&self.overrides_path()).is_ok();
        tail.added > tail.begun.max(ADDED_MIN) || (tail.good.is_none() && can_begin())
    }

    /// A walk that was given up is not continued by the next one.
    pub(crate) fn begin_walk(&self) {
        self.tail().fresh = Fresh::Unbegun;
    }

    fn anew(&self, tail: &mut Tail, row: &PageRow) -> io::Result<()> {
        let path = self.overrides_path();
        let (mut out, before) = match mem::replace(&mut tail.fresh, Fresh::Failed) {
            Fresh::Begun(out) => (out, tail.begun),
            Fresh::Unbegun => (self.begin(&path)?, 0),
            Fresh::Failed => return Err(io::Error::other("a page before could not be kept")),
        };
        write_frame(&mut out, &to_bytes(row)?)?;
        tail.begun = before.saturating_add(count(row));
        tail.fresh = if row.reached.is_some() {
            tail.good = Some(self.replace(&path, out)?);
            tail.added = 0;
            Fresh::Unbegun
        } else {
            Fresh::Begun(out)
        };
        Ok(())
    }

    /// What follows the good part, from a write that failed or a machine that stopped, is cut off first.
    fn added(&self, tail: &mut Tail, row: &PageRow) -> io::Result<()> {
        let Some(good) = tail.good else {
            return Err(io::Error::other("what it holds is not known"));
        };
        let payload = to_bytes(row)?;
        let mut file = OpenOptions::new().write(true).open(self.overrides_path())?;
        file.set_len(good)?;
        file.seek(SeekFrom::End(0))?;
        let bytes = write_frame(&mut file, &payload)?;
        file.sync_all()?;
        tail.good = Some(good.saturating_add(bytes));
        tail.added = tail.added.saturating_add(count(row));
        Ok(())
    }

    /// Hands out what was kept, page by page, and the mark it reaches; none if there never was anything. A write that
    /// is not whole at the end of the file is left out.
    pub(crate) fn load_overrides(
        &self,
        each: impl FnMut(OverrideDelta, EntryDelta),
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
        let handed = hand_out(file, whole.pages, each).map_err(|why| damaged(&path, why))?;
        *self.tail() = Tail { good: Some(whole.bytes), ..Tail::default() };
        Ok(Some(Loaded { cut_off: whole.cut_off, ..handed }))
    }
}

/// What a file of overrides and entries held.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    /// How far it goes.
    pub(crate) mark: OverrideMark,
    /// Why the rest of it could not be read, if there is a rest: a write that a crash cut short, or damage.
    pub(crate) cut_off: Option<&'static str>,
    /// Why an entry was left out, if one was.
    pub(crate) skipped: Option<String>,
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
            whole = Some(Whole { pages, bytes: frames.good(), cut_off: None });
        }
    };
    let whole = whole.ok_or_else(|| "nothing in it is whole".to_owned())?;
    Ok(Whole { cut_off, ..whole })
}

fn hand_out(
    file: File,
    pages: usize,
    mut each: impl FnMut(OverrideDelta, EntryDelta),
) -> Result<Loaded, String> {
    let mut frames = Frames::new(BufReader::new(file))?;
    let mut loaded = Loaded::default();
    for at in 1..=pages {
        let Frame::Whole(bytes) = frames.next().map_err(|error| error.to_string())? else {
            return Err("it changed while it was read".to_owned());
        };
        let page: PageRow = from_bytes(&bytes)?;
        if let Some(reached) = page.reached {
            let seq = OverrideSeq::new(reached.seq).ok_or("a number is out of range")?;
            // A release that knows of no entries wrote it: a mark that nobody shares has everything fetched.
            let (is_whole, mark) = (page.identities.is_some(), reached.mark);
            let reached = OverrideMark { seq, mark };
            loaded.mark = if is_whole { reached } else { reached.unshared() };
        }
        let overrides = page.entries.into_iter().map(stored);
        let overrides = overrides.collect::<Result<Vec<_>, _>>()?;
        let (mut known, scope) = (Vec::new(), Scope::Everything);
        for row in page.identities.unwrap_or_default() {
            let shut = entries::shut(&row);
            match entries::stored(row) {
                Ok(entry) => known.push(entry),
                Err(error) => {
                    loaded.skipped = Some(error.to_string());
                    known.extend(shut);
                }
            }
        }
        let seq = overrides.last().map_or(loaded.mark.seq, |last| last.seq);
        let (is_first, is_last) = (at == 1, at == pages);
        let entries = EntryDelta {
            scope,
            entries: known,
            // What was there before is on a page before.
            kept: Vec::new(),
            is_first,
            is_last,
        };
        let page =
            OverrideDelta { scope, entries: overrides, seq, is_first, is_last, skipped: None };
        each(page, entries);
    }
    Ok(loaded)
}

fn row(stored: &StoredOverride) -> OverrideRow {
    OverrideRow {
        id: stored.id.get(),
        seq: stored.seq.get(),
        rule_id: stored.rule_id.map(|id| id.to_string()),
        body: codec::override_body(&stored.what),
        author: stored.author.to_string(),
        created_at: stored.created_at.as_micros(),
        removed: stored
            .removed
            .as_ref()
            .map(|removal| MarkRow { at: removal.at.as_micros(), by: removal.by.to_string() }),
    }
}

fn stored(row: OverrideRow) -> Result<StoredOverride, String> {
    let removal = |row: MarkRow| Removal { at: Timestamp::from_micros(row.at), by: row.by.into() };
    Ok(StoredOverride {
        id: OverrideId::new(row.id).ok_or("an id is out of range")?,
        rule_id: row.rule_id.as_deref().map(codec::read_rule_id).transpose()?,
        what: codec::read_override(&row.body)?,
        seq: OverrideSeq::new(row.seq).ok_or("a number is out of range")?,
        author: row.author.into(),
        created_at: Timestamp::from_micros(row.created_at),
        removed: row.removed.map(removal),
    })
}

fn count(page: &PageRow) -> u64 {
    let identities = page.identities.as_ref().map_or(0, Vec::len);
    u64::try_from(page.entries.len().saturating_add(identities)).unwrap_or(u64::MAX)
}
