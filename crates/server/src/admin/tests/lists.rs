//! Listing rules.

use serde_json::{Value, json};

use super::house::{House, Plan};
use crate::rules::Shown;

fn names(list: &Value) -> Vec<String> {
    let rules = list["rules"].as_array().unwrap().iter();
    rules.map(|rule| rule["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn pages_hold_every_rule_once() {
    let house = House::sqlite().await;
    let rule = |number: u32| json!({ "name": format!("rule-{number:03}"), "key": ["user"], "limit": "5/min" });
    let file = json!({ "version": 1, "rules": (0..250).map(rule).collect::<Vec<Value>>() });
    let set: tollgate_rules::RuleSet = file.to_string().parse().unwrap();
    let author = tollgate_catalog::Author::new("dana");
    let base = tollgate_catalog::Base::Any;
    house.catalog.apply(&set.into(), base, author).await.unwrap();

    let (mut seen, mut at) = (Vec::new(), "/ratelimit/rules?limit=99".to_owned());
    let mut pages = 0;
    loop {
        let page = house.get(&at).await.expect(200);
        seen.extend(names(&page));
        pages += 1;
        if pages == 1 {
            // What is written between two pages moves nothing.
            house
                .post("/ratelimit/rules", &json!({ "name": "aaa", "action": "allow" }))
                .await
                .expect(201);
        }
        let Some(next) = page["next_cursor"].as_str() else {
            break;
        };
        at = format!("/ratelimit/rules?limit=99&cursor={next}");
    }
    let expected: Vec<String> = (0..250).map(|number| format!("rule-{number:03}")).collect();
    assert_eq!((pages, seen), (3, expected));
    house.get("/ratelimit/rules?cursor=zz").await.expect(400);
    let default = house.get("/ratelimit/rules").await.expect(200);
    assert_eq!(names(&default).len(), 100);
}

#[tokio::test]
async fn filters_find_what_is_meant() {
    let house = House::sqlite().await;
    let rules = [
        json!({ "name": "login-free", "match": { "tier": "free", "endpoint": "/api/{version}/login" }, "key": ["user"], "limit": "5/min", "owner": "team-auth" }),
        json!({ "name": "login-all", "match": { "endpoint": "/api/v1/**" }, "key": ["ip"], "limit": "50/min", "reason": "Credential stuffing" }),
        json!({ "name": "acme", "match": { "org": "acme", "user": ["ann", "bob"] }, "action": "allow" }),
        json!({ "name": "closed", "action": "block", "enabled": false, "response": { "message": "come back later" } }),
    ];
    for rule in &rules {
        house.post("/ratelimit/rules", rule).await.expect(201);
    }
    for (query, expected) in [
        ("tier=free", vec!["login-free"]),
        ("tier=premium", vec![]),
        ("endpoint=/api/v1/login", vec!["login-all", "login-free"]),
        ("endpoint=/api//v1/./login%3Fa=b", vec!["login-all", "login-free"]),
        ("endpoint=/api/%7Bversion%7D/login", vec!["login-free"]),
        ("user=ann", vec!["acme"]),
        ("org=acme", vec!["acme"]),
        ("action=block", vec!["closed"]),
        ("enabled=false", vec!["closed"]),
        ("enabled=true&name=login", vec!["login-all", "login-free"]),
        ("owner=team-auth", vec!["login-free"]),
        ("q=CREDENTIAL", vec!["login-all"]),
        ("q=later", vec!["closed"]),
        ("q=", vec!["acme", "closed", "login-all", "login-free"]),
    ] {
        let found = house.get(&format!("/ratelimit/rules?{query}")).await.expect(200);
        assert_eq!(names(&found), expected, "{query}");
        assert!(found["next_cursor"].is_null());
    }
}

#[tokio::test]
async fn parameters_that_are_wrong_are_all_told() {
    let house = House::sqlite().await;
    let problem = house.get("/ratelimit/rules?limit=0&teir=free&enabled=yes&name=a&name=b").await;
    let problem = problem.expect(400);
    let errors = problem["errors"].as_array().unwrap();
    let wrong: Vec<&str> =
        errors.iter().map(|error| error["parameter"].as_str().unwrap()).collect();
    assert_eq!(wrong, ["limit", "teir", "enabled", "name"]);
    assert!(errors[1]["message"].as_str().unwrap().contains("tier"));
    house.get("/ratelimit/nodes?x=1").await.expect(400);
    house.get("/ratelimit/rules?wait=1s").await.expect(400);
}

#[tokio::test]
async fn a_demonstration_is_said_to_be_one() {
    let plan = Plan { shown: Shown::Demo, ..Plan::default() };
    let house = House::build(plan).await;
    let list = house.get("/ratelimit/rules").await.expect(200);
    assert_eq!(
        (&list["demo"], &list["rules"], &list["revision"]),
        (&json!(true), &json!([]), &json!(0))
    );
    assert!(list["note"].as_str().unwrap().contains("not stored"));
    assert_eq!(House::sqlite().await.get("/ratelimit/rules").await.json()["demo"], false);
}
