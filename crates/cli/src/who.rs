//! Who changes something.

use tollgate_catalog::Author;

/// Who changes something, and why
#[derive(Debug, clap::Args)]
pub(crate) struct Who {
    /// Who does this
    #[arg(
        long,
        env = "TOLLGATE_AUTHOR",
        value_name = "NAME",
        default_value = "cli"
    )]
    author: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
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
