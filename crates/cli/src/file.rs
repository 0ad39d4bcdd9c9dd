//! Rules files: read, and written without ever leaving half a file.

use std::{
    fs,
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use serde_json::json;
use tollgate_rules::document::{self, Document, Reading};

use crate::{outcome::Failure, problems, say::Format};

/// A rules file as it is on disk; `-` is what comes in.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

impl File {
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let mut bytes = Vec::new();
        let name = named(path);
        let most = u64::try_from(document::BYTES_MAX)?;
        let read = if is_stdin(path) {
            std::io::stdin().take(most + 1).read_to_end(&mut bytes)
        } else {
            let file = fs::File::open(path).with_context(|| format!("cannot open {name}"))?;
            file.take(most + 1).read_to_end(&mut bytes)
        };
        read.with_context(|| format!("cannot read {name}"))?;
        if u64::try_from(bytes.len())? > most {
            bail!("{name} has more than {most} bytes, which is the most a rules file may have");
        }
        let text = String::from_utf8(bytes);
        let text = text.map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            anyhow::anyhow!("{name} is not UTF-8: byte {valid} is the first that is not")
        })?;
        Ok(Self { path: path.to_owned(), text })
    }

    pub(crate) fn name(&self) -> String {
        named(&self.path)
    }

    pub(crate) fn reading(&self) -> Reading {
        document::read(&self.name(), &self.text)
    }

    /// The document, or every error that keeps it from being one. Warnings are told on the side.
    pub(crate) fn document(&self, format: Format) -> anyhow::Result<Document> {
        let Reading { document, report, .. } = self.reading();
        if !report.problems.is_empty() {
            format.remark(|| problems::in_words(&report) + "\n");
        }
        document.ok_or_else(|| {
            let errors = crate::rules::counted(report.errors, "error");
            let failure = Failure::new(format!("{} has {errors}", self.name()));
            let failure = failure.with("file", json!(self.name()));
            failure.with("problems", problems::as_json(&report)).into()
        })
    }

    /// Puts other text in the file's place at once: whoever reads sees the old or the new. Of a link,
    /// the file it leads to.
    pub(crate) fn replace(&self, text: &str) -> anyhow::Result<()> {
        let write = || -> anyhow::Result<()> {
            let path = fs::canonicalize(&self.path)?;
            let folder = path.parent().unwrap_or(Path::new("/"));
            let mut new = tempfile::NamedTempFile::new_in(folder)?;
            new.write_all(text.as_bytes())?;
            new.as_file().set_permissions(fs::metadata(&path)?.permissions())?;
            new.as_file().sync_all()?;
            new.persist(&path)?;
            Ok(())
        };
        let name = self.name();
        write().with_context(|| format!("cannot write {name}, it was left as it is"))
    }
}

fn named(path: &Path) -> String {
    if is_stdin(path) {
        return "<stdin>".to_owned();
    }
    path.display().to_string()
}

pub(crate) fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}
