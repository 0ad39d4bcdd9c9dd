//! Reports as programs see them, and their bounds.
// Proves: R11

use std::fmt::Write as _;

use tollgate_rules::document::{self, BYTES_MAX, Report, Severity};

fn report(text: &str) -> Report {
    let reading = document::read("rules.yaml", text);
    assert_eq!(reading.document.is_none(), reading.report.has_errors());
    reading.report
}

#[test]
fn a_problem_has_its_place_for_programs() {
    let text = "version: 1\nrules:\n  - name: login\n    key: [ip]\n    limt: 5/min\n";
    let report = report(text);
    let [problem] = report.problems.as_slice() else {
        panic!("{report}");
    };
    assert_eq!(problem.severity, Severity::Error);
    assert_eq!((problem.place.line, problem.place.column, problem.place.length), (5, 5, 4));
    assert_eq!(problem.message, "unknown field \"limt\"");
    assert_eq!(problem.help.as_deref(), Some("did you mean \"limit\"?"));
    assert_eq!(&*report.source, "rules.yaml");
}

#[test]
fn problems_are_in_the_order_of_the_text_and_the_rest_is_counted() {
    let mut text = "version: 1\nrules:\n".to_owned();
    for rule in 0..Report::PROBLEMS_MAX + 30 {
        writeln!(text, "  - {{ name: r{rule}, kye: [ip], limit: 5/min }}").unwrap();
    }
    let report = report(&text);
    assert_eq!(report.problems.len(), Report::PROBLEMS_MAX);
    assert_eq!(report.errors, Report::PROBLEMS_MAX + 30);
    assert!(report.problems.is_sorted_by_key(|problem| problem.place.line));
    let shown = report.to_string();
    assert!(shown.ends_with("... and 30 more, which are not shown\n\n230 errors\n"), "{shown}");
}

#[test]
fn a_document_that_is_too_large_is_not_read() {
    let report = report(&" ".repeat(BYTES_MAX + 1));
    assert!(report.problems[0].message.contains("at most 16777216 are read"), "{report}");
}

#[test]
fn one_mistake_in_an_alias_is_one_mistake() {
    let text = "version: 1\nrules:\n  - { name: a, key: &key [usr], limit: 5/min }\n  \
                - { name: b, key: *key, limit: 5/min }\n";
    assert_eq!(report(text).errors, 1);
}

/// What grows with the square of a file's size would not come to an end here.
#[test]
fn large_files_are_read_in_proportion() {
    let lists = format!("version: 1\nrules: [{}]", "a,".repeat(400_000));
    let names: String = (0..100_000).map(|name| format!("f{name}: 1\n")).collect();
    let quotes = format!("version: 1\nrules: \"{}\"", "\\n".repeat(500_000));
    let commas = format!("version: 1\nrules: [{}", "[],".repeat(200_000));
    for text in [lists, names, quotes, commas, "- ".repeat(100_000), "? ".repeat(50_000)] {
        assert!(report(&text).has_errors());
    }
}
