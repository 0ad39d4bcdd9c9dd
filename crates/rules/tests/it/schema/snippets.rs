//! Single rules, overrides and tests, good and bad.

use tollgate_rules::document;

use super::{typed, validator};

const GOOD_RULES: [&str; 5] = [
    "key: [ip], limit: 5/min",
    "key: ip, limit: { per: 10/s, burst: 20 }",
    "action: block, match: { user: 42 }",
    "key: [], limits: [1/s, 5/30s], cost: attributes.bytes / 1024",
    "key: [\"user|ip/56\"], limit: 5/min, missing: deny, warn_at: 50%, hard_at: 150%",
];
const GOOD_OVERRIDES: [&str; 1] = ["rule: a, key: { ip: \"::1\" }, factor: 1.5x"];
const GOOD_STEPS: [&str; 1] = ["at: 0, request: { user: a }, expect: deny, retry_after: never"];
const BAD_FILES: [&str; 8] = [
    "",
    "rules: []",
    "version: 2",
    "version: \"1\"",
    "version: 1\nrule: []",
    "version: 1\ntiers: {}",
    "version: 1\ntiers: { a b: { rank: 1 } }",
    "version: 1\nrules:\n  - { key: [ip], limit: 5/min }\n",
];
const BAD_RULES: [&str; 39] = [
    "key: [ip]",
    "limit: 5/min",
    "key: [ip], limit: 5/min, limits: [5/min]",
    "key: [ip], limit: 5",
    "key: [ip], limit: 0/min",
    "key: [ip], limit: 5/minute",
    "key: [ip], limit: [5/min]",
    "key: [ip], limits: []",
    "key: [ip], limit: { per: 5/min, burts: 3 }",
    "key: [planet], limit: 5/min",
    "key: [\"user|\"], limit: 5/min",
    "key: { user: a }, limit: 5/min",
    "key: [ip], limit: 5/min, missing: allow",
    "key: [ip], limit: 5/min, action: deny",
    "key: [ip], limit: 5/min, algorithm: leaky",
    "key: [ip], limit: 5/min, consistency: strong",
    "key: [ip], limit: 5/min, on_failure: shut",
    "key: [ip], limit: 5/min, priority: high",
    "key: [ip], limit: 5/min, priority: 1.5",
    "key: [ip], limit: 5/min, enabled: \"true\"",
    "key: [ip], limit: 5/min, warn_at: 0%",
    "key: [ip], limit: 5/min, warn_at: 80",
    "key: [ip], limit: 5/min, hard_at: 90%",
    "key: [ip], limit: 5/min, cost: 0",
    "key: [ip], limit: 5/min, cost: bytes",
    "key: [ip], limit: 5/min, owner: \" \"",
    "key: [ip], limit: 5/min, banana: 1",
    "key: [ip], limit: 5/min, response: { status: 200 }",
    "key: [ip], limit: 5/min, response: { retry_after: 0 }",
    "key: [ip], limit: 5/min, match: { endpoint: login }",
    "key: [ip], limit: 5/min, match: { endpoint: [/a] }",
    "key: [ip], limit: 5/min, match: { method: [] }",
    "key: [ip], limit: 5/min, match: { ip: office }",
    "key: [ip], limit: 5/min, match: { attributes: { a: { prefix: x, suffix: y } } }",
    "key: [ip], limit: 5/min, match: { descriptor: [] }",
    "key: [ip], limit: 5/min, match: { descriptor: [[a, b, c]] }",
    "action: block, key: [ip]",
    "action: allow, limit: 5/min",
    "action: allow, response: { status: 429 }",
];
const BAD_OVERRIDES: [&str; 8] = [
    "rule: a, factor: 2x",
    "rule: a, key: { user: b }",
    "rule: a, key: { user: b }, factor: 2x, unlimited: true",
    "rule: a, key: { user: b }, unlimited: false",
    "rule: a, key: { user: b }, factor: twice",
    "rule: a, key: { planet: b }, factor: 2x",
    "rule: a, key: { user: b }, factor: 2x, until: tomorrow",
    "rule: a, key: { user: b }, limit: { per: 5/min, warn_at: 50% }",
];
const BAD_STEPS: [&str; 5] = [
    "expect: allow",
    "request: { user: a }, expect: pass",
    "request: { planet: a }, expect: allow",
    "request: { user: a }, expect: allow, at: 5",
    "request: { user: a, scope: galaxy }, expect: allow",
];

fn with_rule(fields: &&str) -> String {
    format!("version: 1\nrules:\n  - {{ name: a, {fields} }}\n")
}

fn with_override(fields: &&str) -> String {
    format!("version: 1\noverrides:\n  - {{ {fields} }}\n")
}

fn with_step(fields: &&str) -> String {
    format!("version: 1\ntests:\n  - {{ name: t, steps: [{{ {fields} }}] }}\n")
}

#[test]
fn good_snippets_are_valid() {
    let validator = validator();
    let rules = GOOD_RULES.iter().map(with_rule);
    let overrides = GOOD_OVERRIDES.iter().map(with_override);
    let steps = GOOD_STEPS.iter().map(with_step);
    for text in rules.chain(overrides).chain(steps) {
        let value = typed::value(&text).unwrap();
        let errors: Vec<String> = validator.iter_errors(&value).map(|e| e.to_string()).collect();
        assert_eq!(errors, [""; 0], "{text}");
    }
}

#[test]
fn bad_snippets_are_not_valid() {
    let validator = validator();
    let files = BAD_FILES.iter().map(|text| (*text).to_owned());
    let rules = BAD_RULES.iter().map(with_rule);
    let overrides = BAD_OVERRIDES.iter().map(with_override);
    let steps = BAD_STEPS.iter().map(with_step);
    for text in files.chain(rules).chain(overrides).chain(steps) {
        assert!(!validator.is_valid(&typed::value(&text).unwrap()), "{text}");
        let reading = document::read("bad.yaml", &text);
        assert!(reading.document.is_none(), "the reader accepts what the schema refuses: {text}");
    }
}
