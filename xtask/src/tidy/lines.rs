//! Rules that a look at the lines of a file can check.

use super::source::{Finding, Source};

const FILE_LINES_MAX: usize = 600;
/// A file above this is asked why.
const FILE_LINES_QUESTION: usize = 400;

/// Absolute folders of one machine, put together so that this file passes its own rule.
const FOLDERS: &[&str] = &[concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/")];

const HOSTS: &[&str] = &[
    concat!("index.", "crates.io"),
    concat!("static.", "crates.io"),
    concat!("pypi", ".org"),
    concat!("registry.", "npmjs.org"),
    concat!("deb.", "debian.org"),
];

/// Words that only a draft contains, put together for the same reason.
const DRAFT_WORDS: &[&str] = &[concat!("FIX", "ME"), concat!("XX", "X")];
const PROMISE: &str = concat!("TO", "DO");

/// The part of `rules` that decides; it knows no format.
const MATCHING: &[&str] = &[
    "crates/rules/src/conditions.rs",
    "crates/rules/src/counter.rs",
    "crates/rules/src/directory/",
    "crates/rules/src/index/",
    "crates/rules/src/live.rs",
    "crates/rules/src/normalise/",
    "crates/rules/src/order.rs",
    "crates/rules/src/query/",
    "crates/rules/src/snapshot/",
];

pub(crate) fn check(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in source.text.lines().enumerate() {
        findings.extend(complaints(source, line).map(|message| source.finding(index + 1, message)));
    }
    if source.is_rust() {
        findings.extend(whole_file(source));
    }
    findings
}

/// A long file, which nothing forbids.
pub(crate) fn question(source: &Source) -> Option<String> {
    let lines = source.text.lines().count();
    let is_long = source.is_rust() && lines > FILE_LINES_QUESTION;
    is_long.then(|| format!("{} has {lines} lines: is it one noun?", source.path))
}

fn whole_file(source: &Source) -> Option<Finding> {
    let lines = source.text.lines().count();
    if lines > FILE_LINES_MAX {
        let message = format!("{lines} lines, at most {FILE_LINES_MAX}: split the file at a noun");
        return Some(source.finding(FILE_LINES_MAX, message));
    }
    let first = source.text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let is_said = first.strip_prefix("//!").is_some_and(|words| !words.trim().is_empty());
    let message = "no module docs: begin the file with a `//!` line that says what it is for";
    (!is_said).then(|| source.finding(1, message))
}

fn complaints<'a>(source: &'a Source, line: &'a str) -> impl Iterator<Item = String> + 'a {
    let folders = FOLDERS.iter().filter(|folder| has_folder(line, folder));
    let folders = folders
        .map(|folder| format!("`{folder}` is a path of one machine: write it from the top folder"));
    let hosts = HOSTS.iter().filter(|host| line.contains(**host));
    let hosts = hosts.map(|host| format!("`{host}` is a package host: name the package"));
    let drafts = DRAFT_WORDS.iter().filter(|word| uses(line, word).next().is_some());
    let drafts =
        drafts.map(|word| format!("`{word}` left behind: repair it now, or open an issue"));
    let has_promise = uses(line, PROMISE).any(|rest| !names_issue(rest));
    let promise = has_promise
        .then(|| format!("`{PROMISE}` without an issue: write `{PROMISE}(#12)`, or do it"));
    folders.chain(hosts).chain(drafts).chain(promise).chain(format_complaint(source, line))
}

fn format_complaint(source: &Source, line: &str) -> Option<String> {
    let is_code = source.is_rust() && !line.trim_start().starts_with("//");
    let is_product = source.path.starts_with("crates/") && source.path.contains("/src/");
    let is_matching = MATCHING.iter().any(|part| source.path.starts_with(part));
    let asks_feature = line.contains("cfg") && line.contains("feature = \"");
    if !is_code || !is_product {
        None
    } else if is_matching && line.contains("serde::") {
        Some("matching knows no format: convert in `document`, or in the crate above".to_owned())
    } else if asks_feature && source.file_name() != "lib.rs" {
        Some("`cfg(feature)` is for `lib.rs`: choose between modules there".to_owned())
    } else {
        None
    }
}

/// The folder at the start of a path; in the middle of one it may be a route.
fn has_folder(line: &str, folder: &str) -> bool {
    let is_inside = |sign: char| sign.is_alphanumeric() || "._-*}$".contains(sign);
    line.match_indices(folder)
        .any(|(at, _)| !line.get(..at).unwrap_or_default().ends_with(is_inside))
}

/// What follows each use of the word; a word in backticks is talked about, not used.
fn uses<'a>(line: &'a str, word: &'a str) -> impl Iterator<Item = &'a str> {
    let is_part = |sign: char| sign == '_' || sign == '`' || sign.is_alphanumeric();
    let places =
        line.match_indices(word).map(|(at, word)| (line.get(..at), line.get(at + word.len()..)));
    places.filter_map(move |(before, after)| {
        after.filter(|after| {
            !before.unwrap_or_default().ends_with(is_part) && !after.starts_with(is_part)
        })
    })
}

fn names_issue(rest: &str) -> bool {
    let number = rest.strip_prefix("(#").and_then(|rest| rest.split_once(')'));
    number.is_some_and(|(number, _)| number.parse::<u32>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::{DRAFT_WORDS, FOLDERS, HOSTS, PROMISE, Source, check, question};

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&Source::new(path, text)).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn machine_paths_and_package_hosts_are_findings() {
        for folder in FOLDERS {
            assert_eq!(lines("a.md", &format!("see {folder}main\n")), [1], "{folder}");
            assert_eq!(
                lines("a.md", &format!("GET /api{folder}main and .{folder}x\n")),
                [0; 0],
                "{folder}"
            );
        }
        for host in HOSTS {
            assert_eq!(lines("a.md", &format!("https://{host}/x\n")), [1], "{host}");
        }
    }

    #[test]
    fn drafts_are_findings_and_a_promise_names_its_issue() {
        for word in DRAFT_WORDS {
            assert_eq!(lines("a.md", &format!("\n{word} later\n")), [2]);
            assert_eq!(lines("a.md", &format!("{word}S, and the word `{word}`\n")), [0; 0]);
        }
        assert_eq!(lines("a.md", &format!("{PROMISE}(#12): shard it\n")), [0; 0]);
        assert_eq!(lines("a.md", &format!("{PROMISE}(#): shard it\n{PROMISE}\n")), [1, 2]);
    }

    #[test]
    fn a_long_file_is_asked_and_a_very_long_one_is_a_finding() {
        let file =
            |lines: usize| Source::new("a.rs", &format!("//! A.\n{}", "\n".repeat(lines - 1)));
        assert!(question(&file(400)).is_none());
        assert!(question(&file(401)).is_some());
        assert!(check(&file(600)).is_empty());
        assert!(check(&file(601))[0].message.contains("601 lines, at most 600"));
    }

    #[test]
    fn a_file_begins_by_saying_what_it_is_for() {
        for text in ["", "use a;\n", "//!\n", "// Limits.\n", "#![no_std]\n//! Limits.\n"] {
            assert_eq!(lines("a.rs", text), [1], "{text:?}");
        }
    }

    #[test]
    fn matching_knows_no_format_and_features_are_for_the_top() {
        let serde = "//! A.\nuse serde::Deserialize;\n// serde::Serialize\n";
        assert_eq!(lines("crates/rules/src/index/mod.rs", serde), [2]);
        assert_eq!(lines("crates/rules/src/document/mod.rs", serde), [0; 0]);
        let feature = "//! A.\n#[cfg(feature = \"redis\")]\n";
        assert_eq!(lines("crates/server/src/http/check.rs", feature), [2]);
        assert_eq!(lines("crates/server/src/lib.rs", feature), [0; 0]);
    }
}
