//! Every listener speaks TLS with the clients that people have.

use std::process::{Command, Stdio};

use tollgate_testkit::{certificates::A_YEAR, program, pypi};

use crate::{common::cleared, tls::house::House};

/// What a program prints, both streams together.
fn told(command: &mut Command) -> String {
    let output = cleared(command).stdin(Stdio::null()).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8_lossy(&text).into_owned()
}

// Proves: S7
#[test]
fn every_listener_speaks_tls_to_the_clients_that_people_have() {
    let house = House::new();
    let server = house.serve(&[]);
    let ca = house.ca.to_str().unwrap();
    let curl = |at: std::net::SocketAddr, path: &str| {
        let url = format!("https://localhost:{}{path}", at.port());
        told(Command::new(program("curl")).args(["-sS", "--cacert", ca, &url]))
    };
    assert!(curl(server.http, "/readyz").contains(r#""ready":true"#));
    assert!(curl(server.admin, "/metrics").contains("tollgate_tls_certificate_expiry"));

    let port = server.resp.port().to_string();
    let redis = ["-h", "localhost", "-p", &port, "--tls", "--cacert", ca];
    let check = ["TG.CHECK", "user_id", "alice", "endpoint", "/hello"];
    let answer = told(Command::new(program("redis-cli")).args(redis).args(check));
    assert!(answer.contains("demo-hello"), "{answer}");

    for (at, offered, agreed) in [
        (server.grpc, "h2", "ALPN protocol: h2"),
        (server.http, "h2,http/1.1", "ALPN protocol: http/1.1"),
        (server.admin, "h2,http/1.1", "ALPN protocol: http/1.1"),
        (server.resp, "redis", "No ALPN negotiated"),
    ] {
        for version in ["-tls1_2", "-tls1_3"] {
            let answer = told(
                Command::new(program("openssl"))
                    .args(["s_client", "-CAfile", ca, "-verify_return_error", version])
                    .args(["-alpn", offered, "-connect", &at.to_string()]),
            );
            assert!(answer.contains("Verify return code: 0 (ok)"), "{answer}");
            assert!(answer.contains(agreed), "{at} {answer}");
        }
    }
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
    let answer = told(Command::new(pypi("python")).args(["-c", &program]));
    assert!(answer.starts_with("True billing.example\n"), "{answer}");
    assert!(answer.contains("demo-hello"), "{answer}");
}
