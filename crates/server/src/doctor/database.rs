//! The rule database.

use std::{
    fs::{self, File},
    io::Read as _,
    path::Path,
    sync::Arc,
    time::Duration,
};

use tokio::time::timeout;
use tollgate_catalog::{Catalog, CatalogError, DatabaseUrl, Look, Options, Revision};
use tollgate_core::{Clock as _, SystemClock};
use tollgate_redis::Offset;

use super::{Diagnosis, clocks};
use crate::config::folder;

const ABOUT: &str = "database";

/// How long a database may take for one short answer.
const CALL_MAX: Duration = Duration::from_secs(2);
/// And for everything that is asked of it.
const ALL_MAX: Duration = Duration::from_secs(8);

type Found = (Vec<Diagnosis>, Option<Arc<Revision>>);

/// What is found, and the rules that are in it.
pub(super) async fn look(url: &DatabaseUrl) -> Found {
    if let DatabaseUrl::Sqlite(path) = url
        && let Some(early) = not_yet(path, url)
    {
        return (vec![early], None);
    }
    let catalog = match Catalog::lazy(url, Options::default().call_max(CALL_MAX)) {
        Ok(catalog) => catalog,
        Err(error) => return (vec![wrong(url, &error)], None),
    };
    let found = timeout(ALL_MAX, asked(&catalog, url)).await;
    catalog.close().await;
    found.unwrap_or_else(|_| {
        let late = CatalogError::Timeout(ALL_MAX);
        (vec![wrong(url, &late)], None)
    })
}

/// What can be said of a file without opening it: to open one that is not there would make it.
fn not_yet(path: &Path, url: &DatabaseUrl) -> Option<Diagnosis> {
    let Ok(about) = fs::metadata(path) else {
        let parent = path.parent().unwrap_or(Path::new("."));
        return Some(match folder(parent) {
            Ok(()) => Diagnosis::fine(ABOUT, format!("{url} is not there yet and can be made")),
            Err(why) => Diagnosis::problem(
                ABOUT,
                format!("{url} is not there, and its folder {why}"),
                "make the folder writable for this user, or name another with --database",
            ),
        });
    };
    if about.is_dir() {
        let text = format!("{url} is a folder");
        let remedy = "name a file in it with --database sqlite:PATH";
        return Some(Diagnosis::problem(ABOUT, text, remedy));
    }
    if about.len() == 0 {
        let text = format!("{url} is empty: its tables are made at the start");
        return Some(Diagnosis::fine(ABOUT, text));
    }
    has_other_journal(path).then(|| {
        let text =
            format!("{url} is a SQLite file, but was not made by Tollgate, so it is not opened");
        let remedy =
            "name another with --database, unless it is meant: the start adds its tables to it";
        Diagnosis::warning(ABOUT, text, remedy)
    })
}

/// Whether it is a SQLite file without a write-ahead log: to open it as a server does would change that.
fn has_other_journal(path: &Path) -> bool {
    const WRITE_AHEAD: [u8; 2] = [2, 2];
    // Sixteen bytes of name, two of page size, then how it is written and how it is read.
    let mut header = [0; 20];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut header));
    read.is_ok() && header.starts_with(b"SQLite format 3\0") && !header.ends_with(&WRITE_AHEAD)
}

async fn asked(catalog: &Catalog, url: &DatabaseUrl) -> Found {
    let before = SystemClock.now().wall;
    let look = match catalog.look().await {
        Ok(look) => look,
        Err(error) => return (vec![wrong(url, &error)], None),
    };
    let after = SystemClock.now().wall;
    let mut found = vec![Diagnosis::fine(ABOUT, schema(url, look))];
    if !url.is_sqlite() {
        found.push(clock(Offset::between(look.now, before, after)));
    }
    if look.schema.is_none() {
        return (found, None);
    }
    match catalog.latest().await {
        Ok(revision) => (found, Some(revision)),
        Err(error) => {
            found.push(wrong(url, &error));
            (found, None)
        }
    }
}

fn schema(url: &DatabaseUrl, look: Look) -> String {
    let ours = look.ours;
    match look.schema {
        None => format!("{url} answers: its tables are made at the start"),
        Some(schema) if schema < ours => {
            format!("{url} answers, schema {schema}: it becomes {ours} at the start")
        }
        Some(schema) if schema > ours => {
            format!(
                "{url} answers, schema {schema}: of a newer release, which this one ({ours}) can read"
            )
        }
        Some(schema) => format!("{url} answers, schema {schema}"),
    }
}

fn clock(offset: Offset) -> Diagnosis {
    match clocks::apart(offset) {
        Ok(text) => Diagnosis::fine(ABOUT, text),
        Err(text) => Diagnosis::warning(ABOUT, text, clocks::REMEDY),
    }
}

fn wrong(url: &DatabaseUrl, error: &CatalogError) -> Diagnosis {
    let remedy = match error {
        CatalogError::Unreachable(_) | CatalogError::Timeout(_) => {
            "start it, or correct --database; see that no firewall is in between. Until then the last good \
             copy of the rules decides, if there is one"
        }
        CatalogError::Full(_) => "make room on its disk",
        CatalogError::ReadOnly(_) => "give the address of the primary, or make the file writable",
        _ => "correct --database, or what the message names",
    };
    Diagnosis::problem(ABOUT, format!("{url}: {error}"), remedy)
}
