//! How long files and functions may get.

use super::finding::Finding;
use super::source::RustFile;
use super::tokens::{Token, closing, tokens};

const FILE_LINES_MAX: usize = 600;
/// A file above this is asked why, by being counted.
pub(crate) const FILE_LINES_QUESTION: usize = 400;
const CONTENTS_LINES_MAX: usize = 60;
const FUNCTION_LINES_MAX: usize = 70;

/// Files that are one flat list and may be as long as the list.
const FLAT_LISTS: &[&str] = &[];

/// A length and where it was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Longest {
    pub(crate) lines: usize,
    pub(crate) path: String,
    pub(crate) line: usize,
}

/// What the ratchet remembers.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Measures {
    pub(crate) file: Longest,
    pub(crate) function: Longest,
    pub(crate) long_files: Vec<String>,
}

#[derive(Debug, PartialEq, Eq)]
struct Function<'a> {
    name: &'a str,
    line: usize,
    lines: usize,
}

pub(crate) fn check(file: &RustFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    let lines = file.text.lines().count();
    if lines > FILE_LINES_MAX && !FLAT_LISTS.contains(&file.path.as_str()) {
        let message = format!("{lines} lines, at most {FILE_LINES_MAX}: split the file at a noun");
        findings.push(Finding::new(&file.path, FILE_LINES_MAX, message));
    }
    let code = code_lines(file);
    let is_contents = matches!(file.file_name(), "lib.rs" | "mod.rs") && !is_test(&file.path);
    if is_contents && code > CONTENTS_LINES_MAX {
        let message = format!(
            "{code} lines of code, at most {CONTENTS_LINES_MAX}: this file is a table of contents, \
             move what does work into a module"
        );
        findings.push(Finding::new(&file.path, 1, message));
    }
    let tokens = tokens(&file.mask.code);
    for function in functions(&tokens)
        .iter()
        .filter(|function| function.lines > FUNCTION_LINES_MAX)
    {
        let message = format!(
            "`{}` has {} lines, at most {FUNCTION_LINES_MAX}: cut it at a noun",
            function.name, function.lines
        );
        findings.push(Finding::new(&file.path, function.line, message));
    }
    findings
}

/// Integration tests: the `mod.rs` of a folder may hold tests.
fn is_test(path: &str) -> bool {
    path.contains("/tests/it/")
}

pub(crate) fn measure(files: &[RustFile]) -> Measures {
    let mut measures = Measures::default();
    for file in files
        .iter()
        .filter(|file| !FLAT_LISTS.contains(&file.path.as_str()))
    {
        let lines = file.text.lines().count();
        let whole = Longest {
            lines,
            path: file.path.clone(),
            line: 1,
        };
        measures.file = measures.file.max(whole);
        if lines > FILE_LINES_QUESTION {
            measures.long_files.push(file.path.clone());
        }
        for Function { line, lines, .. } in functions(&tokens(&file.mask.code)) {
            let function = Longest {
                lines,
                path: file.path.clone(),
                line,
            };
            measures.function = measures.function.max(function);
        }
    }
    measures
}

fn code_lines(file: &RustFile) -> usize {
    file.mask
        .code
        .lines()
        .filter(|line| !line.trim().is_empty())
        .count()
}

fn functions<'a>(tokens: &[Token<'a>]) -> Vec<Function<'a>> {
    (0..tokens.len())
        .filter_map(|at| function(tokens, at))
        .collect()
}

/// The function whose `fn` is at this index, if it has a body.
fn function<'a>(tokens: &[Token<'a>], at: usize) -> Option<Function<'a>> {
    let word = tokens.get(at).filter(|token| token.text == "fn")?;
    let name = tokens.get(at + 1).filter(|token| is_name(token.text))?;
    let mut next = at + 2;
    loop {
        match tokens.get(next)?.text {
            ";" => return None,
            "{" => break,
            "(" | "[" => next = closing(tokens, next) + 1,
            _ => next += 1,
        }
    }
    let end = tokens.get(closing(tokens, next))?;
    Some(Function {
        name: name.text,
        line: word.line,
        lines: end.line - word.line + 1,
    })
}

/// In a macro's template the name is `$name`.
fn is_name(word: &str) -> bool {
    word.starts_with(|sign: char| sign == '_' || sign == '$' || sign.is_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::{Function, check, functions, measure, tokens};
    use crate::tidy::source::RustFile;

    fn file(path: &str, text: &str) -> RustFile {
        RustFile::new(path, text)
    }

    #[test]
    fn finds_functions_with_bodies() {
        let code =
            "trait T { fn a(&self); }\nfn b(x: [u8; 2]) -> u8 {\n  x[0]\n}\nlet f: fn(u8) = g;";
        assert_eq!(
            functions(&tokens(code)),
            [Function {
                name: "b",
                line: 2,
                lines: 3
            }]
        );
    }

    #[test]
    fn a_long_file_is_a_finding() {
        assert!(check(&file("a.rs", &"\n".repeat(600))).is_empty());
        let findings = check(&file("a.rs", &"\n".repeat(601)));
        assert!(
            findings[0].message.contains("601 lines, at most 600"),
            "{findings:?}"
        );
    }

    #[test]
    fn a_table_of_contents_counts_code_only() {
        let contents = "//! Docs.\n".repeat(100) + &"mod a;\n".repeat(60);
        assert!(check(&file("src/lib.rs", &contents)).is_empty());
        let findings = check(&file("src/lib.rs", &"mod a;\n".repeat(61)));
        assert!(
            findings[0].message.contains("61 lines of code"),
            "{findings:?}"
        );
        assert!(check(&file("src/limit.rs", &"mod a;\n".repeat(61))).is_empty());
        assert!(check(&file("c/tests/it/a/mod.rs", &"mod a;\n".repeat(61))).is_empty());
    }

    #[test]
    fn a_long_function_is_a_finding_where_it_starts() {
        let body = |lines: usize| format!("\nfn long() {{\n{}}}\n", "f(\"}\");\n".repeat(lines));
        assert!(check(&file("a.rs", &body(68))).is_empty());
        let findings = check(&file("a.rs", &body(69)));
        assert_eq!(findings[0].line, 2);
        assert!(
            findings[0].message.contains("`long` has 71 lines"),
            "{findings:?}"
        );
    }

    #[test]
    fn measures_the_worst() {
        let files = [
            file("a.rs", &"\n".repeat(401)),
            file("b.rs", "fn b() {\n}\n"),
        ];
        let measures = measure(&files);
        assert_eq!(
            (measures.file.lines, measures.file.path.as_str()),
            (401, "a.rs")
        );
        assert_eq!(
            (measures.function.lines, measures.function.path.as_str()),
            (2, "b.rs")
        );
        assert_eq!(measures.long_files, ["a.rs"]);
    }
}
