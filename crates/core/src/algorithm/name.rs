//! What algorithms are called in rules and answers.

use std::{fmt, str::FromStr};

use crate::{LimitError, limit::nearest};

/// The name of an algorithm.
///
/// ```
/// use tollgate_core::AlgorithmName;
///
/// assert_eq!("token_bucket".parse(), Ok(AlgorithmName::TokenBucket));
/// assert_eq!(AlgorithmName::SlidingLog.to_string(), "sliding_log");
/// assert!("tokenbucket".parse::<AlgorithmName>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AlgorithmName {
    /// `token_bucket`
    TokenBucket,
    /// `leaky_bucket`
    LeakyBucket,
    /// `fixed_window`
    FixedWindow,
    /// `sliding_window`
    SlidingWindow,
    /// `sliding_log`
    SlidingLog,
    /// An algorithm the user brought; it cannot be written in rules.
    Custom,
}

impl AlgorithmName {
    /// Every algorithm that can be written in rules.
    pub const ALL: [Self; 5] = [
        Self::TokenBucket,
        Self::LeakyBucket,
        Self::FixedWindow,
        Self::SlidingWindow,
        Self::SlidingLog,
    ];

    /// How the algorithm is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TokenBucket => "token_bucket",
            Self::LeakyBucket => "leaky_bucket",
            Self::FixedWindow => "fixed_window",
            Self::SlidingWindow => "sliding_window",
            Self::SlidingLog => "sliding_log",
            Self::Custom => "custom",
        }
    }
}

impl fmt::Display for AlgorithmName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for AlgorithmName {
    type Err = LimitError;

    fn from_str(text: &str) -> Result<Self, LimitError> {
        let found = Self::ALL.into_iter().find(|name| name.as_str() == text);
        found.ok_or_else(|| LimitError::UnknownAlgorithm {
            given: text.chars().take(64).collect(),
            nearest: other_name(text).unwrap_or_else(|| nearest(text, Self::ALL.map(Self::as_str))),
        })
    }
}

/// Names that other limiters have for the same algorithms.
fn other_name(text: &str) -> Option<&'static str> {
    let name = match text.to_ascii_lowercase().as_str() {
        "gcra" | "token" | "tokens" => AlgorithmName::TokenBucket,
        "leaky" | "shape" | "shaping" => AlgorithmName::LeakyBucket,
        "fixed" | "window" => AlgorithmName::FixedWindow,
        "sliding" | "sliding_counter" | "sliding_window_counter" => AlgorithmName::SlidingWindow,
        "log" | "sliding_window_log" => AlgorithmName::SlidingLog,
        _ => return None,
    };
    Some(name.as_str())
}

#[cfg(test)]
mod tests {
    use super::AlgorithmName;

    #[test]
    fn names_of_other_limiters_are_translated() {
        for (given, meant) in [
            ("gcra", "token_bucket"),
            ("GCRA", "token_bucket"),
            ("fixed", "fixed_window"),
            ("sliding_window_log", "sliding_log"),
            ("slidng_log", "sliding_log"),
        ] {
            let error = given.parse::<AlgorithmName>().unwrap_err().to_string();
            assert!(error.contains(&format!("did you mean {meant:?}")), "{error}");
        }
    }
}
