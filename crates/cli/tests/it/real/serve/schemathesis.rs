//! The admin API held against its own document by a program that makes requests up.
// Proves: R10

use std::process::Command;

use tollgate_testkit::pypi;

use crate::common::{Desk, cleared};

/// What every answer must be: no failure of ours, a status and a type that the document knows, a body and
/// header fields of the shape it promises. What a schema cannot say about a rule is for the reader, so a
/// request that it allows may still be refused.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
    response_headers_conformance,response_schema_conformance,unsupported_method";

#[test]
fn no_request_that_the_document_allows_makes_the_server_fail() {
    let desk = Desk::new();
    let server = desk.serve(&[]);
    let told = cleared(&mut Command::new(pypi("schemathesis")))
        .current_dir(desk.path(""))
        .args(["run", &format!("http://{}/openapi.json", server.admin)])
        .args(["--checks", CHECKS, "--max-examples", "8", "--seed", "7"])
        .args(["--generation-database", "none", "--no-color"])
        // A slow machine is no failure of ours.
        .args(["--request-timeout", "60"])
        .args(["--suppress-health-check", "too_slow"])
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&told.stdout);
    assert!(told.status.success(), "{out}{}", server.log());
    assert!(out.contains("passed"), "{out}");
    assert!(!server.log().contains("ERROR"), "{}", server.log());
    // It still writes rules, and decides by them.
    let mut admin = server.administration();
    let rules = admin.get("/ratelimit/rules").with(200).json();
    assert!(rules["revision"].as_u64() > Some(0), "nothing was written: {rules}");
    server.decisions().get("/readyz").with(200);
}
