//! Every listener speaks TLS.

use std::io::{Read as _, Write as _};

use serde_json::json;
use tollgate_testkit::{certificates::A_YEAR, tls::Client};

use super::house::House;
use crate::common::grpc;

// Proves: S2, S7
#[test]
fn grpc_is_answered_over_tls_whether_h2_was_agreed_on_or_not() {
    let house = House::new();
    house
        .desk
        .write("rules.yaml", "version: 1\nrules: [{ name: two, key: [user], limit: 2/day }]\n");
    let words = ["--rules", "rules.yaml", "--grpc-tls-client-ca", "ca.pem"];
    let server = house.serve(&words);
    let billing = house.client("billing.example", A_YEAR);
    let mut allowed = Vec::new();
    for (offered, agreed) in
        [(&["h2"][..], Some(&b"h2"[..])), (&[], None), (&["http/1.1", "h2"], Some(b"h2"))]
    {
        let client = Client::speaking(&house.ca, Some(&billing), offered);
        let stream = client.connect(server.grpc).unwrap();
        assert_eq!(stream.conn.alpn_protocol(), agreed);
        allowed.push(grpc::asks(stream, "alice"));
    }
    assert_eq!(allowed, [true, true, false]);
    let other = Client::speaking(&house.ca, Some(&billing), &["http/1.1"]);
    assert!(other.connect(server.grpc).is_err());
}

// Proves: S7
#[test]
fn the_command_line_asks_over_tls() {
    let house = House::new();
    let server = house.serve(&["--admin-tls-client-ca", "ca.pem"]);
    house.client("alice.example", A_YEAR);
    let facts = ["user_id=alice", "endpoint=/hello"];
    let check = |words: &[&str]| house.desk.run(&[&["check"], words, &facts].concat());
    let (http, admin) = (server.http.to_string(), server.admin.to_string());
    let url = format!("https://localhost:{}", server.http.port());
    check(&["--http", &http, "--cacert", "ca.pem"]).fine().says("demo-hello");
    check(&["--http", &url, "--cacert", "ca.pem"]).fine().says("demo-hello");
    check(&["--http", &url]).with(1).says("with --cacert FILE");
    check(&["--http", &http]).with(1).says("if it speaks TLS");
    check(&["--http", &http, "--cacert", "server.pem"]).with(1).says("cannot speak TLS");
    let explain = |words: &[&str]| {
        let asked = ["explain", "--admin", &admin, "--cacert", "ca.pem"];
        house.desk.run(&[&asked, words, &facts].concat())
    };
    explain(&["--cert", "alice.example.pem", "--key", "alice.example.key"])
        .fine()
        .says("demo-hello");
    explain(&[]).with(1);
}

// Proves: S7
#[test]
fn one_listener_may_stay_in_clear() {
    let house = House::new();
    let server = house.serve(&["--http-tls-cert", "off"]);
    server.decisions().get("/readyz").with(200);
    house.http(server.admin, None).get("/readyz").with(200);
    let tls = json!({ "http": false, "grpc": true, "resp": true, "admin": true });
    assert_eq!(server.announcement["tls"], tls);
    let curl = server.announcement["try"].as_str().unwrap();
    assert!(curl.contains("http://127.0.0.1"), "{curl}");
}

// Proves: S7
#[test]
fn listeners_may_have_certificates_of_their_own() {
    let house = House::new();
    let other = house.authority.server(&house.desk.path(""), "other", A_YEAR);
    let own = ["--resp-tls-cert", "other.pem", "--resp-tls-key", "other.key"];
    let server = house.serve(&own);
    let shown = |at| tollgate_testkit::tls::shown(&house.connect(at, None)).to_vec();
    assert_eq!(shown(server.resp), other.der);
    assert_eq!(shown(server.http), house.ours.der);
}

// Proves: S7
#[test]
fn a_session_may_be_resumed_and_is_known_by_its_name() {
    let house = House::new();
    let billing = house.client("billing.example", A_YEAR);
    let server = house.serve(&["--resp-tls-client-ca", "ca.pem"]);
    let client = Client::new(&house.ca, Some(&billing)).resuming();
    let mut kinds = Vec::new();
    for _ in 0..2 {
        let mut stream = client.connect(server.resp).unwrap();
        kinds.push(format!("{:?}", stream.conn.handshake_kind()));
        stream.write_all(b"CLIENT INFO\r\n").unwrap();
        let mut answer = vec![0; 4096];
        let length = stream.read(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer[..length]);
        assert!(answer.contains("user=billing.example"), "{answer}");
    }
    assert_eq!(kinds, ["Some(Full)", "Some(Resumed)"]);
}
