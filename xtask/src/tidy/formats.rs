//! Who may know a serialisation format, and who may ask for a feature.

use super::finding::Finding;
use super::source::RustFile;
use super::tokens::{Token, closing, reads, tokens};

/// A folder ends with a slash; `*/name.rs` is that file anywhere.
const SERDE_ALLOWED: &[&str] = &[
    "crates/rules/src/document.rs",
    "crates/rules/src/document/",
    "crates/server/src/config.rs",
    "crates/server/src/config/",
    "crates/wire/src/",
    "*/row.rs",
    "benches/",
    "e2e/",
    "xtask/",
];

const FEATURES_ALLOWED: &[&str] = &[
    "crates/server/src/wiring.rs",
    "crates/server/src/config.rs",
    "crates/redis/src/lib.rs",
    "crates/client/src/lib.rs",
    "crates/tower/src/lib.rs",
];

const SERDE_MESSAGE: &str = "serde is for documents, wire, config and row files: \
    convert there (list: xtask/src/tidy/formats.rs)";

const FEATURES_MESSAGE: &str = "`cfg(feature)` is for the wiring: \
    choose there (list: xtask/src/tidy/formats.rs)";

pub(crate) fn check(file: &RustFile) -> Vec<Finding> {
    let tokens = tokens(&file.mask.code);
    let mut findings = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if names_serde(&tokens, at) && !is_listed(&file.path, SERDE_ALLOWED) {
            findings.push(Finding::new(&file.path, token.line, SERDE_MESSAGE));
        }
        if asks_feature(&tokens, at) && !is_listed(&file.path, FEATURES_ALLOWED) {
            findings.push(Finding::new(&file.path, token.line, FEATURES_MESSAGE));
        }
    }
    findings
}

fn is_listed(path: &str, list: &[&str]) -> bool {
    list.iter().any(|entry| match entry.strip_prefix('*') {
        Some(ending) => path.ends_with(ending),
        None if entry.ends_with('/') => path.starts_with(entry),
        None => path == *entry,
    })
}

/// `serde::…`, or a derive of its traits under any name.
fn names_serde(tokens: &[Token<'_>], at: usize) -> bool {
    let derives = || {
        reads(tokens, at, &["derive", "("]) && within(tokens, at + 1, &["Serialize", "Deserialize"])
    };
    reads(tokens, at, &["serde", ":", ":"]) || derives()
}

/// `cfg(… feature …)`, `cfg!(…)` and `cfg_attr(…)`.
fn asks_feature(tokens: &[Token<'_>], at: usize) -> bool {
    let opens = |signs: &[&str]| reads(tokens, at, signs);
    let open = if opens(&["cfg", "("]) || opens(&["cfg_attr", "("]) {
        at + 1
    } else if opens(&["cfg", "!", "("]) {
        at + 2
    } else {
        return false;
    };
    within(tokens, open, &["feature"])
}

fn within(tokens: &[Token<'_>], open: usize, words: &[&str]) -> bool {
    let inside = tokens.get(open..=closing(tokens, open)).unwrap_or_default();
    inside.iter().any(|token| words.contains(&token.text))
}

#[cfg(test)]
mod tests {
    use super::{RustFile, check};

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&RustFile::new(path, text))
            .iter()
            .map(|finding| finding.line)
            .collect()
    }

    #[test]
    fn serde_outside_its_rooms_is_a_finding() {
        let text = "use serde::Deserialize;\n\n#[derive(Debug, Deserialize)]\nstruct A;\n";
        assert_eq!(lines("crates/core/src/limit.rs", text), [1, 3]);
        assert_eq!(lines("crates/rules/src/document.rs", text), [0; 0]);
        assert_eq!(lines("crates/wire/src/check.rs", text), [0; 0]);
        assert_eq!(lines("crates/catalog/src/sqlite/row.rs", text), [0; 0]);
    }

    #[test]
    fn features_outside_the_wiring_are_a_finding() {
        let text = "#[cfg(feature = \"redis\")]\nf();\n\
            #[cfg(all(unix, not(feature = \"x\")))]\ng(cfg!(feature = \"y\"));\n";
        assert_eq!(lines("crates/server/src/http/check.rs", text), [1, 3, 4]);
        assert_eq!(lines("crates/server/src/wiring.rs", text), [0; 0]);
    }

    #[test]
    fn other_conditions_and_other_derives_are_fine() {
        let text = "#[cfg(test)]\n#[derive(Debug)]\nstruct Feature;\n\
            // serde::Deserialize, cfg(feature)\n";
        assert_eq!(lines("crates/core/src/limit.rs", text), [0; 0]);
    }
}
