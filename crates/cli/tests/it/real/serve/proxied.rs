//! A proxy that people have names its client by the PROXY protocol, version 2.
// Proves: I1, I4

use std::net::TcpStream;

use serde_json::{Value, json};
use tollgate_testkit::{
    certificates::{A_YEAR, Authority},
    free_address, gateway, tls, wait_for,
};

use crate::{
    common::{
        Desk,
        http::{Http, Reply},
        server::LONG,
    },
    serve::proxied::{answered, server},
};

#[test]
fn haproxy_names_its_client_before_the_handshake() {
    let desk = Desk::new();
    let folder = desk.path("");
    let authority = Authority::new("ours");
    let ca = desk.path("ca.pem");
    authority.write(&ca);
    let signed = authority.server(&folder, "localhost", A_YEAR);
    let (certificate, key) =
        (signed.certificate.display().to_string(), signed.key.display().to_string());
    let server = server(&desk, &["--http-tls-cert", &certificate, "--http-tls-key", &key]);
    let (sealed, clear) = (free_address(), free_address());
    let config = format!(
        "defaults\n mode tcp\n timeout connect 60s\n timeout client 60s\n timeout server 60s\n\
         listen sealed\n bind {sealed}\n server one {} send-proxy-v2\n\
         listen clear\n bind {clear}\n server one {} send-proxy-v2\n",
        server.http, server.resp
    );
    let _haproxy = gateway::haproxy(&config, "", sealed);
    let client = tls::Client::new(&ca, None);
    let ask = |body: &Value| -> Reply {
        let stream = client.connect(sealed).unwrap();
        Http::over(sealed, Box::new(stream)).post("/ratelimit/check", body)
    };
    ask(&json!({ "endpoint": "/" })).with(200);
    let refused = ask(&json!({ "endpoint": "/", "tier": "premium" })).with(403);
    assert!(refused.body.contains("`tier`"), "{refused:?}");
    wait_for("the other listener", LONG, || TcpStream::connect(clear).ok());
    let said = answered(clear, &[b"PING\r\nTG.CHECK org_id acme\r\nQUIT\r\n"]);
    assert!(said.starts_with("+PONG\r\n-FORBIDDEN not-trusted: `org_id`"), "{said}");
}
