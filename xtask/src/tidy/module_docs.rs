//! Every Rust file begins by saying what it is for.

use super::finding::Finding;
use super::source::RustFile;

pub(crate) fn check(file: &RustFile) -> Vec<Finding> {
    let first = file
        .text
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    let said = first
        .strip_prefix("//!")
        .is_some_and(|words| !words.trim().is_empty());
    if said {
        return Vec::new();
    }
    let message = "no module docs: begin the file with a `//!` line that says what it is for";
    vec![Finding::new(&file.path, 1, message)]
}

#[cfg(test)]
mod tests {
    use super::{RustFile, check};

    #[test]
    fn docs_come_first() {
        assert!(check(&RustFile::new("a.rs", "//! Limits.\n\nuse a;\n")).is_empty());
    }

    #[test]
    fn no_docs_empty_docs_and_late_docs_are_findings() {
        for text in [
            "",
            "use a;\n",
            "//!\n",
            "// Limits.\n",
            "#![no_std]\n//! Limits.\n",
        ] {
            assert_eq!(check(&RustFile::new("a.rs", text)).len(), 1, "{text:?}");
        }
    }
}
