//! The files that are ours: tracked by git, or new and not ignored.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail};

use super::mask::Mask;
use crate::task::Task;

/// A text file, by its path from the repository's top.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// A Rust file, with code and comments apart.
#[derive(Debug)]
pub(crate) struct RustFile {
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) mask: Mask,
}

impl Source {
    pub(crate) fn has_extension(&self, extension: &str) -> bool {
        Path::new(&self.path)
            .extension()
            .is_some_and(|found| found == extension)
    }
}

impl RustFile {
    pub(crate) fn new(path: &str, text: &str) -> Self {
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
            mask: Mask::of(text),
        }
    }

    pub(crate) fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }
}

/// The paths of all files that are, or would be, committed.
pub(crate) fn visible_files(root: &Path) -> anyhow::Result<Vec<String>> {
    let list = Task::new("git")
        // A checkout that belongs to another user, as in a container, is read all the same.
        .args(["-c", "safe.directory=*"])
        .args(["ls-files", "-coz", "--exclude-standard"])
        .dir(root)
        .capture()?;
    if !list.success() {
        bail!(
            "`git ls-files` failed in {}: {}",
            root.display(),
            list.stderr.trim()
        );
    }
    let paths = list
        .stdout
        .split_terminator('\0')
        .filter(|path| root.join(path).is_file());
    Ok(paths.map(str::to_owned).collect())
}

/// Every visible file that is text; pictures and other bytes are passed over.
pub(crate) fn read(root: &Path) -> anyhow::Result<Vec<Source>> {
    let mut sources = Vec::new();
    for path in visible_files(root)? {
        let bytes = fs::read(root.join(&path)).with_context(|| format!("reading {path}"))?;
        if let Ok(text) = String::from_utf8(bytes) {
            sources.push(Source { path, text });
        }
    }
    Ok(sources)
}

/// The folder of what a program wrote, which no rule of ours is about.
const GENERATED: &str = "/generated/";

pub(crate) fn rust_files(sources: &[Source]) -> Vec<RustFile> {
    let rust = sources.iter().filter(|source| source.has_extension("rs"));
    let ours = rust.filter(|source| !source.path.contains(GENERATED));
    ours.map(|source| RustFile::new(&source.path, &source.text))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{read, rust_files};
    use crate::task::root;

    #[test]
    fn reads_this_file_and_no_build_output() {
        let files = rust_files(&read(&root()).unwrap());
        assert!(
            files
                .iter()
                .any(|file| file.path == "xtask/src/tidy/source.rs")
        );
        assert!(!files.iter().any(|file| file.path.starts_with("target/")));
        assert!(!files.iter().any(|file| file.path.contains("/generated/")));
    }
}
