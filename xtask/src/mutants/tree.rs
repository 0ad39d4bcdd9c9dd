//! A copy of the repository that is cheap to bring up to date.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::Context as _;

/// Makes `to` hold exactly `files` of `from`. A file that is already equal is not touched, so that
/// cargo rebuilds only what changed.
pub(crate) fn sync(from: &Path, to: &Path, files: &[String]) -> anyhow::Result<()> {
    for file in files {
        let bytes = fs::read(from.join(file)).with_context(|| format!("reading {file}"))?;
        write_if_changed(&to.join(file), &bytes)?;
    }
    let wanted: BTreeSet<&str> = files.iter().map(String::as_str).collect();
    prune(to, to, &wanted)
}

pub(crate) fn write_if_changed(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if fs::read(path).is_ok_and(|present| present == bytes) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, bytes).with_context(|| format!("writing {}", path.display()))
}

fn prune(top: &Path, folder: &Path, wanted: &BTreeSet<&str>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let relative = path.strip_prefix(top)?.to_string_lossy().into_owned();
        if path.is_dir() {
            prune(top, &path, wanted)?;
        } else if !wanted.contains(relative.as_str()) {
            fs::remove_file(&path).with_context(|| format!("removing {}", path.display()))?;
        }
    }
    // Cargo takes every folder of `crates/` for a member, even an empty one.
    if fs::read_dir(folder)?.next().is_none() {
        fs::remove_dir(folder)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{fs, sync};

    #[test]
    fn copies_changes_and_removes_but_leaves_equal_files_alone() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let write = |name: &str, text: &str| {
            let path = from.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let files = |names: &[&str]| {
            names
                .iter()
                .map(|&name| name.to_owned())
                .collect::<Vec<_>>()
        };
        write("a/same.rs", "same");
        write("a/changed.rs", "old");
        write("b/gone.rs", "gone");
        let all = files(&["a/same.rs", "a/changed.rs", "b/gone.rs"]);
        sync(from.path(), to.path(), &all).unwrap();
        let same = to.path().join("a/same.rs");
        let written = fs::metadata(&same).unwrap().modified().unwrap();

        write("a/changed.rs", "new");
        sync(
            from.path(),
            to.path(),
            &files(&["a/same.rs", "a/changed.rs"]),
        )
        .unwrap();

        assert_eq!(
            fs::read_to_string(to.path().join("a/changed.rs")).unwrap(),
            "new"
        );
        assert!(!to.path().join("b").exists());
        assert_eq!(fs::metadata(&same).unwrap().modified().unwrap(), written);
    }
}
