//! The files themselves.

use super::{
    format::{FormatError, parse},
    vector::Vector,
};

/// Every worked example, in the order of the files' names.
///
/// ```
/// let vectors = tollgate_sim::golden::load()?;
/// assert!(vectors.len() >= 20);
/// # Ok::<(), tollgate_sim::golden::FormatError>(())
/// ```
///
/// # Errors
///
/// The first line that cannot be read.
pub fn load() -> Result<Vec<Vector>, FormatError> {
    let mut vectors = Vec::new();
    for (name, text) in FILES {
        vectors.extend(parse(name, text)?);
    }
    Ok(vectors)
}

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        /// Name and text of every file.
        pub const FILES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../golden/", $name, ".txt")))),*];
    };
}

files![
    "bands",
    "clock_steps",
    "fixed_window",
    "large_numbers",
    "leaky_bucket",
    "limit_changes",
    "month_windows",
    "refunds",
    "sliding_log",
    "sliding_window",
    "token_bucket",
];
