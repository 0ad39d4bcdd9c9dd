//! Worked examples.
// Proves: I4

use super::found;
use crate::gateway::{ProxiesError, ProxyHeader, TrustedProxies};

/// In the header that is read, `Forwarded` for lines that have it and `X-Forwarded-For` for all others.
#[track_caller]
fn check(peer: &str, lines: &str, wanted: &str) {
    let header = match lines.starts_with("Forwarded") {
        true => ProxyHeader::Forwarded,
        false => ProxyHeader::XForwardedFor,
    };
    check_by(&header, peer, lines, wanted);
}

/// `-` is wanted where no client can be read.
#[track_caller]
fn check_by(header: &ProxyHeader, peer: &str, lines: &str, wanted: &str) {
    let lines = lines.replace('\n', "\r\n");
    let lines = if lines.is_empty() { lines } else { lines + "\r\n" };
    let address = found(header, peer.parse().unwrap(), lines.as_bytes());
    let address = address.map_or("-".to_owned(), |address| address.to_string());
    assert_eq!(address, wanted, "{header} {peer}: {lines:?}");
}

#[test]
fn a_stranger_is_its_own_address_whatever_it_says() {
    for lines in ["", "X-Forwarded-For: 1.2.3.4", "Forwarded: for=1.2.3.4", "X-Real-IP: 1.2.3.4"] {
        check("192.0.2.1", lines, "192.0.2.1");
    }
    check("::ffff:192.0.2.1", "", "192.0.2.1");
}

#[test]
fn the_rightmost_that_is_no_proxy_is_the_client() {
    check("10.0.0.1", "", "10.0.0.1");
    check("10.0.0.1", "X-Forwarded-For: 192.0.2.1", "192.0.2.1");
    check("10.0.0.1", "X-Forwarded-For: 1.1.1.1, 192.0.2.1", "192.0.2.1");
    check("10.0.0.1", "X-Forwarded-For: 1.1.1.1,192.0.2.1 ,10.2.2.2", "192.0.2.1");
    check("10.0.0.1", "X-Forwarded-For: 1.1.1.1\nx-forwarded-for: 192.0.2.1", "192.0.2.1");
    check(
        "10.0.0.1",
        "X-Forwarded-For: 192.0.2.1\nX-Forwarded-For: 10.2.2.2, 10.3.3.3",
        "192.0.2.1",
    );
    check("::ffff:10.0.0.1", "X-Forwarded-For: ::ffff:192.0.2.1", "192.0.2.1");
    check("::1", "X-Forwarded-For: 2001:db8:1::5, ::ffff:10.9.9.9", "2001:db8:1::5");
}

#[test]
fn all_proxies_means_the_farthest() {
    check("10.0.0.1", "X-Forwarded-For: 10.0.0.3, 10.0.0.2", "10.0.0.3");
}

#[test]
fn ports_brackets_and_quotes_are_read() {
    check("10.0.0.1", "X-Forwarded-For: 192.0.2.1:4711", "192.0.2.1");
    check("10.0.0.1", "X-Forwarded-For: [2001:db8::1]:4711", "2001:db8::1");
    check("10.0.0.1", "X-Forwarded-For: [2001:db8::1]", "2001:db8::1");
    check("10.0.0.1", "X-Forwarded-For: 2001:db8::1", "2001:db8::1");
    check("10.0.0.1", "Forwarded: for=192.0.2.1", "192.0.2.1");
    check("10.0.0.1", "Forwarded: FOR=\"192.0.2.1:80\" ; by=x;proto=http", "192.0.2.1");
    check("10.0.0.1", "Forwarded: by=x; for=\"[2001:db8::1]:80\"", "2001:db8::1");
    check("10.0.0.1", "Forwarded: for=1.1.1.1, , host=\"a, \\\"b;\";for=192.0.2.1,", "192.0.2.1");
    check("10.0.0.1", "Forwarded: for=\"192.0\\.2.1\"", "192.0.2.1");
}

/// The proxy's own address, the most trusted that there is, never stands in for a client's.
#[test]
fn what_cannot_be_read_is_nobodys_address() {
    for hidden in ["unknown", "_hidden", "", "1.2.3", "fe80::1%eth0", "1.2.3.4:99999", "\u{e9}"] {
        let lines = format!("Forwarded: for=192.0.2.1, for=\"{hidden}\", for=10.2.2.2");
        check("10.0.0.1", &lines, "-");
        let list = if hidden.is_empty() { "-" } else { hidden };
        let lines = format!("X-Forwarded-For: 192.0.2.1, {list}, 10.2.2.2");
        check("10.0.0.1", &lines, "-");
        // What stands before the client counts for nothing.
        let lines = format!("X-Forwarded-For: {list}, 192.0.2.1, 10.2.2.2");
        check("10.0.0.1", &lines, "192.0.2.1");
    }
    check("10.0.0.1", "Forwarded: for=_a", "-");
    check("10.0.0.1", "Forwarded: for=192.0.2.1, proto=http", "-");
    for empty in ["X-Forwarded-For:", "X-Forwarded-For: ,", "Forwarded: ;"] {
        check("10.0.0.1", empty, "-");
    }
}

/// A client opens a quote, so that what its proxy adds is taken for a part of the text.
#[test]
fn an_open_quote_hides_nobody() {
    for forged in ["for=\"", "for=1.1.1.1;x=\"", "for=1.1.1.1, for=\"a\\"] {
        for added in ["for=192.0.2.1", "for=\"[2001:db8::1]:80\"", "for=192.0.2.1;proto=\"http\""] {
            check("10.0.0.1", &format!("Forwarded: {forged}, {added}"), "-");
        }
        // A line of its own is read for itself.
        check("10.0.0.1", &format!("Forwarded: {forged}\nForwarded: for=192.0.2.1"), "192.0.2.1");
    }
    for wrong in
        ["for=1.1.1.1 2.2.2.2", "for", "=1.1.1.1", "for=1.1.1.1;for=2.2.2.2", "for=\"1.1.1.1\"x"]
    {
        check("10.0.0.1", &format!("Forwarded: {wrong}"), "-");
    }
}

/// Proxies write one header and hand on what a client wrote into the others.
#[test]
fn only_the_named_header_is_read() {
    let all = [
        ("x-forwarded-for", "192.0.2.1"),
        ("forwarded", "192.0.2.2"),
        ("x-real-ip", "192.0.2.3"),
        ("cf-connecting-ip", "192.0.2.4"),
        ("true-client-ip", "192.0.2.5"),
        ("x-edge-client", "192.0.2.6"),
    ];
    let line = |(name, address): &(&str, &str)| match *name {
        "forwarded" => format!("{name}: for={address}"),
        _ => format!("{name}: {address}"),
    };
    let lines: Vec<String> = all.iter().map(line).collect();
    for (name, address) in all {
        let header: ProxyHeader = name.parse().unwrap();
        check_by(&header, "10.0.0.1", &lines.join("\n"), address);
        check_by(&header, "198.51.100.1", &lines.join("\n"), "198.51.100.1");
        // Without it, the proxy asks for itself, whatever else is there.
        let others: Vec<String> = all.iter().filter(|one| one.0 != name).map(line).collect();
        check_by(&header, "10.0.0.1", &others.join("\n"), "10.0.0.1");
    }
}

#[test]
fn a_header_for_one_address_holds_one() {
    let header: ProxyHeader = "X-Real-IP".parse().unwrap();
    for (lines, wanted) in [
        ("X-Real-IP: 192.0.2.1", "192.0.2.1"),
        ("x-real-ip:  [2001:db8::1]:80 ", "2001:db8::1"),
        ("X-Real-IP: 10.2.2.2", "10.2.2.2"),
        ("X-Real-IP: 6.6.6.6\nX-Real-IP: 192.0.2.1", "-"),
        ("X-Real-IP: 6.6.6.6, 192.0.2.1", "-"),
        ("X-Real-IP: unknown", "-"),
        ("X-Real-IP:", "-"),
    ] {
        check_by(&header, "10.0.0.1", lines, wanted);
    }
}

#[test]
fn a_header_has_a_name() {
    for (text, name) in [
        (" X-Forwarded-For ", "x-forwarded-for"),
        ("Forwarded", "forwarded"),
        ("True-Client-IP", "true-client-ip"),
        ("x_edge_1", "x_edge_1"),
    ] {
        assert_eq!(text.parse::<ProxyHeader>().unwrap().name(), name);
    }
    let long = "x".repeat(ProxyHeader::NAME_BYTES_MAX + 1);
    for wrong in ["", " ", "x forwarded", "a:b", "é", "a,b", &long] {
        assert!(wrong.parse::<ProxyHeader>().is_err(), "{wrong:?}");
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
        assert!(matches!(proxies(wrong), Err(ProxiesError::Network(_))), "{wrong:?}");
    }
    for everybody in ["0.0.0.0/0", "::/0", "::1,0.0.0.0/0", "::ffff:0:0/96", "::ffff:10.0.0.1/96"] {
        assert!(matches!(proxies(everybody), Err(ProxiesError::Everybody(_))));
    }
    let many = vec!["10.0.0.1"; TrustedProxies::COUNT_MAX + 1].join(",");
    assert_eq!(proxies(&many), Err(ProxiesError::TooMany));
}
