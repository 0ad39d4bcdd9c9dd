//! The document, held against the router.

use std::collections::BTreeSet;

use serde_json::Value;

use super::house::{House, ask};
use crate::admin::{openapi::document, routes};

#[tokio::test]
async fn the_document_and_the_router_know_the_same() {
    let house = House::sqlite().await;
    let document = house.get("/openapi.json").await.expect(200);
    assert_eq!(document["openapi"], "3.1.0");
    let mut told = BTreeSet::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for verb in operations.as_object().unwrap().keys() {
            told.insert((path.clone(), verb.to_uppercase()));
        }
    }
    let known: BTreeSet<(String, String)> = routes::all()
        .map(|route| (route.path.to_owned(), route.verb.method().to_string()))
        .collect();
    assert_eq!(told, known);
    // The router answers exactly these methods on exactly these paths.
    let paths: BTreeSet<&str> = routes::all().map(|route| route.path).collect();
    for path in paths {
        for method in ["GET", "POST", "PUT", "DELETE", "PATCH"] {
            let filled = path
                .replace("{id}", "1")
                .replace("{n}", "1")
                .replace("{name}", "free")
                .replace("{user}", "nobody");
            let answer = house.send(ask(method, &filled, &[], None)).await;
            let is_known = known.contains(&(path.to_owned(), method.to_owned()));
            assert_eq!(answer.status != 405, is_known, "{method} {path}: {}", answer.status);
        }
    }
}

#[test]
fn every_reference_leads_somewhere() {
    let document = document();
    let mut references = Vec::new();
    collect(&document, &mut references);
    assert!(references.len() > 100);
    for reference in references {
        let place = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(place).is_some(), "{reference}");
    }
}

#[test]
fn every_operation_has_a_name_of_its_own_and_says_what_it_takes() {
    let names: BTreeSet<&str> = routes::all().map(|route| route.name).collect();
    assert_eq!(names.len(), routes::all().count());
    for route in routes::all() {
        let in_path = route.path.matches('{').count();
        let params = route.params(crate::admin::route::Place::Path).count();
        assert_eq!(in_path, params, "{}", route.path);
    }
}

/// What the document gives as an example is taken.
#[tokio::test]
async fn examples_are_taken() {
    let house = House::sqlite().await;
    let example = |path: &str, verb: &str| {
        document()["paths"][path][verb]["requestBody"]["content"]["application/json"]["example"]
            .take()
    };
    let mut rule = example("/ratelimit/rules", "post");
    rule["key"] = serde_json::json!(["user"]);
    house.post("/ratelimit/rules?wait=30s", &rule).await.expect(201);
    house.post("/ratelimit/overrides", &example("/ratelimit/overrides", "post")).await.expect(201);
    house.post("/ratelimit/explain", &example("/ratelimit/explain", "post")).await.expect(200);
    let tier = example("/ratelimit/tiers/{name}", "put");
    let request = ask("PUT", "/ratelimit/tiers/gold", &[("if-none-match", "*")], Some(&tier));
    house.send(request).await.expect(201);
}

fn collect(value: &Value, references: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(to) if name == "$ref" => references.push(to.clone()),
                    value => collect(value, references),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, references)),
        _ => {}
    }
}
