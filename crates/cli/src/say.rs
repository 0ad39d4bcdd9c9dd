//! What is printed: words for people, or JSON for programs.

use std::{
    ffi::OsString,
    io::{ErrorKind, Write as _},
};

use anyhow::Context as _;
use serde_json::Value;

use crate::escape;

/// Who reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Json,
}

impl Format {
    /// Of a command line that could not be understood.
    pub(crate) fn of(typed: &[OsString]) -> Self {
        let is_json = typed.iter().any(|word| word == "--json");
        if is_json { Self::Json } else { Self::Text }
    }

    /// Prints one or the other.
    pub(crate) fn say(
        self,
        text: impl FnOnce() -> String,
        json: impl FnOnce() -> Value,
    ) -> anyhow::Result<()> {
        match self {
            Self::Text => match text().trim_end() {
                "" => Ok(()),
                text => print(&format!("{}\n", escape::lines(text))),
            },
            Self::Json => print_json(&format!("{:#}\n", json())),
        }
    }

    /// Tells a person on the side what a program finds in the JSON.
    pub(crate) fn remark(self, text: impl FnOnce() -> String) {
        if self == Self::Text {
            remark(text().trim_end());
        }
    }
}

/// Tells a person on the side.
pub(crate) fn remark(text: &str) {
    eprintln!("{}", escape::lines(text));
}

/// Prints JSON that is written already.
pub(crate) fn print_json(text: &str) -> anyhow::Result<()> {
    print(&escape::json(text))
}

/// Prints a text as it is.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        // Whoever reads, `head` for example, has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        printed => printed.context("cannot write to the standard output"),
    }
}
