//! Marks of unfinished work.

use super::finding::Finding;
use super::source::{RustFile, Source};
use super::tokens::{reads, tokens};

/// Words that only a draft contains.
const DRAFT_WORDS: &[&str] = &["FIXME", "XXX"];
const PROMISE: &str = "TODO";
const DRAFT_MACROS: &[&str] = &["dbg", "todo", "unimplemented"];

/// Files that are not Rust: every line counts.
pub(crate) fn check_text(source: &Source) -> Vec<Finding> {
    if source.has_extension("rs") {
        Vec::new()
    } else {
        words(&source.path, &source.text)
    }
}

/// Rust files: words in comments, macros in code; what a string says is nobody's draft.
pub(crate) fn check_rust(file: &RustFile) -> Vec<Finding> {
    let mut findings = words(&file.path, &file.mask.comments);
    let tokens = tokens(&file.mask.code);
    for (index, token) in tokens.iter().enumerate() {
        if DRAFT_MACROS.contains(&token.text) && reads(&tokens, index + 1, &["!"]) {
            let message = format!(
                "`{}!` is for drafts: finish the work or remove it",
                token.text
            );
            findings.push(Finding::new(&file.path, token.line, message));
        }
    }
    findings
}

fn words(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for &word in DRAFT_WORDS
            .iter()
            .filter(|word| !uses(line, word).is_empty())
        {
            let message = format!("`{word}` left behind: repair it now, or open an issue");
            findings.push(Finding::new(path, index + 1, message));
        }
        if uses(line, PROMISE)
            .into_iter()
            .any(|rest| !names_issue(rest))
        {
            let message = format!("`{PROMISE}` without an issue: write `{PROMISE}(#12)`, or do it");
            findings.push(Finding::new(path, index + 1, message));
        }
    }
    findings
}

/// What follows each use of the word; a word in backticks is talked about, not used.
fn uses<'a>(line: &'a str, word: &str) -> Vec<&'a str> {
    let is_part = |sign: char| sign == '_' || sign == '`' || sign.is_alphanumeric();
    line.match_indices(word)
        .map(|(at, word)| line.split_at(at + word.len()))
        .filter(|(before, after)| {
            let before = before.strip_suffix(word).unwrap_or_default();
            !before.ends_with(is_part) && !after.starts_with(is_part)
        })
        .map(|(_, after)| after)
        .collect()
}

fn names_issue(rest: &str) -> bool {
    let number = rest
        .strip_prefix("(#")
        .and_then(|rest| rest.split_once(')'));
    number.is_some_and(|(number, _)| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::{RustFile, Source, check_rust, check_text};

    fn rust(text: &str) -> Vec<usize> {
        check_rust(&RustFile::new("a.rs", text))
            .iter()
            .map(|finding| finding.line)
            .collect()
    }

    #[test]
    fn drafts_in_comments_are_findings() {
        assert_eq!(
            rust("// FIXME: later\nf(); // XXX\n/// TODO: docs\n"),
            [1, 2, 3]
        );
    }

    #[test]
    fn a_promise_with_an_issue_is_kept() {
        assert_eq!(rust("// TODO(#12): shard it\n"), [0; 0]);
        assert_eq!(rust("// TODO(#): shard it\n// TODO(bob)\n"), [1, 2]);
    }

    #[test]
    fn draft_macros_are_found_in_code_only() {
        assert_eq!(rust("fn f() {\n    dbg!(1);\n    todo!()\n}\n"), [2, 3]);
        assert_eq!(
            rust("f(\"dbg!(1) FIXME\"); // a dbg! call\nlet todo = 1;\n"),
            [0; 0]
        );
    }

    #[test]
    fn longer_words_and_quoted_words_are_fine() {
        assert_eq!(
            rust("// mktemp XXXXXX, TODOS, and the word `FIXME`\n"),
            [0; 0]
        );
    }

    #[test]
    fn other_files_are_read_whole() {
        let source = Source {
            path: "a.md".to_owned(),
            text: "# A\n\nTODO\n".to_owned(),
        };
        assert_eq!(check_text(&source)[0].line, 3);
    }
}
