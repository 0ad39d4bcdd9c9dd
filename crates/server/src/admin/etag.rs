//! Versions as entity tags: what an editor saw, and what must still be so.

use axum::http::{HeaderMap, StatusCode, header};
use tollgate_catalog::{Expect, OverrideSeq, RevisionNumber};

use super::problem::Problem;

/// The tag of a version: the revision that wrote it last.
pub(super) fn written(version: RevisionNumber) -> String {
    format!("\"{version}\"")
}

/// What `If-Match` or `If-None-Match` names.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Tags {
    /// `*`
    Any,
    /// These, without their quotes. Weak ones are left out where the strong comparison is asked for.
    These(Vec<String>),
}

/// Whether a client has this version already.
pub(super) fn has(headers: &HeaderMap, version: RevisionNumber) -> bool {
    match tags(headers, header::IF_NONE_MATCH.as_str(), Weak::Same) {
        None => false,
        Some(Tags::Any) => true,
        Some(Tags::These(tags)) => tags.iter().any(|tag| *tag == version.to_string()),
    }
}

/// Whether a write is meant for something that is not there yet.
pub(super) fn wants_new(headers: &HeaderMap) -> bool {
    tags(headers, header::IF_NONE_MATCH.as_str(), Weak::Same) == Some(Tags::Any)
}

/// What an editor expects of a thing that is there in this version; none if it is not there.
pub(super) fn expected(
    headers: &HeaderMap,
    subject: &str,
    found: Option<RevisionNumber>,
) -> Result<Expect, Problem> {
    let Some(tags) = tags(headers, header::IF_MATCH.as_str(), Weak::Other) else {
        let detail = format!(
            "say which version of {subject} you saw: send If-Match with the ETag of a GET, or \
             If-Match: * to write whatever is there"
        );
        let status = StatusCode::PRECONDITION_REQUIRED;
        return Err(Problem::new(status, "if-match-needed", detail));
    };
    let named = match tags {
        Tags::Any => return Ok(Expect::Any),
        Tags::These(tags) => tags,
    };
    let numbers = named.iter().filter_map(|tag| tag.parse().ok());
    let numbers: Vec<RevisionNumber> = numbers.filter_map(RevisionNumber::new).collect();
    let current = numbers.iter().find(|number| Some(**number) == found);
    match current.or(numbers.first()) {
        Some(version) => Ok(Expect::Version(*version)),
        None => {
            let detail = format!("If-Match names no version of {subject}: send the ETag of a GET");
            let status = StatusCode::PRECONDITION_FAILED;
            let found = found.map(RevisionNumber::get);
            Err(Problem::new(status, "conflict", detail).with("current_version", found))
        }
    }
}

/// Refuses a write of somebody who saw another version than this; whoever does not say what they saw may write.
pub(super) fn seen(headers: &HeaderMap, subject: &str, found: OverrideSeq) -> Result<(), Problem> {
    let named = match tags(headers, header::IF_MATCH.as_str(), Weak::Other) {
        None | Some(Tags::Any) => return Ok(()),
        Some(Tags::These(tags)) => tags,
    };
    if named.iter().any(|tag| *tag == found.to_string()) {
        return Ok(());
    }
    let detail = format!("{subject} was changed meanwhile: look at it again");
    let problem = Problem::new(StatusCode::PRECONDITION_FAILED, "conflict", detail);
    Err(problem.with("current_version", found.get()))
}

/// What a weak tag is to a comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Weak {
    /// As good as a strong one.
    Same,
    /// Never equal.
    Other,
}

fn tags(headers: &HeaderMap, name: &str, weak: Weak) -> Option<Tags> {
    let mut lines = headers.get_all(name).iter().peekable();
    lines.peek()?;
    let mut tags = Vec::new();
    for line in lines {
        let line = line.to_str().unwrap_or_default();
        for tag in line.split(',').map(str::trim) {
            match (tag, tag.strip_prefix("W/"), weak) {
                ("*", ..) => return Some(Tags::Any),
                (_, Some(_), Weak::Other) => {}
                (_, Some(tag), Weak::Same) | (tag, None, _) => {
                    tags.extend(unquoted(tag));
                }
            }
        }
    }
    Some(Tags::These(tags))
}

fn unquoted(tag: &str) -> Option<String> {
    let inner = tag.strip_prefix('"')?.strip_suffix('"')?;
    Some(inner.to_owned())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn with(name: &'static str, value: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_str(value).unwrap());
        headers
    }

    fn version(number: u64) -> RevisionNumber {
        RevisionNumber::new(number).unwrap()
    }

    #[test]
    fn an_editor_says_what_it_saw() {
        let found = Some(version(5));
        let expect = |value: &str| expected(&with("if-match", value), "rule a", found);
        assert_eq!(expect("*").unwrap(), Expect::Any);
        assert_eq!(expect("\"5\"").unwrap(), Expect::Version(version(5)));
        assert_eq!(expect("\"3\", \"5\"").unwrap(), Expect::Version(version(5)));
        assert_eq!(expect("\"3\"").unwrap(), Expect::Version(version(3)));
        for wrong in ["W/\"5\"", "5", "\"abc\"", "\"99999999999999999999\"", ""] {
            assert!(expect(wrong).is_err(), "{wrong:?}");
        }
        assert!(expected(&HeaderMap::new(), "rule a", found).is_err());
    }

    #[test]
    fn a_weak_tag_is_enough_to_send_nothing() {
        let has = |value: &str| has(&with("if-none-match", value), version(5));
        assert!(has("\"5\"") && has("W/\"5\"") && has("\"1\", \"5\"") && has("*"));
        assert!(!has("\"6\"") && !has("5"));
        assert!(wants_new(&with("if-none-match", "*")));
        assert!(!wants_new(&with("if-none-match", "\"5\"")));
    }
}
