//! This program once more, in a process of its own: what memory takes is told best by one that has done nothing else.

use std::{env, process::Command};

use anyhow::Context as _;

/// The numbers that this program prints when it is started with these words.
pub(crate) fn numbers<const N: usize>(words: &[&str]) -> anyhow::Result<[f64; N]> {
    let program = env::current_exe().context("finding this program")?;
    let child = Command::new(program)
        .args(words)
        .output()
        .context("starting this program again")?;
    let text = String::from_utf8_lossy(&child.stdout);
    let numbers: Vec<f64> = text
        .split_whitespace()
        .map(|word| word.parse().context("a number from the child"))
        .collect::<anyhow::Result<_>>()?;
    let numbers = <[f64; N]>::try_from(numbers).ok();
    numbers.with_context(|| format!("the child said {text:?}"))
}
