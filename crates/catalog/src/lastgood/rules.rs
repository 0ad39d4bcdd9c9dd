//! The copy of the rules.

use std::{
    fs::File,
    io::{self, BufReader},
};

use tollgate_core::Timestamp;

use super::{
    LastGood, LastGoodError,
    copy::{damaged, failed, open},
    frames::{Frame, Frames, write_frame},
    row::{ItemRow, MarkRow, RevisionRow, from_bytes, to_bytes},
};
use crate::{
    ItemKey, Mark, Revision, RevisionNumber, Stamp,
    catalog::{Assembly, Stored},
    codec,
    item::Item,
};

impl LastGood {
    /// Keeps a revision, in the place of the one before.
    ///
    /// # Errors
    ///
    /// If the file cannot be written; the one before is still there then.
    pub fn save_rules(&self, revision: &Revision) -> Result<(), LastGoodError> {
        let path = self.rules_path();
        let save = || -> io::Result<()> {
            let mut out = self.begin(&path)?;
            let items = codec::items(&revision.set);
            let count = u64::try_from(items.len()).unwrap_or(u64::MAX);
            let (number, hash) = (revision.number.get(), revision.hash.to_string());
            write_frame(&mut out, &to_bytes(&RevisionRow { number, hash, items: count })?)?;
            for (key, item) in items {
                let row = row(&key, item, revision.stamps.get(&key));
                write_frame(&mut out, &to_bytes(&row)?)?;
            }
            self.replace(&path, out).map(drop)
        };
        save().map_err(|error| failed(&path, error))
    }

    /// The revision that was kept last; none if there never was one.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is damaged; a damaged one is moved aside.
    pub fn load_rules(&self) -> Result<Option<Revision>, LastGoodError> {
        let path = self.rules_path();
        let Some(file) = open(&path)? else {
            return Ok(None);
        };
        read(file).map(Some).map_err(|why| damaged(&path, why))
    }
}

fn read(file: File) -> Result<Revision, String> {
    let mut frames = Frames::new(BufReader::new(file))?;
    let mut next = || match frames.next() {
        Ok(Frame::Whole(bytes)) => Ok(Some(bytes)),
        Ok(Frame::End) => Ok(None),
        Ok(Frame::Broken(why)) => Err(why.to_owned()),
        Err(error) => Err(error.to_string()),
    };
    let first = next()?.ok_or("it is empty")?;
    let head: RevisionRow = from_bytes(&first)?;
    let number = RevisionNumber::new(head.number).ok_or("its number is out of range")?;
    let mut stored = Vec::new();
    while let Some(bytes) = next()? {
        stored.push(stored_item(from_bytes(&bytes)?)?);
    }
    if u64::try_from(stored.len()).is_ok_and(|count| count != head.items) {
        return Err("it ends too early".to_owned());
    }
    if number == RevisionNumber::ZERO {
        return Ok(Revision::zero());
    }
    let assembly = Assembly::default().with(number, stored).map_err(|error| error.to_string())?;
    let revision = assembly.finish(number);
    if revision.hash.to_string() != head.hash {
        return Err("its content does not have its hash".to_owned());
    }
    Ok(revision)
}

/// What everything begins with has no stamps.
fn row(key: &ItemKey, item: Item, stamp: Option<&Stamp>) -> ItemRow {
    let mark = |mark: Option<&Mark>| MarkRow {
        at: mark.map_or(0, |mark| mark.at.as_micros()),
        by: mark.map(|mark| mark.by.to_string()).unwrap_or_default(),
    };
    ItemRow {
        kind: key.kind.to_string(),
        id: key.id.to_string(),
        name: item.name.to_string(),
        position: item.position,
        body: item.body,
        version: stamp.map_or(0, |stamp| stamp.version.get()),
        created_in: stamp.map_or(0, |stamp| stamp.created_in.get()),
        created: mark(stamp.map(|stamp| &stamp.created)),
        updated: mark(stamp.map(|stamp| &stamp.updated)),
    }
}

fn stored_item(row: ItemRow) -> Result<Stored, String> {
    let kind = row.kind.parse().map_err(|_| "it holds an unknown kind of item")?;
    let key = ItemKey::new(kind, row.id);
    let item = Item { name: row.name.into(), position: row.position, body: row.body };
    let mark = |row: MarkRow| Mark { at: Timestamp::from_micros(row.at), by: row.by.into() };
    let number = |number: u64| RevisionNumber::new(number).ok_or("a number is out of range");
    let stamp = Stamp {
        name: item.name.clone(),
        version: number(row.version)?,
        hash: item.hash(&key),
        created: mark(row.created),
        updated: mark(row.updated),
        created_in: number(row.created_in)?,
        position: item.position,
    };
    Ok(Stored { key: Ok(key), item, stamp })
}
