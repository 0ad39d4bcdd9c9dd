//! Whoever is turned away is on record, and so is every change.

use serde_json::{Value, json};

use super::house::{House, Plan, ask};
use crate::authority::{Authority, Role, Token};

const TOKEN: &str = "0123456789abcdef";

impl House {
    /// The rows of the audit that a query finds, once all of them are written.
    async fn audit(&self, query: &str) -> Vec<Value> {
        self.authority.record().write(&self.catalog).await;
        let page = self.get(&format!("/ratelimit/audit?{query}")).await.expect(200);
        page["rows"].as_array().unwrap().clone()
    }
}

// Proves: I5, O2
#[tokio::test]
async fn who_is_turned_away_is_on_record() {
    let house = House::sqlite().await;
    let viewer = house.token("vera", Role::Viewer).await;
    let rule = json!({ "name": "a", "action": "allow" });
    let vera = format!("Bearer {viewer}");
    let cases = [
        ("foreign-origin", vec![("origin", "https://evil.example")], 403),
        ("foreign-origin", vec![("sec-fetch-site", "cross-site")], 403),
        ("foreign-host", vec![("host", "evil.example")], 403),
        ("not-json", vec![("content-type", "text/plain")], 415),
        ("not-allowed", vec![("authorization", "Bearer tgt_wrong")], 401),
        ("wrong-role", vec![("authorization", &vera), ("x-request-id", "req-17")], 403),
    ];
    for (kind, headers, status) in &cases {
        let answer = house.send(ask("POST", "/ratelimit/rules", headers, Some(&rule))).await;
        answer.expect(*status);
        assert!(!answer.header("x-request-id").is_empty(), "{kind}");
    }
    let rows = house.audit("object_kind=request").await;
    let kinds: Vec<&str> =
        rows.iter().map(|row| row["after"]["problem"].as_str().unwrap()).collect();
    for (kind, ..) in &cases {
        assert!(kinds.contains(kind), "{kind} is not among {kinds:?}");
    }
    let of_vera = rows.iter().find(|row| row["actor"] == "vera").unwrap();
    assert_eq!(of_vera["outcome"], "refused");
    assert_eq!(of_vera["role"], "viewer");
    assert_eq!(of_vera["request_id"], "req-17");
    assert_eq!(of_vera["action"], "createRule");
    assert_eq!(of_vera["object"], "POST /ratelimit/rules");
    let twice = rows.iter().find(|row| row["after"]["problem"] == "foreign-origin").unwrap();
    assert_eq!(twice["times"], 2, "what is alike is merged");
    assert!(!rows.iter().any(|row| row.to_string().contains("tgt_")));
}

// Proves: O2
#[tokio::test]
async fn where_a_token_is_missing_that_is_on_record() {
    let house =
        House::build(Plan { authority: Authority::new(Token::new(TOKEN)), ..Plan::default() })
            .await;
    house.get("/ratelimit/rules").await.expect(401);
    house.authority.record().write(&house.catalog).await;
    let bearer = format!("Bearer {TOKEN}");
    let mine = ask("GET", "/ratelimit/audit?actor=loopback", &[("authorization", &bearer)], None);
    let page = house.send(mine).await.expect(200);
    assert_eq!(page["rows"][0]["after"]["status"], 401);
    assert_eq!(page["rows"][0]["outcome"], "refused");
}

/// The audit is read on terminals, which obey such characters.
#[tokio::test]
async fn an_author_and_a_reason_hold_no_control_characters() {
    let house = House::sqlite().await;
    let block = json!({ "user_id": "mallory", "reason": "spam" });
    for (field, text) in [
        ("tollgate-author", "dana\u{9b}31m"),
        ("tollgate-author", "dana\u{202e}ada"),
        ("tollgate-author", "dana\u{2028}ada"),
        ("tollgate-author", "dana\tada"),
        ("tollgate-reason", "sp\u{2066}am"),
    ] {
        let request = ask("POST", "/ratelimit/blocks", &[(field, text)], Some(&block));
        let told = house.send(request).await.expect(400)["detail"].to_string();
        let named = told.to_ascii_lowercase();
        assert!(named.contains(field), "{told}");
        assert!(named.contains("control character (u+"), "{told}");
    }
    let steered = json!({ "user_id": "mal\u{202e}lory", "reason": "spam" });
    let told = house.post("/ratelimit/blocks", &steered).await.expect(422);
    assert!(told.to_string().contains("control character (U+202E)"), "{told}");
    let reason = json!({ "user_id": "mallory", "reason": "sp\u{202e}am" });
    house.post("/ratelimit/blocks", &reason).await.expect(422);
    let asked = "/ratelimit/blocks?reason=sp%E2%80%AEam";
    house.post(asked, &block).await.expect(400);
    assert!(house.audit("object_kind=block").await.is_empty());
    // Letters of every script are fine.
    let request = ask("POST", "/ratelimit/blocks", &[("tollgate-author", "שרה é")], Some(&block));
    house.send(request).await.expect(201);
    assert_eq!(house.audit("object_kind=block").await[0]["actor"], "שרה é");
}

// Proves: O2
#[tokio::test]
async fn every_change_says_who_and_what_was_there_before() {
    let house = House::sqlite().await;
    let admin = house.token("ada", Role::Admin).await;
    let bearer = format!("Bearer {admin}");
    let headers = [("authorization", bearer.as_str()), ("tollgate-author", "mallory")];
    let send = async |method: &str, path: &str, body: Option<&Value>| {
        let answer = house.send(ask(method, path, &headers, body)).await;
        assert!(answer.status < 300, "{method} {path}: {}", answer.text);
        answer.json()
    };
    let quota = json!({ "tier": "free" });
    send("PUT", "/ratelimit/quotas/alice?reason=contract", Some(&quota)).await;
    let quota = json!({ "tier": "premium", "limits": "10/s" });
    send("PUT", "/ratelimit/quotas/alice", Some(&quota)).await;
    let rows = house.audit("object_kind=quota&object=alice").await;
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["actor"], "ada", "a token of one's own is believed, not a header");
    assert_eq!(rows[0]["role"], "admin");
    assert_eq!(rows[0]["before"]["tier"], "free");
    assert_eq!(rows[0]["after"]["tier"], "premium");
    assert_eq!(rows[1]["reason"], "contract");
    let rule =
        json!({ "name": "a", "match": { "endpoint": "/a" }, "key": ["user"], "limit": "5/min" });
    send("POST", "/ratelimit/rules?wait=30s", Some(&rule)).await;
    assert!(!house.audit("object_kind=rule").await.is_empty());
    send("DELETE", "/ratelimit/keys?user_id=alice&endpoint=/a", None).await;
    let resets = house.audit("object_kind=counter").await;
    assert_eq!(resets[0]["action"], "counter.reset");
    assert_eq!(resets[0]["object"], "user_id=alice endpoint=/a");
}

// Proves: O2
#[tokio::test]
async fn the_audit_is_read_by_pages_and_as_lines() {
    let house = House::sqlite().await;
    for user in 0..7 {
        let path = format!("/ratelimit/quotas/user-{user}");
        house.put(&path, "*", &json!({ "tier": "free" })).await.expect(201);
    }
    let mut seen = Vec::new();
    let mut next = String::new();
    loop {
        let page = house
            .get(&format!("/ratelimit/audit?object_kind=quota&limit=3{next}"))
            .await
            .expect(200);
        seen.extend(page["rows"].as_array().unwrap().iter().map(|row| row["id"].as_u64().unwrap()));
        match page["next_cursor"].as_str() {
            Some(cursor) => next = format!("&cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!(seen.len(), 7);
    assert!(seen.is_sorted_by(|newer, older| newer > older), "{seen:?}");
    let lines = house.get("/ratelimit/audit?object_kind=quota&format=jsonl").await;
    assert_eq!(lines.header("content-type"), "application/jsonl");
    let ids: Vec<u64> = lines
        .text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].as_u64().unwrap())
        .collect();
    assert_eq!(ids, seen);
    for wrong in ["since=yesterday", "until=2027", "cursor=zz", "color=red"] {
        house.get(&format!("/ratelimit/audit?{wrong}")).await.expect(400);
    }
    let none = house.get("/ratelimit/audit?until=2001-01-01T00:00:00Z").await.expect(200);
    assert_eq!(none["rows"], json!([]));
}
