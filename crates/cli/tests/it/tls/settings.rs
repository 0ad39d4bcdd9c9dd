//! Files and settings that cannot be used, and what is said of them.

use std::fs;

use tollgate_testkit::certificates::A_YEAR;

use super::house::{House, SEALED};

// Proves: S7
#[test]
fn what_is_wrong_with_a_file_is_said_with_the_remedy() {
    let house = House::new();
    let desk = &house.desk;
    let other = house.authority.server(&desk.path(""), "other", A_YEAR);
    desk.write("text", "no certificate");
    fs::copy(&other.key, desk.path("other-key")).unwrap();
    desk.write(
        "secret",
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
    );
    desk.write("damaged", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    let tries = [
        ("missing.pem", "server.key", "name a file that is there"),
        ("text", "server.key", "cannot use text for TLS (--tls-cert): it is not PEM"),
        ("server.key", "server.key", "there is no certificate inside"),
        ("damaged", "server.key", "cannot be understood"),
        ("server.pem", "text", "cannot use text for TLS (--tls-key): it is not PEM"),
        ("server.pem", "server.pem", "there is no private key inside"),
        ("server.pem", "secret", "is encrypted"),
        ("server.pem", "other-key", "does not belong to the certificate in server.pem"),
    ];
    for (certificate, key, words) in tries {
        let words_of = ["--tls-cert", certificate, "--tls-key", key];
        desk.run(&[&["serve", "--check"], &words_of[..]].concat()).with(1).says(words);
        let ports = ["--http", "127.0.0.1:0", "--resp", "127.0.0.1:0"];
        let more = ["--grpc", "127.0.0.1:0", "--admin", "127.0.0.1:0"];
        desk.run(&[&["serve"], &words_of[..], &ports, &more].concat()).with(1).says(words);
    }
    let ca = ["--tls-client-ca", "text"];
    desk.run(&[&["serve", "--check"], &SEALED[..], &ca].concat())
        .with(1)
        .says("cannot use text for TLS (--tls-client-ca)");
    desk.run(&[&["serve", "--check"], &SEALED[..]].concat()).fine();
}

// Proves: S7
#[test]
fn settings_that_do_not_go_together_are_told() {
    let house = House::new();
    for (words, told) in [
        (&["--tls-cert", "server.pem"][..], "tls_cert is set without tls_key"),
        (&["--tls-key", "server.key"], "tls_key is set without tls_cert"),
        (&["--tls-client-ca", "ca.pem"], "tls_client_ca is set without tls_cert"),
        (&["--resp-tls-client-ca", "ca.pem"], "resp_tls_client_ca is set without resp_tls_cert"),
        (
            &["--http-tls-cert", "off", "--http-tls-key", "server.key"],
            "http_tls_key is set although http_tls_cert is off",
        ),
        (&["--admin", "0.0.0.0:7080"], "ask clients for certificates with --admin-tls-client-ca"),
        (
            &["--admin", "0.0.0.0:7080", "--tls-cert", "server.pem", "--tls-key", "server.key"],
            "there is no token",
        ),
        // A listener's own certificate does not go with the key of all.
        (
            &[
                "--tls-cert",
                "server.pem",
                "--tls-key",
                "server.key",
                "--grpc-tls-cert",
                "other.pem",
            ],
            "grpc_tls_cert is set without grpc_tls_key",
        ),
    ] {
        house.desk.run(&[&["config"], words].concat()).with(1).says(told);
    }
}

// Proves: S7
#[test]
fn whoever_has_a_certificate_is_no_administrator_for_that() {
    let house = House::new();
    let at = |admin: &str, more: &[&str]| {
        let known = ["--tls-client-ca", "ca.pem", "--admin", admin];
        let words = [&["config"], &SEALED[..], &known, more];
        house.desk.run(&words.concat())
    };
    let try_with = |more: &[&str]| at("0.0.0.0:7080", more);
    for more in [&[][..], &["--admin-tls-client-ca", "off"]] {
        try_with(more)
            .with(1)
            .says("--token-file FILE or TOLLGATE_TOKEN")
            .says("--admin-tls-client-ca FILE (tls_client_ca does not count");
    }
    try_with(&["--admin-tls-client-ca", "ca.pem"]).fine();
    house.desk.write("token", "0123456789abcdef");
    try_with(&["--token-file", "token"]).fine();
    house.desk.write("own.toml", "admin_tls_client_ca = \"ca.pem\"\n");
    try_with(&["--config", "own.toml"]).fine();
    // On this machine nothing is asked for besides.
    at("127.0.0.1:7080", &[]).fine();
}
