//! Clients that show who they are, and those that do not.

use serde_json::json;
use tollgate_testkit::{
    certificates::{A_YEAR, Authority, Holds, Signed},
    wait_for,
};

use super::house::{DAY, House, KNOWN};
use crate::common::server::{LONG, Server};

/// A server that asks for certificates, and where something is logged of whoever has none that will do.
fn refused(house: &House, server: &Server, identity: Option<&Signed>, reason: &str) {
    let answer = house.knock(server.http, identity);
    assert!(answer.is_err(), "{reason}: {answer:?}");
    wait_for("the log says why", LONG, || {
        let log = server.log();
        let mut lines = log.lines().filter(|line| line.contains("listener=\"http\""));
        let word = format!("reason=\"{reason}\"");
        lines.find(|line| line.contains(&word) && line.contains("peer=127.0.0.1:"))?;
        Some(())
    });
}

// Proves: S7
#[test]
fn only_whoever_shows_a_certificate_of_ours_is_answered() {
    let house = House::new();
    let server = house.serve(&KNOWN);
    let folder = house.desk.path("");
    let right = house.client("billing.example", A_YEAR);
    house.knock(server.http, Some(&right)).unwrap().with(200);
    house.knock(server.admin, Some(&right)).unwrap().with(200);

    let foreign = Authority::new("elsewhere").client(&folder, "foreign", A_YEAR);
    let expired = house.client("expired", Holds::NoMore);
    refused(&house, &server, None, "no_certificate");
    // One line a second is written: wait for the next to be due.
    for (identity, reason) in [(&foreign, "foreign"), (&expired, "expired")] {
        wait_for("a line may be written", LONG, || refused_once(&house, &server, identity, reason));
    }
    let metrics = house.http(server.admin, Some(&right)).get("/metrics").body;
    for reason in ["no_certificate", "foreign", "expired"] {
        let series = format!(
            "tollgate_tls_handshakes_failed_total{{protocol=\"http\",reason=\"{reason}\"}} "
        );
        let line = metrics.lines().find(|line| line.starts_with(&series)).unwrap();
        assert!(!line.ends_with(" 0"), "{line}");
    }
    house.knock(server.http, Some(&right)).unwrap().with(200);
}

/// Whether the log has a line of this by now.
fn refused_once(house: &House, server: &Server, identity: &Signed, reason: &str) -> Option<()> {
    assert!(house.knock(server.http, Some(identity)).is_err());
    let word = format!("reason=\"{reason}\"");
    server.log().contains(&word).then_some(())
}

// Proves: S7
#[test]
fn a_server_certificate_is_none_for_a_client() {
    let house = House::new();
    let server = house.serve(&KNOWN);
    refused(&house, &server, Some(&house.ours), "foreign");
}

// Proves: S7
#[test]
fn the_certificate_names_the_author_whatever_the_caller_says() {
    let house = House::new();
    let server = house.serve(&KNOWN);
    let alice = house.client("alice.example", Holds::For(DAY));
    let mut admin = house.http(server.admin, Some(&alice));
    let rule = json!({
        "name": "login",
        "match": { "endpoint": "/login" },
        "key": ["user"],
        "limit": "5/min",
    });
    let says = [("Tollgate-Author", "mallory")];
    admin.send("POST", "/ratelimit/rules", &says, &rule).with(201);
    let revisions = admin.get("/ratelimit/revisions").with(200).json();
    let text = revisions.to_string();
    assert!(text.contains("alice.example"), "{text}");
    assert!(!text.contains("mallory"), "{text}");
}

// Proves: S7
#[test]
fn an_open_admin_side_without_a_token_is_for_those_with_certificates() {
    let house = House::new();
    let words = ["--admin", "0.0.0.0:0", "--http", "0.0.0.0:0"];
    let server = house.serve(&[&words[..], &["--admin-tls-client-ca", "ca.pem"]].concat());
    let at = |address: std::net::SocketAddr| ([127, 0, 0, 1], address.port()).into();
    let alice = house.client("alice.example", A_YEAR);
    house.http(at(server.admin), Some(&alice)).get("/ratelimit/rules").with(200);
    assert!(house.knock(at(server.admin), None).is_err());
    // Nobody is asked for one where decisions are made, so a refund from afar needs a token.
    let refund = json!({ "user_id": "alice", "endpoint": "/hello", "cost": 1 });
    let mut http = house.http(at(server.http), Some(&alice));
    http.post("/ratelimit/refund", &refund).with(403);
}

// Proves: S7
#[test]
fn a_token_is_asked_for_beside_the_certificate_where_there_is_one() {
    let house = House::new();
    let token = "0123456789abcdef";
    house.desk.write("token", token);
    let words = ["--token-file", "token", "--http", "0.0.0.0:0"];
    let server = house.serve(&[&words[..], &KNOWN].concat());
    let alice = house.client("alice.example", A_YEAR);
    let mut admin = house.http(server.admin, Some(&alice));
    admin.get("/ratelimit/rules").with(401);
    let shows = format!("Bearer {token}");
    let shows = [("Authorization", shows.as_str())];
    admin.ask("GET", "/ratelimit/rules", &shows, "").with(200);
    // Refund and reset are for the service itself, and that is who has a certificate.
    let at = ([127, 0, 0, 1], server.http.port()).into();
    let refund = json!({ "user_id": "alice", "endpoint": "/hello", "cost": 1 });
    let mut http = house.http(at, Some(&alice));
    http.post("/ratelimit/refund", &refund).with(200);
}
