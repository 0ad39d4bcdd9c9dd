//! How the worked examples are made.

use tollgate_core::{AlgorithmName, Bands, Limit, LimitError};

use super::story::Story;

/// A file as it should be on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoldenFile {
    /// Its name, without its ending.
    pub name: &'static str,
    /// What is in it.
    pub text: String,
}

/// Every worked example, from the models.
///
/// ```
/// use tollgate_sim::golden;
///
/// let made = golden::generate()?;
/// assert!(made.iter().zip(golden::FILES).all(|(file, disk)| file.text == disk.1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// None, unless a limit below is refused.
pub fn generate() -> Result<Vec<GoldenFile>, LimitError> {
    let cases = CASES.iter();
    cases.map(|case| case.file()).collect()
}

/// The limits a story goes through, and how rough it is.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    limits: &'static [LimitText],
    /// Steps under each limit.
    pub(super) steps: u64,
    pub(super) trouble: Trouble,
}

/// Amount and period, algorithm, burst, `warn_at` and `hard_at`.
type LimitText = (&'static str, AlgorithmName, Option<u64>, Option<(u16, u16)>);

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Trouble {
    None,
    Refunds,
    WallSteps,
    /// One key goes through all the limits; otherwise each limit has a key of its own.
    LimitChanges,
}

const CASES: &[Case] = &[
    Case {
        name: "bands",
        about: "Soft limits: warn, pass but mark, deny.",
        limits: &[
            ("10/min", AlgorithmName::FixedWindow, None, Some((80, 120))),
            ("10/min", AlgorithmName::SlidingWindow, None, Some((50, 155))),
            ("10/min", AlgorithmName::SlidingLog, None, Some((90, 130))),
            ("10/min", AlgorithmName::TokenBucket, Some(7), Some((80, 150))),
            ("10/min", AlgorithmName::LeakyBucket, Some(4), Some((60, 200))),
        ],
        steps: 60,
        trouble: Trouble::None,
    },
    Case {
        name: "clock_steps",
        about: "A wall clock that is set by a second up to two days, back and forth.",
        limits: &[
            ("6/min", AlgorithmName::FixedWindow, None, None),
            ("6/min", AlgorithmName::SlidingWindow, None, None),
            ("6/h", AlgorithmName::SlidingWindow, None, None),
            ("6/day", AlgorithmName::FixedWindow, None, None),
            ("6/min", AlgorithmName::TokenBucket, None, None),
        ],
        steps: 80,
        trouble: Trouble::WallSteps,
    },
    Case {
        name: "fixed_window",
        about: "At most the limit in every aligned window.",
        limits: &[("7/10s", AlgorithmName::FixedWindow, None, None)],
        steps: 200,
        trouble: Trouble::None,
    },
    Case {
        name: "large_numbers",
        about: "Amounts near 2^53 and rates that no whole interval expresses.",
        limits: &[
            ("9007199254740991/s", AlgorithmName::FixedWindow, None, None),
            ("9007199254740991/week", AlgorithmName::SlidingWindow, None, None),
            ("4503599627370495/day", AlgorithmName::TokenBucket, None, None),
            ("7/3s", AlgorithmName::TokenBucket, Some(1_000_003), None),
            ("1000/7s", AlgorithmName::LeakyBucket, Some(999_983), None),
        ],
        steps: 60,
        trouble: Trouble::None,
    },
    Case {
        name: "leaky_bucket",
        about: "One leaves at once, four may wait; the delay spaces them evenly.",
        limits: &[("7/s", AlgorithmName::LeakyBucket, Some(4), None)],
        steps: 200,
        trouble: Trouble::None,
    },
    Case {
        name: "limit_changes",
        about: "A limit raised, lowered, with another period, with another algorithm.",
        limits: &[
            ("10/min", AlgorithmName::SlidingWindow, None, None),
            ("20/min", AlgorithmName::SlidingWindow, None, None),
            ("5/min", AlgorithmName::SlidingWindow, None, None),
            ("10/min", AlgorithmName::TokenBucket, None, None),
            ("10/min", AlgorithmName::TokenBucket, Some(25), None),
            ("1/min", AlgorithmName::TokenBucket, Some(100), None),
            ("1/min", AlgorithmName::TokenBucket, Some(1), None),
            ("1/min", AlgorithmName::TokenBucket, Some(100), None),
            ("1/h", AlgorithmName::TokenBucket, Some(3), None),
            ("7/s", AlgorithmName::TokenBucket, Some(11), None),
            ("5/min", AlgorithmName::LeakyBucket, Some(3), None),
            ("9/min", AlgorithmName::LeakyBucket, Some(6), None),
            ("10/min", AlgorithmName::FixedWindow, None, None),
            ("30/h", AlgorithmName::FixedWindow, None, None),
            ("10/min", AlgorithmName::SlidingLog, None, None),
            ("4/min", AlgorithmName::SlidingLog, None, None),
            ("100/day", AlgorithmName::SlidingWindow, None, None),
        ],
        steps: 30,
        trouble: Trouble::LimitChanges,
    },
    Case {
        name: "month_windows",
        about: "Calendar months and weeks: 28, 29, 30 and 31 days, Mondays.",
        limits: &[
            ("9/month", AlgorithmName::FixedWindow, None, None),
            ("9/month", AlgorithmName::SlidingWindow, None, None),
            ("9/3month", AlgorithmName::SlidingWindow, None, None),
            ("9/week", AlgorithmName::SlidingWindow, None, None),
            ("9/month", AlgorithmName::TokenBucket, None, None),
        ],
        steps: 60,
        trouble: Trouble::None,
    },
    Case {
        name: "refunds",
        about: "Cost given back: never above the limit, nothing for a window that has ended.",
        limits: &[
            ("8/s", AlgorithmName::FixedWindow, None, None),
            ("8/2s", AlgorithmName::SlidingWindow, None, None),
            ("8/s", AlgorithmName::SlidingLog, None, None),
            ("8/s", AlgorithmName::TokenBucket, Some(5), None),
            ("8/s", AlgorithmName::LeakyBucket, Some(5), None),
        ],
        steps: 60,
        trouble: Trouble::Refunds,
    },
    Case {
        name: "sliding_log",
        about: "At most the limit in every interval of one period.",
        limits: &[("7/10s", AlgorithmName::SlidingLog, None, None)],
        steps: 200,
        trouble: Trouble::None,
    },
    Case {
        name: "sliding_window",
        about: "The weighted estimate of two windows.",
        limits: &[("7/10s", AlgorithmName::SlidingWindow, None, None)],
        steps: 200,
        trouble: Trouble::None,
    },
    Case {
        name: "token_bucket",
        about: "A burst of five, then seven tokens a second.",
        limits: &[("7/s", AlgorithmName::TokenBucket, Some(5), None)],
        steps: 200,
        trouble: Trouble::None,
    },
];

impl Case {
    fn file(&self) -> Result<GoldenFile, LimitError> {
        let limits: Result<Vec<Limit>, LimitError> = self.limits.iter().map(limit).collect();
        let text = Story::new(self).told(&limits?).unwrap_or_default();
        Ok(GoldenFile { name: self.name, text })
    }
}

fn limit((text, name, burst, bands): &LimitText) -> Result<Limit, LimitError> {
    let mut limit = text.parse::<Limit>()?.with_algorithm(*name)?;
    if let Some(burst) = burst {
        limit = limit.with_burst(*burst)?;
    }
    if let Some((warn_at, hard_at)) = bands {
        limit = limit.with_bands(Bands::new(*warn_at, *hard_at)?)?;
    }
    Ok(limit)
}
