//! Worked examples.
// Proves: I4

use super::found;
use crate::gateway::{ProxiesError, TrustedProxies};

#[track_caller]
fn check(peer: &str, lines: &str, wanted: &str) {
    let lines = lines.replace('\n', "\r\n");
    let lines = if lines.is_empty() {
        lines
    } else {
        lines + "\r\n"
    };
    let address = found(peer.parse().unwrap(), lines.as_bytes());
    assert_eq!(address.to_string(), wanted, "{peer}: {lines:?}");
}

#[test]
fn a_stranger_is_its_own_address_whatever_it_says() {
    for lines in [
        "",
        "X-Forwarded-For: 1.2.3.4",
        "Forwarded: for=1.2.3.4",
        "X-Real-IP: 1.2.3.4",
    ] {
        check("192.0.2.1", lines, "192.0.2.1");
    }
    check("::ffff:192.0.2.1", "", "192.0.2.1");
}

#[test]
fn the_rightmost_that_is_no_proxy_is_the_client() {
    check("10.0.0.1", "", "10.0.0.1");
    check("10.0.0.1", "X-Forwarded-For: 192.0.2.1", "192.0.2.1");
    check(
        "10.0.0.1",
        "X-Forwarded-For: 1.1.1.1, 192.0.2.1",
        "192.0.2.1",
    );
    check(
        "10.0.0.1",
        "X-Forwarded-For: 1.1.1.1,192.0.2.1 ,10.2.2.2",
        "192.0.2.1",
    );
    check(
        "10.0.0.1",
        "X-Forwarded-For: 1.1.1.1\nx-forwarded-for: 192.0.2.1",
        "192.0.2.1",
    );
    check(
        "10.0.0.1",
        "X-Forwarded-For: 192.0.2.1\nX-Forwarded-For: 10.2.2.2, 10.3.3.3",
        "192.0.2.1",
    );
    check(
        "::ffff:10.0.0.1",
        "X-Forwarded-For: ::ffff:192.0.2.1",
        "192.0.2.1",
    );
    check(
        "::1",
        "X-Forwarded-For: 2001:db8:1::5, ::ffff:10.9.9.9",
        "2001:db8:1::5",
    );
}

#[test]
fn all_proxies_means_the_farthest() {
    check(
        "10.0.0.1",
        "X-Forwarded-For: 10.0.0.3, 10.0.0.2",
        "10.0.0.3",
    );
}

#[test]
fn ports_brackets_and_quotes_are_read() {
    check("10.0.0.1", "X-Forwarded-For: 192.0.2.1:4711", "192.0.2.1");
    check(
        "10.0.0.1",
        "X-Forwarded-For: [2001:db8::1]:4711",
        "2001:db8::1",
    );
    check("10.0.0.1", "X-Forwarded-For: [2001:db8::1]", "2001:db8::1");
    check("10.0.0.1", "X-Forwarded-For: 2001:db8::1", "2001:db8::1");
    check("10.0.0.1", "Forwarded: for=192.0.2.1", "192.0.2.1");
    check(
        "10.0.0.1",
        "Forwarded: FOR=\"192.0.2.1:80\" ; by=x;proto=http",
        "192.0.2.1",
    );
    check(
        "10.0.0.1",
        "Forwarded: by=x; for=\"[2001:db8::1]:80\"",
        "2001:db8::1",
    );
    check(
        "10.0.0.1",
        "Forwarded: for=1.1.1.1, , host=\"a, \\\"b;\";for=192.0.2.1,",
        "192.0.2.1",
    );
    check("10.0.0.1", "Forwarded: for=\"192.0\\.2.1\"", "192.0.2.1");
}

/// All who hide behind one proxy share its budget.
#[test]
fn what_cannot_be_read_ends_the_way_at_the_proxy_that_wrote_it() {
    for hidden in [
        "unknown",
        "_hidden",
        "",
        "1.2.3",
        "fe80::1%eth0",
        "1.2.3.4:99999",
        "\u{e9}",
    ] {
        let lines = format!("Forwarded: for=192.0.2.1, for=\"{hidden}\", for=10.2.2.2");
        check("10.0.0.1", &lines, "10.2.2.2");
        let list = if hidden.is_empty() { "-" } else { hidden };
        let lines = format!("X-Forwarded-For: 192.0.2.1, {list}, 10.2.2.2");
        check("10.0.0.1", &lines, "10.2.2.2");
    }
    check("10.0.0.1", "Forwarded: for=_a", "10.0.0.1");
    check(
        "10.0.0.1",
        "Forwarded: for=192.0.2.1, proto=http",
        "10.0.0.1",
    );
}

/// A client opens a quote, so that what its proxy adds is taken for a part of the text.
#[test]
fn an_open_quote_hides_nobody() {
    for forged in ["for=\"", "for=1.1.1.1;x=\"", "for=1.1.1.1, for=\"a\\"] {
        for added in [
            "for=192.0.2.1",
            "for=\"[2001:db8::1]:80\"",
            "for=192.0.2.1;proto=\"http\"",
        ] {
            check(
                "10.0.0.1",
                &format!("Forwarded: {forged}, {added}"),
                "10.0.0.1",
            );
        }
        // A line of its own is read for itself.
        check(
            "10.0.0.1",
            &format!("Forwarded: {forged}\nForwarded: for=192.0.2.1"),
            "192.0.2.1",
        );
    }
    for wrong in [
        "for=1.1.1.1 2.2.2.2",
        "for",
        "=1.1.1.1",
        "for=1.1.1.1;for=2.2.2.2",
        "for=\"1.1.1.1\"x",
    ] {
        check("10.0.0.1", &format!("Forwarded: {wrong}"), "10.0.0.1");
    }
}

/// Proxies write the one and hand on what a client wrote into the other: neither is believed then.
#[test]
fn two_headers_that_differ_are_the_proxys_own() {
    for (forwarded, list, wanted) in [
        ("for=1.1.1.1", "192.0.2.1", "10.0.0.1"),
        ("for=192.0.2.1", "1.1.1.1", "10.0.0.1"),
        ("for=192.0.2.1", "", "10.0.0.1"),
        ("for=_hidden", "1.1.1.1", "10.0.0.1"),
        ("for=192.0.2.1", "10.2.2.2", "10.0.0.1"),
        // What stands before counts for nothing in either.
        (
            "for=1.1.1.1, for=192.0.2.1",
            "2.2.2.2, 192.0.2.1, 10.2.2.2",
            "192.0.2.1",
        ),
    ] {
        check(
            "10.0.0.1",
            &format!("Forwarded: {forwarded}\nX-Forwarded-For: {list}"),
            wanted,
        );
    }
}

#[test]
fn a_list_of_networks_is_read() {
    let proxies = |text: &str| text.parse::<TrustedProxies>();
    let has = |text: &str, address: &str| proxies(text).unwrap().has(address.parse().unwrap());
    assert!(has("192.0.2.1", "192.0.2.1") && !has("192.0.2.1", "192.0.2.2"));
    assert!(has("::ffff:10.0.0.0/104", "10.200.0.1"));
    assert!(has("10.1.2.3/8", "10.200.0.1"));
    assert!(!has("none", "127.0.0.1"));
    for wrong in ["", "10.0.0.0/8,", "10.0.0.0/33", "lan", "10.0.0.0/8 ::1"] {
        assert!(
            matches!(proxies(wrong), Err(ProxiesError::Network(_))),
            "{wrong:?}"
        );
    }
    for everybody in [
        "0.0.0.0/0",
        "::/0",
        "::1,0.0.0.0/0",
        "::ffff:0:0/96",
        "::ffff:10.0.0.1/96",
    ] {
        assert!(matches!(
            proxies(everybody),
            Err(ProxiesError::Everybody(_))
        ));
    }
    let many = vec!["10.0.0.1"; TrustedProxies::COUNT_MAX + 1].join(",");
    assert_eq!(proxies(&many), Err(ProxiesError::TooMany));
}
