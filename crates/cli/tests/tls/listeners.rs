//! Every listener speaks TLS, with the clients that people have.

use std::{
    io::{Read as _, Write as _},
    process::Command,
};

use serde_json::json;
use tollgate_testkit::{certificates::A_YEAR, tls::Client};

use super::house::{House, told};
use crate::common::grpc;

// Proves: S7
#[test]
fn every_listener_speaks_tls_to_the_clients_that_people_have() {
    let house = House::new();
    let server = house.serve(&[]);
    let ca = house.ca.to_str().unwrap();
    let curl = |at: std::net::SocketAddr, path: &str| {
        let url = format!("https://localhost:{}{path}", at.port());
        told(Command::new("curl").args(["-sS", "--cacert", ca, &url]))
    };
    assert!(curl(server.http, "/readyz").contains(r#""ready":true"#));
    assert!(curl(server.admin, "/metrics").contains("tollgate_tls_certificate_expiry"));

    let port = server.resp.port().to_string();
    let redis = ["-h", "localhost", "-p", &port, "--tls", "--cacert", ca];
    let check = ["TG.CHECK", "user_id", "alice", "endpoint", "/hello"];
    let answer = told(Command::new("redis-cli").args(redis).args(check));
    assert!(answer.contains("demo-hello"), "{answer}");

    for (at, offered, agreed) in [
        (server.grpc, "h2", "ALPN protocol: h2"),
        (server.http, "h2,http/1.1", "ALPN protocol: http/1.1"),
        (server.admin, "h2,http/1.1", "ALPN protocol: http/1.1"),
        (server.resp, "redis", "No ALPN negotiated"),
    ] {
        for version in ["-tls1_2", "-tls1_3"] {
            let answer = told(
                Command::new("openssl")
                    .args(["s_client", "-CAfile", ca, "-verify_return_error", version])
                    .args(["-alpn", offered, "-connect", &at.to_string()]),
            );
            assert!(answer.contains("Verify return code: 0 (ok)"), "{answer}");
            assert!(answer.contains(agreed), "{at} {answer}");
        }
    }
}

// Proves: S2, S7
#[test]
fn grpc_is_answered_over_tls_whether_h2_was_agreed_on_or_not() {
    let house = House::new();
    house.desk.write(
        "rules.yaml",
        "version: 1\nrules: [{ name: two, key: [user], limit: 2/day }]\n",
    );
    let words = ["--rules", "rules.yaml", "--grpc-tls-client-ca", "ca.pem"];
    let server = house.serve(&words);
    let billing = house.client("billing.example", A_YEAR);
    let mut allowed = Vec::new();
    for (offered, agreed) in [
        (&["h2"][..], Some(&b"h2"[..])),
        (&[], None),
        (&["http/1.1", "h2"], Some(b"h2")),
    ] {
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
fn the_redis_client_of_python_speaks_tls_and_shows_a_certificate() {
    let house = House::new();
    let server = house.serve(&["--resp-tls-client-ca", "ca.pem"]);
    let billing = house.client("billing.example", A_YEAR);
    let program = format!(
        "import redis\n\
         ours = redis.Redis(host='localhost', port={}, ssl=True, ssl_ca_certs={:?}, \
         ssl_certfile={:?}, ssl_keyfile={:?}, protocol=3)\n\
         print(ours.ping(), ours.client_info()['user'])\n\
         reply = ours.execute_command('TG.REFUND', 'user_id', 'alice', 'endpoint', '/hello', 'cost', 1)\n\
         print(reply)\n",
        server.resp.port(),
        house.ca,
        billing.certificate,
        billing.key,
    );
    let python = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../target/python/bin/python"
    );
    let answer = told(Command::new(python).args(["-c", &program]));
    assert!(answer.starts_with("True billing.example\n"), "{answer}");
    assert!(answer.contains("demo-hello"), "{answer}");
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
    check(&["--http", &http, "--cacert", "ca.pem"])
        .fine()
        .says("demo-hello");
    check(&["--http", &url, "--cacert", "ca.pem"])
        .fine()
        .says("demo-hello");
    check(&["--http", &url]).with(1).says("with --cacert FILE");
    check(&["--http", &http]).with(1).says("if it speaks TLS");
    check(&["--http", &http, "--cacert", "server.pem"])
        .with(1)
        .says("cannot speak TLS");
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
    let other = house
        .authority
        .server(&house.desk.path(""), "other", A_YEAR);
    let own = [
        "--resp-tls-cert",
        "other.pem",
        "--resp-tls-key",
        "other.key",
    ];
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
