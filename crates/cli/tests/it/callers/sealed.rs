//! Over TLS, with a token, with a certificate of one's own.

use std::fs;

use tollgate_client::{Client, Source};
use tollgate_testkit::certificates::{A_YEAR, Authority};

use super::house::{PATIENT, RULES, search};
use crate::common::{Desk, standstill};

// Proves: U4, S7
#[tokio::test(start_paused = true)]
async fn a_server_is_believed_by_its_certificate_and_a_caller_by_its_own() {
    let _still = standstill();
    let desk = Desk::new();
    desk.write("rules.yaml", RULES);
    let authority = Authority::new("the house");
    authority.write(&desk.path("ca.pem"));
    authority.server(&desk.path(""), "server", A_YEAR);
    authority.client(&desk.path(""), "caller", A_YEAR);
    let server = desk.serve(&[
        "--rules",
        "rules.yaml",
        "--tls-cert",
        "server.pem",
        "--tls-key",
        "server.key",
        "--tls-client-ca",
        "ca.pem",
    ]);
    let pem = |name: &str| fs::read(desk.path(name)).unwrap();
    let ports = [
        format!("https://localhost:{}", server.http.port()),
        format!("rediss://localhost:{}", server.resp.port()),
    ];
    for url in ports {
        let builder = || Client::builder(&url).deadline(PATIENT).roots(&pem("ca.pem"));
        let known = builder().certificate(&pem("caller.pem"), &pem("caller.key")).build().unwrap();
        let answer = known.check(&search("ann")).await.unwrap();
        assert_eq!(answer.source(), Source::Server, "{url}");

        let unknown = builder().build().unwrap();
        let answer = unknown.check(&search("ann")).await.unwrap();
        assert!(matches!(answer.source(), Source::Fallback(_)), "{url}: {answer:?}");

        // The machine does not know this authority.
        let doubtful = Client::builder(&url).deadline(PATIENT).build();
        if let Ok(doubtful) = doubtful {
            let error = doubtful.peek(&search("ann")).await.unwrap_err();
            assert!(error.is_retryable() && error.to_string().contains("certificate"), "{error}");
        }
    }
}
