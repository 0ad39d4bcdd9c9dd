//! The bodies of the fuzz targets; they also run as property tests.

use tollgate_core::Limit;
use tollgate_rules::{
    EndpointPattern, PatternClass,
    document::{
        self, Report, content_hash, read_override, read_rule, read_tier, rule_json, write_yaml,
    },
    normalise::Path,
};

pub use crate::{
    fuzz_forwarded::{address, forwarded},
    fuzz_http::{check_json, http1},
};

/// Longer than any message about a limit.
const MESSAGE_BYTES_MAX: usize = 1_024;

/// Reads arbitrary bytes as a limit. Whatever they are: no panic; a limit prints what reads back as
/// the same limit and can be explained; an error says something, and not too much.
///
/// ```
/// tollgate_testkit::fuzz::limit_text(b"100/min");
/// tollgate_testkit::fuzz::limit_text(b"\xff/\0");
/// ```
///
/// # Panics
///
/// If one of these does not hold.
pub fn limit_text(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match text.parse::<Limit>() {
        Ok(limit) => {
            let printed = limit.to_string();
            let again: Limit = printed.parse().expect("what was printed can be read");
            assert_eq!(again, limit, "{text:?} printed as {printed:?}");
            assert_eq!(again.to_string(), printed, "printing is stable");
            assert!(!limit.explain().is_empty(), "{text:?} is explained");
            assert!(limit.amount() > 0, "{text:?} lets nothing pass");
        }
        Err(error) => {
            let message = error.to_string();
            assert!(!message.is_empty(), "{text:?} is refused without a word");
            assert!(message.len() <= MESSAGE_BYTES_MAX, "{text:?}: {message}");
        }
    }
}

/// Reads arbitrary bytes as a path. Whatever they are: no panic; a path is in normal form, which is
/// the normal form of itself and of the pattern that says the same, and servers of both kinds read the same:
/// those that fold empty segments before they climb, and those that climb over them; an error says
/// something short.
///
/// ```
/// tollgate_testkit::fuzz::path(b"/api//v1/%2e/login?next=1");
/// tollgate_testkit::fuzz::path(b"/\xff%0");
/// ```
///
/// # Panics
///
/// If one of these does not hold.
pub fn path(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let path = match Path::new(&text) {
        Ok(path) => path,
        Err(error) => {
            let message = error.to_string();
            assert!(message.starts_with("path "), "{text:?}: {message}");
            assert!(message.len() <= MESSAGE_BYTES_MAX, "{text:?}: {message}");
            assert!(text.parse::<EndpointPattern>().is_err(), "{text:?}: {message}");
            return;
        }
    };
    let normal = path.as_str();
    let asked = text.split(['?', '#']).next().unwrap_or_default();
    assert!(!asked.starts_with("//"), "{text:?} became {normal:?}");
    assert!(!asked.contains('\\'), "{text:?} became {normal:?}");
    let names = segments_asked(asked);
    assert!(!names.is_empty(), "{text:?} became {normal:?}");
    let depth = Path::segments_of(normal).count();
    assert_eq!(depth_folded(&names), Some(depth), "{text:?}: {normal:?}");
    assert_eq!(depth_kept(&names), Some(depth), "{text:?}: {normal:?}");
    assert!(normal.starts_with('/'), "{text:?} became {normal:?}");
    assert!(normal == "/" || !normal.ends_with('/'), "{text:?} became {normal:?}");
    assert!(normal.bytes().all(|byte| byte.is_ascii_graphic()), "{text:?} became {normal:?}");
    assert!(!normal.contains(['?', '#', ';', '{', '\\']), "{text:?} became {normal:?}");
    assert!(
        normal == "/"
            || !normal.split('/').skip(1).any(|segment| ["", ".", ".."].contains(&segment))
    );
    assert_eq!(Path::new(normal).as_ref().map(Path::as_str), Ok(normal), "{text:?} twice");
    if let Ok(pattern) = text.parse::<EndpointPattern>()
        && pattern.class() == PatternClass::Exact
    {
        assert_eq!(pattern.as_str(), normal, "{text:?} as a pattern");
        assert!(pattern.matches(normal), "{text:?} as a pattern");
    }
}

/// The segments without their parameters, dots decoded. None at all if dots have parameters, which servers
/// read differently.
fn segments_asked(path: &str) -> Vec<String> {
    let mut names = Vec::new();
    for segment in path.split('/').skip(1) {
        let decoded = segment.to_ascii_lowercase().replace("%2e", ".");
        let (name, has_parameters) = match decoded.split_once(';') {
            Some((name, _)) => (name, true),
            None => (decoded.as_str(), false),
        };
        if has_parameters && matches!(name, "." | "..") {
            return Vec::new();
        }
        names.push(name.to_owned());
    }
    names
}

/// How many names are left where empty segments are folded first.
fn depth_folded(names: &[String]) -> Option<usize> {
    let named = names.iter().filter(|name| !name.is_empty());
    named.into_iter().try_fold(0_usize, |depth, name| match name.as_str() {
        "." => Some(depth),
        ".." => depth.checked_sub(1),
        _ => depth.checked_add(1),
    })
}

/// How many names are left where a climb removes an empty segment.
fn depth_kept(names: &[String]) -> Option<usize> {
    let mut kept = Vec::new();
    for name in names {
        match name.as_str() {
            "." => {}
            ".." => drop(kept.pop()?),
            _ => kept.push(name),
        }
    }
    Some(kept.into_iter().filter(|name| !name.is_empty()).count())
}

/// Longer than any report about a small document; no problem may quote all of a large one.
const PROBLEM_BYTES_MAX: usize = 8 * 1_024;

/// Reads arbitrary bytes as rules. Whatever they are: no panic; there is a document unless there is an
/// error; every problem names a place and can be shown; what could be read can be written, and is read
/// back as the same.
///
/// ```
/// tollgate_testkit::fuzz::rules_document(b"version: 1\nrules: []\n");
/// tollgate_testkit::fuzz::rules_document(b"\xff: [\t");
/// ```
///
/// # Panics
///
/// If one of these does not hold.
pub fn rules_document(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let reading = document::read("fuzz", &text);
    check_report(&text, &reading.report);
    let is_refused = reading.report.has_errors();
    assert_eq!(reading.document.is_none(), is_refused, "{text:?}");
    for report in [read_rule(&text).err(), read_tier(&text).err(), read_override(&text).err()] {
        report.iter().for_each(|report| check_report(&text, report));
    }
    if let Some(document) = reading.document {
        let written = write_yaml(&document.rules);
        let again = document::read("written", &written);
        let again = again.document.unwrap_or_else(|| panic!("{}\n{written}", again.report));
        assert_eq!(again.rules, document.rules, "{text:?} was written as {written:?}");
        assert_eq!(content_hash(&again.rules), content_hash(&document.rules));
        for rule in document.rules.rules.values() {
            let json = rule_json(rule).to_string();
            let again = read_rule(&json).unwrap_or_else(|report| panic!("{report}\n{json}"));
            assert_eq!(again, **rule, "{json}");
        }
    }
}

fn check_report(text: &str, report: &Report) {
    let lines = text.bytes().filter(|byte| b"\r\n".contains(byte)).count() + 1;
    for problem in &report.problems {
        let place = &problem.place;
        assert!((1..=lines).contains(&place.line), "{text:?}: {problem:?}");
        assert!(place.column >= 1, "{text:?}: {problem:?}");
        assert!(!problem.message.is_empty(), "{text:?}: {problem:?}");
        assert!(problem.message.len() <= MESSAGE_BYTES_MAX, "{text:?}: {problem:?}");
    }
    let shown = report.to_string();
    assert!(shown.len() <= (report.problems.len() + 1) * PROBLEM_BYTES_MAX, "{shown}");
    let is_hidden = |letter: char| letter.is_control() && letter != '\n';
    assert!(!shown.contains(is_hidden), "{text:?}: {shown:?}");
}
