//! What a snapshot takes in memory; measured in a process of its own.

use tollgate::rules::Snapshot;

use super::sets::rule_set;
use crate::bytes::{self, resident_bytes};

/// As many snapshots as make a difference to the resident set.
const COPIES: usize = 200;

/// Bytes of a snapshot of `rules` rules, the rules themselves included.
pub(super) fn snapshot_bytes(rules: usize) -> anyhow::Result<f64> {
    let [bytes] = bytes::child_numbers(&["grow-snapshots", &rules.to_string()])?;
    Ok(bytes)
}

/// Prints the number that [`snapshot_bytes`] reads.
pub(crate) fn child(rules: usize) -> anyhow::Result<()> {
    let before = resident_bytes()?;
    let kept: Vec<Snapshot> = (0..COPIES).map(|_| Snapshot::compile(&rule_set(rules), 1)).collect();
    let grown = resident_bytes()?.saturating_sub(before);
    println!("{}", grown as f64 / kept.len() as f64);
    Ok(())
}
