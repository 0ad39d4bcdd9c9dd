//! What one node is told of keys, users and blocks, all of them heed.
// Proves: I2, I3, I6, R8

#![expect(clippy::disallowed_methods, reason = "tells what came before what, on one machine")]

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    time::Instant,
};

use serde_json::{Value, json};
use tollgate_testkit::{postgres::Postgres, redis::Redis, wait_for};

use crate::common::{
    Desk,
    http::Http,
    server::{LONG, Server},
};

const NODES: usize = 3;

/// Servers that share a PostgreSQL.
fn nodes(name: &str) -> (Vec<Desk>, Vec<Server>) {
    let database = Postgres::shared().database(name);
    let desks: Vec<Desk> = (0..NODES).map(|_| Desk::on(database.url())).collect();
    let servers = desks.iter().map(|desk| desk.serve(&[])).collect();
    (desks, servers)
}

fn ask(http: &mut Http, body: &Value) -> u16 {
    http.post("/ratelimit/check", body).status
}

/// A key of alice, once every node knows it.
fn issued(servers: &[Server]) -> (String, Value) {
    let draft = json!({ "name": "of alice", "user_id": "alice" });
    let made = servers[0].administration().post("/ratelimit/api-keys", &draft);
    let made = made.with(201).json();
    let body = json!({ "api_key": made["key"], "endpoint": "/" });
    for server in servers {
        let mut http = server.decisions();
        wait_for("a key that is known", LONG, || (ask(&mut http, &body) == 200).then_some(()));
    }
    (made["id"].as_str().unwrap().to_owned(), body)
}

/// Asks every node as fast as it can until told to stop; gives when each admitted question was begun.
fn hammered(servers: &[Server], body: &Value, meanwhile: impl FnOnce() -> Instant) {
    let is_over = Arc::new(AtomicBool::new(false));
    let are_admitted = Arc::new(AtomicUsize::new(0));
    let asking: Vec<_> = servers
        .iter()
        .map(|server| {
            let (mut http, body, is_over) =
                (server.decisions(), body.clone(), Arc::clone(&is_over));
            let are_admitted = Arc::clone(&are_admitted);
            std::thread::spawn(move || {
                let (mut admitted, mut after) = (Vec::new(), 0);
                while after < 200 {
                    let begun = Instant::now();
                    if ask(&mut http, &body) == 200 {
                        are_admitted.fetch_add(usize::from(admitted.is_empty()), SeqCst);
                        admitted.push(begun);
                    }
                    after += usize::from(is_over.load(SeqCst));
                }
                admitted
            })
        })
        .collect();
    wait_for("something admitted by each", LONG, || {
        (are_admitted.load(SeqCst) == servers.len()).then_some(())
    });
    let confirmed = meanwhile();
    is_over.store(true, SeqCst);
    for admitted in asking {
        let admitted = admitted.join().unwrap();
        let late = admitted.iter().filter(|begun| **begun > confirmed).count();
        assert_eq!(late, 0, "admitted after the confirmed answer");
        assert!(!admitted.is_empty(), "nothing was admitted before, so nothing is shown");
    }
}

fn all_confirmed(answer: &Value) {
    let nodes = &answer["nodes"];
    assert_eq!(nodes["confirmed"].as_array().unwrap().len(), NODES, "{answer}");
    assert_eq!(nodes["missing"], json!([]), "{answer}");
}

#[test]
fn no_request_is_admitted_after_a_revocation_or_a_block_is_confirmed() {
    let (_desks, servers) = nodes("identity_revoked");
    let (id, body) = issued(&servers);
    hammered(&servers, &body, || {
        let path = format!("/ratelimit/api-keys/{id}/revoke?wait=30s");
        let revoked = servers[0].administration().post(&path, &json!({}));
        let confirmed = Instant::now();
        all_confirmed(&revoked.with(200).json());
        confirmed
    });
    let bob = json!({ "user_id": "bob" });
    hammered(&servers, &bob, || {
        let block = json!({ "user_id": "bob", "reason": "a test" });
        let blocked = servers[1].administration().post("/ratelimit/blocks?wait=30s", &block);
        let confirmed = Instant::now();
        all_confirmed(&blocked.with(201).json());
        confirmed
    });
}

#[test]
fn in_redis_an_api_key_stands_by_its_id() {
    let redis = Redis::start();
    let desk = Desk::new();
    let server = desk.serve(&["--redis", &redis.url(), "--redis-deadline", "1s"]);
    let mut admin = server.administration();
    let draft = json!({ "name": "a", "limits": ["5/day"] });
    let made = admin.post("/ratelimit/api-keys", &draft).with(201).json();
    let (id, key) = (made["id"].as_str().unwrap(), made["key"].as_str().unwrap());
    let body = json!({ "api_key": key });
    let mut http = server.decisions();
    wait_for("a counter in Redis", LONG, || {
        ask(&mut http, &body);
        let names = redis.command(&["KEYS", "*"]);
        names.contains(&format!("{{api_key:{id}}}")).then_some(())
    });
    redis.save();
    let stored = std::fs::read(redis.folder().join("dump.rdb")).unwrap();
    let secret = &key.as_bytes()[4..20];
    assert!(!stored.windows(secret.len()).any(|bytes| bytes == secret));
}

#[test]
fn usage_is_of_all_nodes_and_outlives_them() {
    let (desks, servers) = nodes("identity_used");
    let quota = json!({ "tier": "premium" });
    let mut admin = servers[0].administration();
    admin.ask(
        "PUT",
        "/ratelimit/quotas/alice",
        &[("content-type", "application/json")],
        &quota.to_string(),
    );
    let (id, body) = issued(&servers);
    for server in &servers {
        let mut http = server.decisions();
        wait_for("a quota that is known", LONG, || {
            let told = http.post("/ratelimit/check", &body);
            (told.status == 200).then_some(())
        });
        for _ in 0..100 {
            assert_eq!(ask(&mut http, &body), 200);
        }
    }
    let used = |admin: &mut Http, path: &str| admin.get(path).with(200).json()["usage"].clone();
    let key = format!("/ratelimit/api-keys/{id}");
    // Each node tells every few seconds; what was asked to find out whether the key is known counts, too.
    let told = wait_for("what was used", LONG, || {
        let used = used(&mut admin, &key);
        (used["total"]["allowed"].as_u64().unwrap() >= 300).then_some(used)
    });
    assert_eq!(told["total"], told["today"], "{told}");
    assert!(told["last_at"].is_string(), "{told}");
    for server in servers {
        assert!(server.stop().0.success());
    }
    let again = desks[0].serve(&[]);
    let mut admin = again.administration();
    let kept = used(&mut admin, &key)["total"]["allowed"].as_u64().unwrap();
    assert!(kept >= told["total"]["allowed"].as_u64().unwrap(), "{kept}");
    let of_user = used(&mut admin, "/ratelimit/quotas/alice");
    let count = of_user["month"]["allowed"].as_u64().unwrap();
    assert!((300..=kept).contains(&count), "{of_user}: {kept} by key");
}
