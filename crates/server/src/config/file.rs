//! The file `tollgate.toml`.

use std::{
    fs,
    io::{ErrorKind, Read as _},
    path::Path,
};

use toml::de::{DeTable, DeValue};

use super::{
    Origin, Problem, SETTINGS, Setting, Takes,
    sources::{Given, Values},
};

/// A configuration file: what it is called, and its text.
#[derive(Clone, Debug)]
pub struct ConfigFile {
    path: String,
    text: String,
}

impl ConfigFile {
    /// The file that is read if it is there and no other is named.
    pub const USUAL: &str = "tollgate.toml";

    /// The longest file.
    pub const BYTES_MAX: usize = 64 * 1024;

    /// A file with this text.
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into() }
    }

    /// Reads a file; none if there is none.
    ///
    /// # Errors
    ///
    /// What keeps it from being read.
    pub fn read(path: &str) -> Result<Option<Self>, String> {
        let mut bytes = Vec::new();
        let most = u64::try_from(Self::BYTES_MAX).unwrap_or(u64::MAX);
        let read = fs::File::open(Path::new(path))
            .and_then(|file| file.take(most + 1).read_to_end(&mut bytes));
        match read {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("cannot read {path}: {error}")),
            Ok(_) if bytes.len() > Self::BYTES_MAX => {
                let most = Self::BYTES_MAX;
                return Err(format!("{path} has more than {most} bytes: it is no configuration"));
            }
            Ok(_) => {}
        }
        let text = String::from_utf8(bytes).map_err(|_| format!("{path} is not UTF-8"))?;
        Ok(Some(Self::new(path, text)))
    }

    /// Puts what the file says into `values`.
    pub(super) fn gather(&self, values: &mut Values, problems: &mut Vec<Problem>) {
        let (table, errors) = DeTable::parse_recoverable(&self.text);
        for error in &errors {
            let origin = self.at(error.span().map_or(0, |span| span.start));
            problems.push(Problem {
                key: String::new(),
                origin,
                message: format!("this is not TOML: {}", error.message()),
            });
        }
        if !errors.is_empty() {
            return;
        }
        for (key, value) in table.get_ref() {
            let origin = self.at(key.span().start);
            let key: &str = key.get_ref();
            match self.text_of(key, value.get_ref()) {
                Ok((setting, text)) => {
                    let origin = self.at(value.span().start);
                    values.insert(setting.name, Given { text, origin });
                }
                Err(message) => problems.push(Problem { key: key.to_owned(), origin, message }),
            }
        }
    }

    /// The setting of a key, and its value as a text.
    fn text_of(
        &self,
        key: &str,
        value: &DeValue<'_>,
    ) -> Result<(&'static Setting, String), String> {
        let setting = SETTINGS.iter().find(|setting| setting.name == key);
        let setting = setting.ok_or_else(|| unknown(key))?;
        if setting.takes == Takes::Secret {
            let variable = setting.variable();
            return Err(format!(
                "{key} is a secret and does not belong in this file: use {key}_file, or the variable {variable}"
            ));
        }
        let text = match value {
            DeValue::String(text) => text.clone().into_owned(),
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().to_owned(),
            DeValue::Boolean(is) => is.to_string(),
            other => {
                let kind = other.type_str();
                return Err(format!("{key} cannot be of type {kind}: write {key} = \"…\""));
            }
        };
        Ok((setting, text))
    }

    fn at(&self, offset: usize) -> Origin {
        let before = self.text.get(..offset).unwrap_or(&self.text);
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let in_line = before.get(line_start..).unwrap_or_default();
        Origin::File {
            path: self.path.clone(),
            line: before.matches('\n').count() + 1,
            column: in_line.chars().count() + 1,
        }
    }
}

fn unknown(key: &str) -> String {
    const SHOWN_CHARS_MAX: usize = 64;
    let names = SETTINGS.iter().filter(|setting| setting.is_in_file());
    let meant = tollgate_rules::nearest(key, names.map(|setting| setting.name));
    let help = match meant {
        Some(meant) => format!("did you mean {meant:?}?"),
        None => "`tollgate config` lists all settings".to_owned(),
    };
    let key: String = key.chars().take(SHOWN_CHARS_MAX).collect();
    format!("there is no setting {key:?}: {help}")
}
