//! Every route in every role, held against the manual's table.

use std::collections::BTreeMap;

use serde_json::json;

use super::house::{House, Plan, ask};
use crate::{
    admin::routes,
    authority::{Door, Permission, Role},
};

const PAGE: &str = include_str!("../../../../../docs/reference/roles.md");

/// The rows of the manual's tables that begin with `first`: the permission, and who may, in the order of the manual.
fn rows(is_meant: impl Fn(&str) -> bool) -> BTreeMap<String, (String, [bool; 4])> {
    let mut rows = BTreeMap::new();
    for line in PAGE.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let name = cells[0].trim_matches('`');
        if cells.len() != 6 || !is_meant(name) || !cells[1].starts_with('`') {
            continue;
        }
        let may = [2, 3, 4, 5].map(|at| match cells[at] {
            "yes" => true,
            "no" => false,
            other => panic!("{line}: {other:?} is neither yes nor no"),
        });
        let permission = cells[1].trim_matches('`').to_owned();
        let before = rows.insert(name.to_owned(), (permission, may));
        assert!(before.is_none(), "{name} is there twice");
    }
    rows
}

const IN_ORDER: [Role; 4] = [Role::Viewer, Role::Operator, Role::Admin, Role::Automation];

fn is_endpoint(name: &str) -> bool {
    let is_of_decisions = ["POST /ratelimit/refund", "POST /ratelimit/reset"].contains(&name);
    name.contains(" /") && !is_of_decisions
}

// Proves: I5
#[tokio::test]
async fn every_route_in_every_role_is_as_the_manual_says() {
    let house = House::build(Plan { door: Door::Open, ..Plan::default() }).await;
    let mut told = rows(is_endpoint);
    let tokens = house.token_of_each(&IN_ORDER).await;
    let expired = house.expired_token().await;
    let revoked = house.revoked_token().await;
    for route in routes::all() {
        let method = route.verb.method();
        let path = route.path;
        let row = told.remove(&format!("{method} {path}"));
        let (permission, may) = row.unwrap_or_else(|| panic!("the manual lacks {method} {path}"));
        assert_eq!(permission, route.permission.word(), "{method} {path}");
        let path = path
            .replace("{id}", "1")
            .replace("{n}", "1")
            .replace("{name}", "free")
            .replace("{user}", "nobody");
        let body = route.body.map(|_| json!({}));
        let send = async |token: Option<&str>| {
            let bearer = token.map(|token| format!("Bearer {token}"));
            let headers: Vec<(&str, &str)> =
                bearer.iter().map(|bearer| ("authorization", bearer.as_str())).collect();
            house.send(ask(method.as_str(), &path, &headers, body.as_ref())).await
        };
        for ((role, token), may) in IN_ORDER.iter().zip(&tokens).zip(may) {
            let answer = send(Some(token)).await;
            let is_refused = [401, 403].contains(&answer.status);
            assert_eq!(!is_refused, may, "{method} {path} as {role}: {}", answer.text);
            if is_refused {
                let problem = answer.expect(403);
                assert_eq!(problem["type"], "urn:tollgate:problem:wrong-role");
                assert_eq!(problem["role"], role.word());
                assert_eq!(problem["wanted"], permission);
            }
        }
        for shown in [None, Some("tgt_nobodys"), Some(&*expired), Some(&*revoked)] {
            let answer = send(shown).await;
            if route.permission == Permission::Check {
                assert_ne!(answer.status, 401, "{method} {path}");
                continue;
            }
            answer.expect(401);
            assert_eq!(answer.header("www-authenticate"), "Bearer realm=\"tollgate\"");
            assert!(!answer.text.contains("tgt_"), "{}", answer.text);
        }
    }
    assert!(told.is_empty(), "the manual has more: {told:?}");
}

// Proves: I5
#[test]
fn the_table_of_permissions_is_the_manuals() {
    let mut count = 0;
    for line in PAGE.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let Ok(permission) = cells[0].trim_matches('`').parse::<Permission>() else {
            continue;
        };
        for (role, cell) in IN_ORDER.iter().zip(&cells[1..5]) {
            assert_eq!(role.may(permission), *cell == "yes", "{role} {permission}");
        }
        count += 1;
    }
    assert_eq!(count, Permission::ALL.len());
}

/// What a token shows decides also on this machine, and a token that is limited to less than its role is.
// Proves: I5
#[tokio::test]
async fn a_token_decides_on_loopback_too() {
    let house = House::sqlite().await;
    let [viewer] = &house.token_of_each(&[Role::Viewer]).await[..] else {
        panic!("one");
    };
    let rule = json!({ "name": "a", "action": "allow" });
    let with = |token: &str| format!("Bearer {token}");
    for (token, status) in [(viewer.as_str(), 403), ("tgt_wrong", 401)] {
        let bearer = with(token);
        let request = ask("POST", "/ratelimit/rules", &[("authorization", &bearer)], Some(&rule));
        house.send(request).await.expect(status);
    }
    house.post("/ratelimit/rules", &rule).await.expect(201);
    let wanted = json!({ "name": "reader", "role": "admin", "scopes": ["read"] });
    let token = house.post("/ratelimit/tokens?wait=30s", &wanted).await.expect(201);
    let bearer = with(token["token"].as_str().unwrap());
    let authorized = [("authorization", bearer.as_str())];
    house.send(ask("GET", "/ratelimit/rules", &authorized, None)).await.expect(200);
    house.send(ask("GET", "/ratelimit/overrides", &authorized, None)).await.expect(200);
    let refused = house.send(ask("POST", "/ratelimit/rules", &authorized, Some(&rule))).await;
    assert_eq!(refused.expect(403)["type"], "urn:tollgate:problem:wrong-scope");
}
