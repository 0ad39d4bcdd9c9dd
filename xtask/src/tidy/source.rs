//! The files that are ours: tracked by git, or new and not ignored; and what a rule says about them.

use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail};

use crate::task::Task;

/// The folder of what a program wrote, which no rule of ours is about.
const GENERATED: &str = "/generated/";

/// A text file, by its path from the repository's top.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// Something to repair: the message says what is wrong and how to put it right.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) message: String,
}

impl Source {
    #[cfg(test)]
    pub(crate) fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs") && !self.path.contains(GENERATED)
    }

    pub(crate) fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    pub(crate) fn finding(&self, line: usize, message: impl Into<String>) -> Finding {
        Finding { path: self.path.clone(), line, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// Every file that is, or would be, committed and is text; pictures and other bytes are passed over.
pub(crate) fn read(root: &Path) -> anyhow::Result<Vec<Source>> {
    let list = Task::new("git")
        // A checkout that belongs to another user, as in a container, is read all the same.
        .args(["-c", "safe.directory=*"])
        .args(["ls-files", "-coz", "--exclude-standard"])
        .dir(root)
        .capture()?;
    if !list.success() {
        bail!("`git ls-files` failed in {}: {}", root.display(), list.stderr.trim());
    }
    let mut sources = Vec::new();
    for path in list.stdout.split_terminator('\0').filter(|path| root.join(path).is_file()) {
        let bytes = fs::read(root.join(path)).with_context(|| format!("reading {path}"))?;
        if let Ok(text) = String::from_utf8(bytes) {
            sources.push(Source { path: path.to_owned(), text });
        }
    }
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::task::root;

    #[test]
    fn reads_this_file_and_no_build_output() {
        let sources = read(&root()).unwrap();
        assert!(sources.iter().any(|source| source.path == "xtask/src/tidy/source.rs"));
        assert!(!sources.iter().any(|source| source.path.starts_with("target/")));
        assert!(
            !sources.iter().any(|source| source.is_rust() && source.path.contains("/generated/"))
        );
    }
}
