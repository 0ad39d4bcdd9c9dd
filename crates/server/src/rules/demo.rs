//! The demonstration.

use tollgate_rules::{RuleSet, document};

const FILE: &str = include_str!("demo.yaml");

/// The rules that an empty catalog shows to somebody who tries.
pub(crate) fn demo_rules() -> RuleSet {
    let read = document::read("demo.yaml", FILE).document;
    read.map(|document| document.rules).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_demonstration_is_without_fault() {
        let read = document::read("demo.yaml", FILE);
        assert!(read.report.problems.is_empty(), "{}", read.report);
        assert_eq!(demo_rules().rules.len(), 3);
    }
}
