//! Where a value came from, and what is wrong with it.

use std::fmt;

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// Nobody gave one.
    Default,
    /// The file.
    File {
        /// Its path, as it was named.
        path: String,
        /// Counted from 1.
        line: usize,
        /// Counted from 1, in characters.
        column: usize,
    },
    /// A variable of the environment.
    Variable(String),
    /// A flag.
    Flag(String),
}

impl Origin {
    /// A higher one wins.
    pub(super) const fn rank(&self) -> u8 {
        match self {
            Self::Default => 0,
            Self::File { .. } => 1,
            Self::Variable(_) => 2,
            Self::Flag(_) => 3,
        }
    }

    /// One word, for programs.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::File { .. } => "file",
            Self::Variable(_) => "environment",
            Self::Flag(_) => "flag",
        }
    }
}

/// `--http`, `TOLLGATE_HTTP`, `tollgate.toml:3:8`, `default`.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line, column } => write!(f, "{path}:{line}:{column}"),
            Self::Variable(name) => f.write_str(name),
            Self::Flag(flag) => f.write_str(flag),
        }
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The setting, or what was taken for one.
    pub key: String,
    /// Where it was set.
    pub origin: Origin,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { origin, message, .. } = self;
        match origin {
            Origin::Default => f.write_str(message),
            _ => write!(f, "{origin}: {message}"),
        }
    }
}

/// Everything that is wrong with what the operator asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    problems: Vec<Problem>,
}

impl ConfigError {
    /// The most problems that are told of.
    const TOLD_MAX: usize = 100;

    pub(super) const fn new(problems: Vec<Problem>) -> Self {
        Self { problems }
    }

    /// One by one.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

/// One a line.
impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, problem) in self.problems.iter().take(Self::TOLD_MAX).enumerate() {
            let between = if place == 0 { "" } else { "\n" };
            write!(f, "{between}{problem}")?;
        }
        match self.problems.len().saturating_sub(Self::TOLD_MAX) {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl std::error::Error for ConfigError {}
