//! The file of what this node's processes have spent in Redis.

use std::{
    fs,
    io::{self, Write as _},
    path::Path,
};

use tollgate_redis::Journal;

use super::file::replace;

/// What the file is called.
const NAME: &str = "journal.txt";

/// What was saved. A file that cannot be used is put aside, and no reason not to start.
pub(super) fn load(data: &Path) -> Journal {
    let path = data.join(NAME);
    let read = match fs::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Journal::default(),
        Err(error) => Err(error.to_string()),
        Ok(bytes) => Journal::read(&bytes).map_err(|error| error.to_string()),
    };
    match read {
        Ok(journal) => {
            let counters = journal.len();
            tracing::info!(counters, "Going on with the journal of what was spent in Redis.");
            journal
        }
        Err(error) => {
            let aside = path.with_extension("unreadable");
            let kept = fs::rename(&path, &aside);
            let aside = aside.display();
            tracing::error!(
                error,
                %aside,
                is_kept = kept.is_ok(),
                "The journal of what was spent in Redis cannot be read: should Redis have lost it, counters are in \
                 doubt until it does not count any more."
            );
            Journal::default()
        }
    }
}

/// Puts this in the place of what was saved.
pub(super) fn save(data: &Path, journal: &[u8]) -> io::Result<()> {
    replace(&data.join(NAME), |out| out.write_all(journal))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    // Proves: C7
    #[test]
    fn a_journal_that_cannot_be_read_is_put_aside_and_no_reason_not_to_start() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        assert!(load(data).is_empty(), "a first start");
        save(data, b"tollgate journal 1\nof nothing").unwrap();
        let path = data.join(NAME);
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(load(data).is_empty());
        assert!(!path.exists() && data.join("journal.unreadable").exists());
        assert!(load(data).is_empty());
    }
}
