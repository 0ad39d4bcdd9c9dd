//! Rules files: read, and written without ever leaving half a file.

use std::{
    fs,
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use tollgate_rules::document::{self, Document, Reading};

use crate::say::Format;

/// A rules file as it is on disk; `-` is what comes in.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

impl File {
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let mut bytes = Vec::new();
        let name = path.display();
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
        Ok(Self {
            path: path.to_owned(),
            text,
        })
    }

    pub(crate) fn name(&self) -> String {
        if is_stdin(&self.path) {
            return "<stdin>".to_owned();
        }
        self.path.display().to_string()
    }

    pub(crate) fn reading(&self) -> Reading {
        document::read(&self.name(), &self.text)
    }

    /// The document, or every error that keeps it from being one. Warnings are told on the side.
    pub(crate) fn document(&self, format: Format) -> anyhow::Result<Document> {
        let Reading {
            document, report, ..
        } = self.reading();
        if format == Format::Text && !report.is_clean() {
            eprintln!("{}", report.to_string().trim_end());
        }
        match document {
            Some(document) => Ok(document),
            None => bail!(
                "{} has {} (see `tollgate rules validate`)",
                self.name(),
                crate::rules::counted(report.errors, "error")
            ),
        }
    }

    /// Puts other text in the file's place at once: whoever reads sees the old or the new.
    pub(crate) fn replace(&self, text: &str) -> anyhow::Result<()> {
        let name = self.path.display();
        let write = || -> anyhow::Result<()> {
            let folder = self
                .path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty());
            let mut new = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
            new.write_all(text.as_bytes())?;
            new.as_file()
                .set_permissions(fs::metadata(&self.path)?.permissions())?;
            new.as_file().sync_all()?;
            new.persist(&self.path)?;
            Ok(())
        };
        write().with_context(|| format!("cannot write {name}, it was left as it is"))
    }
}

pub(crate) fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}
