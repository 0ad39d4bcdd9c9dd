//! Who is let in.

use axum::{body::Body, http::Request};
use serde_json::json;

use super::house::{House, Plan, ask};
use crate::{
    admin::{certified::Certified, routes},
    authority::{Authority, Door, Permission, Token},
    config::{Administrators, Owner},
};

const TOKEN: &str = "0123456789abcdef";

#[tokio::test]
async fn web_pages_of_others_are_refused() {
    let house = House::sqlite().await;
    let ours = ("host", "localhost:7080");
    for (headers, status) in [
        (vec![ours], 200),
        (vec![("host", "127.0.0.1:7080")], 200),
        (vec![("host", "[::1]:7080")], 200),
        (vec![("host", "LOCALHOST")], 200),
        (vec![("host", "gate.internal:7080")], 200),
        (vec![("host", "evil.example")], 403),
        (vec![("host", "localhost.evil.example:7080")], 403),
        (vec![("host", "127.0.0.1.evil.example")], 403),
        (vec![("host", "")], 403),
        (vec![("host", "[::1]")], 200),
        (vec![("host", "[::1]evil")], 403),
        (vec![("host", "[::1].evil:80")], 403),
        (vec![("host", "[::1]:80.evil")], 403),
        (vec![("host", "[127.0.0.1]:80")], 403),
        (vec![("host", "localhost:80.evil")], 403),
        (vec![("host", "[localhost]")], 403),
        (vec![ours, ("origin", "http://localhost:7080")], 200),
        (vec![ours, ("origin", "http://localhost:3000")], 403),
        (vec![ours, ("origin", "https://evil.example")], 403),
        (vec![ours, ("origin", "null")], 403),
        (vec![ours, ("sec-fetch-site", "same-origin")], 200),
        (vec![ours, ("sec-fetch-site", "none")], 200),
        (vec![ours, ("sec-fetch-site", "cross-site")], 403),
        (vec![ours, ("host", "evil.example")], 400),
    ] {
        let answer = house.send(ask("GET", "/ratelimit/rules", &headers, None)).await;
        answer.expect(status);
        let unknown = house.send(ask("GET", "/nowhere", &headers, None)).await;
        assert_eq!(unknown.status, if status == 200 { 404 } else { status }, "{headers:?}");
    }
    let nameless = Request::builder().uri("/ratelimit/rules").body(Body::empty());
    house.send(nameless.unwrap()).await.expect(400);
}

/// A reverse proxy on this machine would make every visitor of its site an admin.
#[tokio::test]
async fn what_a_proxy_on_this_machine_hands_on_is_not_of_this_machine() {
    let rule = json!({ "name": "a", "action": "allow" });
    for name in ["x-forwarded-for", "x-forwarded-proto", "forwarded", "x-real-ip", "via"] {
        let house = House::sqlite().await;
        let headers = [(name, "203.0.113.9")];
        for request in [
            ask("GET", "/ratelimit/rules", &headers, None),
            ask("POST", "/ratelimit/rules", &headers, Some(&rule)),
            ask("DELETE", "/ratelimit/keys?user_id=alice", &headers, None),
            ask("GET", "/metrics", &headers, None),
        ] {
            let problem = house.send(request).await.expect(403);
            let detail = problem["detail"].as_str().unwrap();
            assert!(detail.contains("came through a proxy"), "{detail}");
            assert!(detail.contains("tollgate tokens create"), "{detail}");
        }
        house.send(ask("GET", "/healthz", &headers, None)).await.expect(200);
        house.post("/ratelimit/rules", &rule).await.expect(201);
    }
    // A token opens, whatever the way.
    let house =
        House::build(Plan { authority: Authority::new(Token::new(TOKEN)), ..Plan::default() })
            .await;
    let bearer = format!("Bearer {TOKEN}");
    let headers = [("via", "1.1 edge"), ("authorization", bearer.as_str())];
    let known = house.send(ask("GET", "/ratelimit/rules", &headers, None)).await;
    known.expect(200);
    let stranger = house.send(ask("GET", "/ratelimit/rules", &headers[..1], None)).await;
    stranger.expect(401);
}

/// What the server does by itself stands in the audit under names that no author may take.
#[tokio::test]
async fn an_author_takes_no_name_of_the_servers() {
    let house = House::sqlite().await;
    let rule = json!({ "name": "a", "action": "allow" });
    for name in
        ["rules-file", "server", "first-start", "Loopback", "token", "unknown", " admin-api "]
    {
        let headers = [("tollgate-author", name)];
        let request = ask("POST", "/ratelimit/rules", &headers, Some(&rule));
        let problem = house.send(request).await.expect(400);
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.starts_with("Tollgate-Author: "), "{detail}");
    }
    let headers = [("tollgate-author", "server-team")];
    let request = ask("POST", "/ratelimit/rules", &headers, Some(&rule));
    house.send(request).await.expect(201);
}

#[tokio::test]
async fn what_a_form_can_send_is_refused() {
    let house = House::sqlite().await;
    let rule = json!({ "name": "a", "action": "allow" });
    for (kind, status) in [
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        ("multipart/form-data; boundary=x", 415),
        ("application/jsonp", 415),
        ("application/json;charset=utf-8", 201),
    ] {
        let request = ask("POST", "/ratelimit/rules", &[("content-type", kind)], Some(&rule));
        house.send(request).await.expect(status);
    }
    let without =
        Request::builder().method("POST").uri("/ratelimit/rules").header("host", "localhost");
    let without = without.body(Body::from(rule.to_string())).unwrap();
    house.send(without).await.expect(415);
    let headers = [("content-type", "text/plain"), ("if-match", "*")];
    let bodiless = ask("POST", "/ratelimit/revisions/0/rollback", &headers, None);
    house.send(bodiless).await.expect(415);
}

#[tokio::test]
async fn a_body_is_bounded() {
    let house = House::sqlite().await;
    let reason = "x".repeat(1 << 20);
    let rule = json!({ "name": "a", "action": "allow", "reason": reason });
    house.post("/ratelimit/rules", &rule).await.expect(413);
}

/// Every route asks for exactly what the table says, and nothing else is open.
#[tokio::test]
async fn a_token_opens_what_the_table_says() {
    let token = Some(Token::new(TOKEN).unwrap());
    let open = Plan { authority: Authority::new(token), door: Door::Open, ..Plan::default() };
    let house = House::build(open).await;
    let bearer = format!("Bearer {TOKEN}");
    for route in routes::all() {
        let path = route
            .path
            .replace("{id}", "1")
            .replace("{n}", "1")
            .replace("{name}", "free")
            .replace("{user}", "nobody");
        let body = route.body.map(|_| json!({}));
        let method = route.verb.method();
        let as_is = |headers: &[(&str, &str)]| ask(method.as_str(), &path, headers, body.as_ref());
        let stranger = house.send(as_is(&[("host", "gate.example")])).await;
        let wrong = house.send(as_is(&[("authorization", "Bearer fedcba9876543210")])).await;
        let known = house.send(as_is(&[("authorization", &bearer)])).await;
        if route.permission == Permission::Check {
            assert_eq!((stranger.status, known.status), (200, 200), "{path}");
            continue;
        }
        assert_eq!((stranger.status, wrong.status), (401, 401), "{method} {path}");
        assert_eq!(stranger.header("www-authenticate"), "Bearer realm=\"tollgate\"");
        assert!(![401, 403, 405].contains(&known.status), "{method} {path}: {}", known.text);
    }
    let head = house.send(ask("HEAD", "/metrics", &[], None)).await;
    assert_eq!(head.status, 401);
    let unknown = house.send(ask("GET", "/nowhere", &[], None)).await;
    unknown.expect(401);
}

// Proves: S7
#[tokio::test]
async fn a_certificate_of_the_general_authority_opens_nothing_from_afar() {
    for (token, administrators, told) in [
        (None, Administrators::Nobody, [403, 403]),
        (None, Administrators::OfTheirOwnCa, [200, 200]),
        (Some(TOKEN), Administrators::Nobody, [401, 401]),
        (Some(TOKEN), Administrators::OfTheirOwnCa, [401, 200]),
    ] {
        let house = House::build(Plan {
            authority: Authority::new(token.and_then(Token::new)),
            door: Door::Open,
            administrators,
            ..Plan::default()
        })
        .await;
        let mut statuses = Vec::new();
        for (method, path) in
            [("GET", "/ratelimit/rules"), ("DELETE", "/ratelimit/keys?user_id=alice")]
        {
            let mut request = ask(method, path, &[], None);
            let name = Certified("billing.example".into());
            request.extensions_mut().insert(name);
            statuses.push(house.send(request).await.status);
        }
        assert_eq!(statuses, told, "{token:?} {administrators:?}");
    }
}

#[tokio::test]
async fn rules_of_a_file_are_written_in_the_file() {
    let owner = Owner::File("/etc/tollgate/rules.yaml".into());
    let house = House::build(Plan { owner, ..Plan::default() }).await;
    let rule = json!({ "name": "a", "action": "allow" });
    let refused = [
        ask("POST", "/ratelimit/rules", &[], Some(&rule)),
        ask("PUT", "/ratelimit/rules/a", &[("if-match", "*")], Some(&rule)),
        ask("DELETE", "/ratelimit/rules/a", &[("if-match", "*")], None),
        ask("PUT", "/ratelimit/tiers/free", &[("if-match", "*")], Some(&json!({ "rank": 9 }))),
        ask("DELETE", "/ratelimit/tiers/free", &[("if-match", "*")], None),
        ask("POST", "/ratelimit/revisions/0/rollback", &[("if-match", "*")], None),
    ];
    for request in refused {
        let problem = house.send(request).await.expect(409);
        assert_eq!(problem["file"], "/etc/tollgate/rules.yaml");
        assert!(problem["detail"].as_str().unwrap().contains("rules.yaml"));
    }
    let everyone = json!({ "key": { "user": "acme" }, "unlimited": true });
    house.post("/ratelimit/overrides", &everyone).await.expect(201);
    house.get("/ratelimit/rules").await.expect(200);
}

#[tokio::test]
async fn what_is_not_there_is_said() {
    let house = House::sqlite().await;
    let check = house.post("/ratelimit/check", &json!({})).await.expect(404);
    assert!(check["detail"].as_str().unwrap().contains("decision listener"));
    let wrong = house.send(ask("PATCH", "/ratelimit/rules/a", &[], None)).await;
    wrong.expect(405);
    assert_eq!(wrong.header("allow"), "GET, PUT, DELETE");
    let preflight = house.send(ask("OPTIONS", "/ratelimit/rules", &[], None)).await;
    preflight.expect(405);
    let head = house.send(ask("HEAD", "/ratelimit/rules", &[], None)).await;
    assert_eq!((head.status, head.text.as_str()), (200, ""));
}
