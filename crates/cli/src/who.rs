//! Who changes something.

use tollgate_catalog::Author;
use tollgate_rules::normalise::is_control_or_bidi;

/// Who changes something, and why
#[derive(Debug, clap::Args)]
pub(crate) struct Who {
    /// Who does this
    #[arg(
        long,
        env = "TOLLGATE_AUTHOR",
        value_name = "NAME",
        default_value = "cli",
        value_parser = plain
    )]
    author: String,
    /// Why
    #[arg(long, value_name = "TEXT", value_parser = plain)]
    pub(crate) reason: Option<String>,
}

impl Who {
    pub(crate) fn author(&self) -> Author {
        let author = Author::new(&self.author);
        match &self.reason {
            Some(reason) => author.because(reason),
            None => author,
        }
    }
}

/// A text that can go on record, where people read it on a terminal.
fn plain(text: &str) -> Result<String, String> {
    match text.chars().find(|&letter| is_control_or_bidi(letter)) {
        Some(letter) => {
            Err(format!("holds a control character (U+{:04X}): leave it out", u32::from(letter)))
        }
        None => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_that_steers_a_terminal_goes_on_record() {
        for (text, code) in [("a\u{9b}b", "U+009B"), ("a\u{202e}b", "U+202E"), ("\n", "U+000A")] {
            let error = super::plain(text).unwrap_err();
            assert!(error.contains(code), "{error}");
        }
        assert_eq!(super::plain("Zoë, שרה"), Ok("Zoë, שרה".to_owned()));
    }
}
