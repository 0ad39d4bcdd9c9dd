//! Every delivered requirement is proved by a test that names it.
//!
//! `docs/reference/requirements.md` is the list. A test names what it proves in a comment line of
//! its own that begins with `Proves:` and goes on with ids, separated by commas.

use std::collections::BTreeMap;

use super::modules::Reached;
use super::outline::Outline;
use super::source::{Finding, Source};

const LIST: &str = "docs/reference/requirements.md";

/// One row of the list.
#[derive(Debug, PartialEq, Eq)]
struct Requirement {
    id: String,
    line: usize,
    status: Status,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Delivered,
    Planned,
}

/// One id after `Proves:`.
#[derive(Debug, PartialEq, Eq)]
struct Claim {
    id: String,
    path: String,
    line: usize,
    in_test: bool,
}

pub(crate) fn check(sources: &[Source], outlines: &[Outline], reached: &Reached) -> Vec<Finding> {
    let Some(list) = sources.iter().find(|source| source.path == LIST) else {
        return vec![finding(1, "the list of requirements is missing")];
    };
    let (requirements, mut findings) = read_list(&list.text);
    let texts: BTreeMap<&str, &Source> =
        sources.iter().map(|source| (&*source.path, source)).collect();
    let claims: Vec<Claim> = outlines
        .iter()
        .filter_map(|file| Some((file, texts.get(&*file.path)?)))
        .flat_map(|(file, source)| claims(file, &source.text, reached))
        .collect();
    findings.extend(sequence(&requirements));
    findings.extend(compare(&requirements, &claims));
    findings
}

fn read_list(text: &str) -> (Vec<Requirement>, Vec<Finding>) {
    let mut requirements = Vec::new();
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| line.starts_with('|')) {
        match read_row(line, index + 1) {
            Ok(requirement) => requirements.extend(requirement),
            Err(message) => findings.push(finding(index + 1, message)),
        }
    }
    (requirements, findings)
}

/// A heading row and the rule below it are rows without a requirement.
fn read_row(line: &str, number: usize) -> Result<Option<Requirement>, &'static str> {
    let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
    let [id, words, status] = cells.as_slice() else {
        return Err("a row has three cells: id, requirement in one line, status");
    };
    if *id == "id" || id.starts_with('-') {
        return Ok(None);
    }
    if !is_id(id) {
        return Err("an id is a capital letter and a number, like `D3`");
    }
    if words.is_empty() || words.contains("](") {
        return Err("a requirement is one line of plain words, without links");
    }
    let status = match *status {
        "delivered" => Status::Delivered,
        "planned" => Status::Planned,
        _ => return Err("the status is `delivered` or `planned`"),
    };
    Ok(Some(Requirement { id: (*id).to_owned(), line: number, status }))
}

/// Ids run on without gaps: a lost row would be a lost requirement.
fn sequence(requirements: &[Requirement]) -> Vec<Finding> {
    let mut next: BTreeMap<&str, u32> = BTreeMap::new();
    let mut findings = Vec::new();
    for requirement in requirements {
        let (family, number) = requirement.id.split_at(1);
        let number: u32 = number.parse().unwrap_or_default();
        let expected = next.insert(family, number.saturating_add(1)).unwrap_or(1);
        if number != expected {
            let message = format!(
                "`{}` where `{family}{expected}` comes next: ids are unique, without gaps",
                requirement.id
            );
            findings.push(finding(requirement.line, message));
        }
    }
    findings
}

fn compare(requirements: &[Requirement], claims: &[Claim]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for claim in claims {
        let known = requirements.iter().any(|requirement| requirement.id == claim.id);
        let message = match (known, claim.in_test) {
            (true, true) => continue,
            (false, _) => format!("`{}` is no requirement: {LIST} lists them", claim.id),
            (_, false) => {
                "only a test can prove: move this line into a test file or a test module".to_owned()
            }
        };
        findings.push(Finding { path: claim.path.clone(), line: claim.line, message });
    }
    for Requirement { id, line, status } in requirements {
        let proved = claims.iter().any(|claim| claim.in_test && claim.id == *id);
        if *status == Status::Delivered && !proved {
            let message = format!("`{id}` is delivered, but no test says `// Proves: {id}`");
            findings.push(finding(*line, message));
        }
    }
    findings
}

fn claims(file: &Outline, text: &str, reached: &Reached) -> Vec<Claim> {
    let test_file = reached.get(&file.path).copied().unwrap_or(false);
    let mut claims = Vec::new();
    for (index, text) in text.lines().enumerate() {
        let line = index + 1;
        let comment =
            text.trim_start().strip_prefix("//").map(|words| words.trim_start_matches(['/', '!']));
        let Some(ids) = comment.and_then(|words| words.trim_start().strip_prefix("Proves:")) else {
            continue;
        };
        let in_test = test_file || file.test_lines.iter().any(|lines| lines.contains(&line));
        claims.extend(named(ids).into_iter().map(|id| Claim {
            id,
            path: file.path.clone(),
            line,
            in_test,
        }));
    }
    claims
}

/// The ids of the first sentence, without remarks in brackets.
fn named(ids: &str) -> Vec<String> {
    let mut depth = 0_i32;
    let mut plain = String::new();
    for sign in ids.chars() {
        depth += i32::from(sign == '(');
        if depth == 0 {
            plain.push(sign);
        }
        depth -= i32::from(sign == ')');
    }
    let sentence = plain.split('.').next().unwrap_or_default();
    sentence.split(',').map(|id| id.trim().to_owned()).collect()
}

fn finding(line: usize, message: impl Into<String>) -> Finding {
    Finding { path: LIST.to_owned(), line, message: message.into() }
}

fn is_id(word: &str) -> bool {
    let number = word.strip_prefix(|sign: char| sign.is_ascii_uppercase()).unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{LIST, Outline, Source, check};
    use crate::tidy::modules::reached;

    const ROWS: &str = "| D1 | laws | delivered |\n| D2 | exact | planned |\n";

    fn messages(rows: &str, path: &str, text: &str) -> Vec<String> {
        let heading = "# Requirements\n\n| id | requirement | status |\n| --- | --- | --- |\n";
        let sources = [Source::new(LIST, &format!("{heading}{rows}")), Source::new(path, text)];
        let outlines = [Outline::read(&sources[1]).unwrap()];
        let findings = check(&sources, &outlines, &reached(&outlines));
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_delivered_requirement_named_by_a_test_is_proved() {
        for text in [
            "// Proves: D1, D2\n#[test]\nfn f() {}\n",
            "//! Proves: D1\n",
            "/// Proves: D1.\nfn f() {}\n",
        ] {
            assert_eq!(messages(ROWS, "a/tests/laws.rs", text), [""; 0], "{text:?}");
        }
        let inline = "fn f() {}\n#[cfg(test)]\nmod tests {\n    // Proves: D1\n}\n";
        assert_eq!(messages(ROWS, "a/src/lib.rs", inline), [""; 0]);
    }

    #[test]
    fn a_delivered_requirement_without_a_test_is_a_finding() {
        let found = messages(
            ROWS,
            "a/tests/laws.rs",
            "// Proves: D2\nconst S: &str = \"// Proves: D1\";\n",
        );
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("`D1` is delivered, but no test"), "{found:?}");
    }

    #[test]
    fn a_claim_outside_a_test_proves_nothing() {
        let found = messages(ROWS, "a/src/lib.rs", "// Proves: D1\nfn f() {}\n");
        assert!(found[0].contains("only a test can prove"), "{found:?}");
        assert!(found[1].contains("`D1` is delivered"), "{found:?}");
    }

    #[test]
    fn a_claim_may_carry_a_remark() {
        for text in ["// Proves: D1 (12.14, aligned), D2\n", "// Proves: D2, D1. At every rate.\n"]
        {
            assert_eq!(messages(ROWS, "a/tests/laws.rs", text), [""; 0], "{text:?}");
        }
    }

    #[test]
    fn an_unknown_id_is_a_finding() {
        let found = messages(ROWS, "a/tests/laws.rs", "// Proves: D1, D7\n");
        assert_eq!(
            found,
            [
                "a/tests/laws.rs:1: `D7` is no requirement: docs/reference/requirements.md lists them"
            ]
        );
    }

    #[test]
    fn rows_are_unique_plain_and_without_gaps() {
        let proof = "// Proves: D1\n";
        for (row, expected) in [
            ("| D2 | again | planned |\n", "`D2` where `D3` comes next"),
            ("| D4 | a gap | planned |\n", "`D4` where `D3` comes next"),
            ("| D3 | soon | maybe |\n", "the status is"),
            ("| D3 | [a](b) | planned |\n", "without links"),
            ("| D3 | two cells |\n", "three cells"),
            ("| three | words | planned |\n", "an id is"),
        ] {
            let found = messages(&format!("{ROWS}{row}"), "a/tests/laws.rs", proof);
            assert!(found[0].contains(expected), "{row:?}: {found:?}");
        }
    }

    #[test]
    fn the_list_must_exist() {
        assert!(check(&[], &[], &reached(&[]))[0].message.contains("missing"));
    }
}
