//! The examples of the manual, run one after the other.

use axum::{body::Body, http::Request};
use serde_json::Value;

use super::house::{Answer, House};

const PAGE: &str = include_str!("../../../../../docs/reference/admin-api.md");

/// Stands for what is different each time.
const ANY: &str = "…";

#[tokio::test]
async fn the_examples_of_the_manual_are_true() {
    let house = House::sqlite().await;
    let mut blocks = PAGE.split("```http\n").skip(1);
    let mut count = 0;
    while let (Some(asked), Some(told)) = (blocks.next(), blocks.next()) {
        let asked = asked.split("```").next().unwrap();
        let told = told.split("```").next().unwrap();
        let answer = house.send(request(asked)).await;
        agrees(&answer, told, asked);
        count += 1;
    }
    assert!(count >= 10, "only {count} examples");
}

/// The first line, the header fields, and the body.
fn parts(message: &str) -> (&str, Vec<(&str, &str)>, &str) {
    let (head, body) = message.split_once("\n\n").unwrap_or((message, ""));
    let mut lines = head.lines();
    let first = lines.next().unwrap();
    let fields = lines.filter_map(|line| line.split_once(": "));
    (first, fields.collect(), body.trim())
}

fn request(asked: &str) -> Request<Body> {
    let (first, fields, body) = parts(asked);
    let mut words = first.split(' ');
    let (method, path) = (words.next().unwrap(), words.next().unwrap());
    let mut request = Request::builder().method(method).uri(patient(path));
    for (name, value) in fields {
        request = request.header(name, value);
    }
    request.body(Body::from(body.to_owned())).unwrap()
}

/// The same with more time: a machine that stalls is no mistake of the manual's.
fn patient(path: &str) -> String {
    match path {
        // It waits without a word, but not for long.
        "/ratelimit/blocks" => format!("{path}?wait=30s"),
        path => path.replace("wait=10s", "wait=30s"),
    }
}

fn agrees(answer: &Answer, told: &str, asked: &str) {
    let (first, fields, body) = parts(told);
    let status = first.split(' ').nth(1).unwrap();
    let (status, text) = (status.parse::<u16>().unwrap(), &answer.text);
    assert_eq!(answer.status, status, "{asked}\n{text}");
    for (name, value) in fields {
        let found = answer.header(&name.to_lowercase());
        let shown = value.split(ANY).next().unwrap();
        let is_same = found == value || (value.contains(ANY) && found.starts_with(shown));
        assert!(is_same, "{asked}\n{name}: {found}");
    }
    let expected: Value =
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {body}"));
    shows(&answer.json(), &expected, asked);
}

/// Whether a value shows what is expected of it, and maybe more.
fn shows(found: &Value, expected: &Value, asked: &str) {
    match (found, expected) {
        (_, Value::String(any)) if any == ANY => {}
        (Value::Object(found), Value::Object(expected)) => {
            for (name, value) in expected {
                let member =
                    found.get(name).unwrap_or_else(|| panic!("{asked}\nno {name}: {found:?}"));
                shows(member, value, asked);
            }
        }
        (Value::Array(found), Value::Array(expected)) => {
            let is_whole = expected.last() != Some(&Value::String(ANY.to_owned()));
            assert!(!is_whole || found.len() == expected.len(), "{asked}\n{found:?}");
            for (value, expected) in found.iter().zip(expected) {
                shows(value, expected, asked);
            }
        }
        (found, expected) => assert_eq!(found, expected, "{asked}"),
    }
}
