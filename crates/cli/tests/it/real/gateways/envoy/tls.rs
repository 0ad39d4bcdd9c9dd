//! Envoy and the server know each other by their certificates.
// Proves: S2, S7

use std::path::Path;

use serde_json::{Value, json};
use tollgate_testkit::certificates::{A_YEAR, Authority, Signed};

use super::{
    bootstrap::header,
    house::{House, Plan, over},
};
use crate::common::Desk;

const RULES: &str = r#"
version: 1
rules:
  - { name: per-caller, match: { descriptor: [[user_id]] }, key: [user], limit: 1/day, algorithm: fixed_window }
"#;

/// A server that asks Envoy for a certificate of this house, and an Envoy that shows what `of` signed.
fn house(of: Option<&Authority>, filter: &Value) -> House {
    let desk = Desk::new();
    let ours = Authority::new("the house");
    let folder = desk.path("");
    ours.write(&desk.path("ca.pem"));
    ours.server(&folder, "server", A_YEAR);
    let shown = of.unwrap_or(&ours).client(&folder, "envoy.example", A_YEAR);
    let plan = Plan {
        rules: Some(RULES),
        #[rustfmt::skip]
        flags: &[
            "--grpc-tls-cert", "server.pem", "--grpc-tls-key", "server.key",
            "--grpc-tls-client-ca", "ca.pem",
        ],
        rate_limits: json!([{ "actions": [header("x-user", "user_id")] }]),
        transport: transport(&desk.path("ca.pem"), &shown),
        filter: over(json!({ "enable_x_ratelimit_headers": "DRAFT_VERSION_03" }), filter),
        desk: Some(desk),
        ..Plan::default()
    };
    plan.build()
}

fn transport(ca: &Path, shown: &Signed) -> Value {
    let file = |path: &Path| json!({ "filename": path });
    json!({
        "name": "envoy.transport_sockets.tls",
        "typed_config": {
            "@type": "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
            "sni": "localhost",
            "common_tls_context": {
                "alpn_protocols": ["h2"],
                "tls_certificates": [{
                    "certificate_chain": file(&shown.certificate),
                    "private_key": file(&shown.key),
                }],
                "validation_context": {
                    "trusted_ca": file(ca),
                    "match_typed_subject_alt_names": [{
                        "san_type": "DNS",
                        "matcher": { "exact": "localhost" },
                    }],
                },
            },
        },
    })
}

#[test]
fn envoy_asks_over_mutual_tls() {
    let house = house(None, &json!({}));
    let ann = [("x-user", "ann")];
    let reply = house.get(&ann).with(200);
    assert_eq!(reply.header("x-ratelimit-remaining"), Some("0"));
    house.get(&ann).with(429);
    assert_eq!(house.envoy.stat("cluster.backend.ratelimit.error"), 0);
    assert!(house.envoy.stat("cluster.tollgate.ssl.handshake") >= 1);
}

/// To Envoy it is as if nobody were there.
#[test]
fn an_envoy_that_a_stranger_vouches_for_gets_no_answer() {
    let stranger = Authority::new("a stranger");
    let house = house(Some(&stranger), &json!({ "failure_mode_deny": true }));
    house.get(&[("x-user", "ann")]).with(500);
    assert_eq!(house.arrived(), 0);
}
