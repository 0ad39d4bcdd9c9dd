//! What was found.

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnosis {
    /// What it is about, in a word: `redis`.
    pub about: &'static str,
    /// How it is.
    pub grade: Grade,
    /// What was found, in a sentence.
    pub text: String,
    /// What to do about it.
    pub remedy: Option<String>,
}

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// As it should be.
    Fine,
    /// A server works, but somebody should look at it.
    Warning,
    /// A server does not start, or does not do what its settings say.
    Problem,
}

impl Grade {
    /// One word, for people and for programs.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Fine => "ok",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }
}

impl Diagnosis {
    /// It is as it should be.
    pub fn fine(about: &'static str, text: impl Into<String>) -> Self {
        Self { about, grade: Grade::Fine, text: text.into(), remedy: None }
    }

    /// A server works, but somebody should do this.
    pub fn warning(
        about: &'static str,
        text: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { grade: Grade::Warning, remedy: Some(remedy.into()), ..Self::fine(about, text) }
    }

    /// Somebody must do this.
    pub fn problem(
        about: &'static str,
        text: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { grade: Grade::Problem, remedy: Some(remedy.into()), ..Self::fine(about, text) }
    }

    /// Something is wrong, and what to do is in the words already.
    pub fn told(about: &'static str, grade: Grade, text: impl Into<String>) -> Self {
        Self { grade, ..Self::fine(about, text) }
    }
}
