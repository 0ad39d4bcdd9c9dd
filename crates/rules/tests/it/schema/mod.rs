//! The JSON Schema accepts what the reader accepts, knows every field, and refuses what is wrong.

// Proves: R11

mod snippets;
mod typed;

use std::{collections::BTreeSet, path::PathBuf};

use jsonschema::Validator;
use serde_json::Value;
use tollgate_rules::document;
use tollgate_testkit::Rng;

use crate::random;

fn validator() -> Validator {
    let schema = document::schema();
    assert!(jsonschema::draft202012::meta::is_valid(&schema), "not a schema");
    jsonschema::draft202012::new(&schema).unwrap()
}

fn fixtures(folder: &str) -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut found = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            let text = std::fs::read(&path).unwrap();
            let text = String::from_utf8_lossy(&text).into_owned();
            found.push((path.file_name().unwrap().to_string_lossy().into_owned(), text));
        }
    }
    found
}

#[test]
fn good_files_are_valid() {
    let validator = validator();
    let files = fixtures("good");
    assert!(files.len() >= 10, "only {} files", files.len());
    for (name, text) in files {
        let value = typed::value(&text).unwrap();
        let errors: Vec<String> =
            validator.iter_errors(&value).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert_eq!(errors, [""; 0], "{name}");
    }
}

#[test]
fn what_is_written_is_valid() {
    let validator = validator();
    let mut rng = Rng::new(5);
    for _ in 0..500 {
        let text = document::write_yaml(&random::rule_set(&mut rng));
        let value = typed::value(&text).unwrap();
        let errors = validator.iter_errors(&value);
        let errors: Vec<String> = errors.map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert_eq!(errors, [""; 0], "{text}");
    }
}

/// Most of what the reader refuses an editor shows already; the rest is about more than one place.
#[test]
fn most_bad_files_are_not_valid() {
    let validator = validator();
    let (mut refused, mut accepted) = (0, Vec::new());
    // What is only warned of is valid.
    let refusals = fixtures("bad").into_iter();
    for (name, text) in refusals.filter(|(name, _)| !name.starts_with("warn_")) {
        match typed::value(&text) {
            Some(value) if validator.is_valid(&value) => accepted.push(name),
            Some(_) => refused += 1,
            None => {}
        }
    }
    assert!(refused > 2 * accepted.len(), "{refused} refused, but not {accepted:?}");
}

/// What the reader says a mapping may have, when it is given something else.
fn allowed(text: &str) -> BTreeSet<String> {
    let report = document::read("x.yaml", text).report.to_string();
    let list = report.split(" may have: ").nth(1).unwrap_or_else(|| panic!("{report}"));
    let list = list.lines().next().unwrap();
    list.split(", ").map(str::to_owned).collect()
}

fn described(schema: &Value, pointer: &str) -> BTreeSet<String> {
    let fields = schema.pointer(pointer).unwrap_or_else(|| panic!("{pointer}"));
    for (name, field) in fields.as_object().unwrap() {
        let shared =
            field["$ref"].as_str().and_then(|at| schema.pointer(at.trim_start_matches('#')));
        let is_described = field.get("description").or_else(|| shared?.get("description"));
        assert!(is_described.is_some(), "{pointer}/{name} has no description");
    }
    fields.as_object().unwrap().keys().cloned().collect()
}

#[test]
fn the_schema_has_the_fields_of_the_reader() {
    let schema = document::schema();
    let rule = "/properties/rules/items/properties";
    let step = "/properties/tests/items/properties/steps/items/properties";
    let cases = [
        ("zzzzzz: 1", "/properties".to_owned()),
        (
            "version: 1\ntiers: { free: { rank: 1, zzzzzz: 1 } }",
            "/properties/tiers/additionalProperties/properties".to_owned(),
        ),
        ("version: 1\nrules: [{ zzzzzz: 1 }]", rule.to_owned()),
        (
            "version: 1\nrules: [{ name: a, match: { zzzzzz: 1 } }]",
            format!("{rule}/match/properties"),
        ),
        (
            "version: 1\nrules: [{ name: a, response: { zzzzzz: 1 } }]",
            format!("{rule}/response/properties"),
        ),
        (
            "version: 1\nrules: [{ name: a, key: [], limit: { zzzzzz: 1 } }]",
            "/$defs/limit/anyOf/1/properties".to_owned(),
        ),
        (
            "version: 1\noverrides: [{ zzzzzz: 1 }]",
            "/properties/overrides/items/properties".to_owned(),
        ),
        ("version: 1\ntests: [{ zzzzzz: 1 }]", "/properties/tests/items/properties".to_owned()),
        ("version: 1\ntests: [{ name: t, steps: [{ zzzzzz: 1 }] }]", step.to_owned()),
        (
            "version: 1\ntests: [{ name: t, steps: [{ request: { zzzzzz: 1 } }] }]",
            format!("{step}/request/properties"),
        ),
    ];
    for (text, pointer) in cases {
        let mut expected = allowed(text);
        if pointer == rule {
            expected.remove("id");
        }
        assert_eq!(described(&schema, &pointer), expected, "{pointer}");
    }
}
