//! Who may state what.
// Proves: I4

use serde_json::json;

use tollgate_rules::{Block, Field};
use tollgate_testkit::Rng;

use super::{
    ask::By,
    rig::{OURS, Rig, at, behind, far, near},
};
use crate::listen::Peer;

pub(super) const FACTS: [(&str, &str); 3] =
    [("tier", "premium"), ("user_id", "alice"), ("org_id", "acme")];

/// Whether somebody may state each of them; who may not hears which.
#[track_caller]
fn may_state(rig: &Rig, peer: &Peer, lines: &str) -> bool {
    let mut told = FACTS.into_iter().flat_map(|(name, value)| {
        By::STATING.map(|by| {
            let told = rig.ask_from(by, peer, lines, &json!({ name: value, "endpoint": "/" }));
            if told.status == 200 {
                return true;
            }
            told.refused(403, "not-trusted");
            assert!(told.text.contains(&format!("`{name}`")), "{by:?}: {told:?}");
            false
        })
    });
    let first = told.next().unwrap();
    assert!(told.all(|one| one == first), "{peer:?}");
    first
}

#[test]
fn only_those_whom_we_know_may_say_for_whom_they_ask() {
    let rig = Rig::plain();
    assert!(may_state(&rig, &near(), ""));
    assert!(may_state(&rig, &at("::1"), ""));
    assert!(may_state(&rig, &at("::ffff:127.0.0.1"), ""));
    assert!(!may_state(&rig, &far(), ""));
    let line = |token: &str| format!("Authorization: Bearer {token}\r\n");
    assert!(may_state(&rig, &far(), &line(OURS)));
    let certified = Peer { name: Some("billing.example".into()), ..far() };
    assert!(may_state(&rig, &certified, ""));
    // An API key, or what the client of a gateway wrote, opens nothing.
    assert!(rig.refused("not-trusted") >= 12);
}

/// Lines by which a proxy tells that it is one.
pub(super) const PROXIED: &str = "X-Forwarded-For: 203.0.113.5\r\nVia: 1.1 edge\r\n";

/// Each header that a proxy writes ends the trust in this machine, by itself.
#[test]
fn any_sign_of_a_proxy_ends_the_trust_in_this_machine() {
    let rig = Rig::plain();
    let stated = json!({ "user_id": "alice", "endpoint": "/" });
    for line in [
        "X-Forwarded-For: 203.0.113.5",
        "x-forwarded-proto: https",
        "X-FORWARDED-HOST: a",
        "X-Forwarded-Server: a",
        "X-Forwarded-For:",
        "Forwarded: for=203.0.113.5",
        "X-Real-IP: 203.0.113.5",
        "Via: 1.1 edge",
        "via: ",
    ] {
        let told = rig.ask_from(By::Check, &near(), &format!("{line}\r\n"), &stated);
        told.refused(403, "not-trusted");
        assert!(told.text.contains("came through a proxy"), "{line}: {told:?}");
        assert!(told.text.contains("trusted_callers"), "{line}: {told:?}");
    }
    for line in ["X-Request-Id: 1", "X-Forwarded: 1", "X-Real-IPs: 1", "Viable: 1"] {
        let told = rig.ask_from(By::Check, &near(), &format!("{line}\r\n"), &stated);
        told.decided(200);
    }
    // On this machine, what a proxy does not say is not the proxy's own address, which a rule may trust.
    let nothing = json!({ "endpoint": "/inner" });
    let told = rig.ask_from(By::Check, &near(), "Via: 1.1 edge\r\n", &nothing);
    assert_eq!(told.status, 400, "{told:?}");
    assert!(told.text.contains("client_address"), "{told:?}");
    // To gateways, those headers are what they ask with.
    for by in [By::Nginx, By::ForwardAuth] {
        let told = rig.ask_from(by, &near(), PROXIED, &json!({ "endpoint": "/" }));
        told.decided(200);
    }
}

/// Whatever a browser says of the page.
#[test]
fn a_page_is_a_stranger() {
    let rig = Rig::plain();
    for (line, status) in [
        ("Origin: http://evil.example", 403),
        ("Origin: null", 403),
        ("Sec-Fetch-Site: cross-site", 403),
        ("Sec-Fetch-Site: same-site", 403),
        ("Sec-Fetch-Site: same-origin", 403),
        ("Sec-Fetch-Site: none", 200),
    ] {
        let lines = format!("{line}\r\nContent-Type: application/x-www-form-urlencoded\r\n");
        for (name, value) in FACTS.into_iter().chain([("ip", "198.18.0.1")]) {
            let told = rig.ask_from(By::Check, &near(), &lines, &json!({ name: value }));
            assert_eq!(told.status, status, "{line} {name}: {told:?}");
        }
        // It may ask about itself.
        let told = rig.ask_from(By::Check, &near(), &lines, &json!({ "endpoint": "/" }));
        told.decided(200);
    }
}

/// A client of Envoy writes into a header what it likes, and Envoy hands it on: no budget comes of that.
#[test]
fn a_key_of_envoys_client_is_a_claim() {
    let either =
        |key: &str| json!({ "api_key": key, "path": "/either", "remote_address": "203.0.113.9" });
    let statuses =
        |rig: &Rig| ["rot1", "rot2", "rot3"].map(|key| rig.ask(By::Envoy, &either(key)).status);
    assert_eq!(statuses(&Rig::plain()), [200, 429, 429]);
    // Unless an operator says that these are keys which another system has verified.
    let any = Rig::new(&[("api_keys", "any")], &[]);
    assert_eq!(statuses(&any), [200, 200, 200]);
    assert_eq!(any.ask(By::Envoy, &either("rot1")).status, 429);
    // And then by trusted callers only.
    let told = |key: &str| any.ask_from(By::Envoy, &far(), "", &either(key)).status;
    assert_eq!([told("rot4"), told("rot5")], [200, 429]);
    // Keys that were issued are verified.
    let issued = Rig::plain();
    let key = issued.issue("k1", |_| ());
    assert_eq!(issued.ask(By::Envoy, &either(&key)).status, 200);
    assert_eq!(issued.ask(By::Envoy, &either(&key)).status, 429);
    issued.ask(By::Envoy, &either("rot1")).refused(401, "malformed");
}

/// An attacker behind a proxy that adds its address to `X-Forwarded-For`, and hands on whatever else it sends: it stays
/// blocked, has one budget, and is never taken for the proxy.
#[test]
fn no_header_makes_a_client_another() {
    let attacker = "203.0.113.9";
    let values =
        ["for=1.2.3.4", "127.0.0.1", "for=127.0.0.1", "for=\"", "unknown", "", "1.2.3.4, 10.0.0.1"];
    let names =
        ["Forwarded", "X-Real-IP", "CF-Connecting-IP", "True-Client-IP", "X-Client-IP", "Via"];
    let mut rng = Rng::new(0x4e2);
    let mut sent = || {
        let mut lines = String::new();
        for _ in 0..rng.index(4) {
            lines += &format!("{}: {}\r\n", rng.pick(&names), rng.pick(&values));
        }
        let own = rng.pick(&["", "127.0.0.1, ", "1.2.3.4,unknown,", ", "]);
        lines += &format!("X-Forwarded-For: {own}{attacker}\r\n");
        for _ in 0..rng.index(3) {
            lines += &format!("{}: {}\r\n", rng.pick(&names), rng.pick(&values));
        }
        lines
    };
    for by in [By::Check, By::Nginx, By::ForwardAuth] {
        let rig = Rig::plain();
        let ask = |lines: &str, endpoint: &str| {
            rig.ask_from(by, &near(), lines, &json!({ "endpoint": endpoint })).status
        };
        let budget = (0..200).filter(|_| ask(&sent(), "/address") == 200).count();
        assert_eq!(budget, 5, "{by:?}");
        for _ in 0..200 {
            let lines = sent();
            // A rule about the proxy's network is not about its clients.
            assert_eq!(ask(&lines, "/inner"), 200, "{by:?} {lines}");
        }
        let block = Block::new(Field::Ip, attacker.into());
        rig.live.directory().block(&block);
        for _ in 0..200 {
            let lines = sent();
            assert_eq!(ask(&lines, "/"), 403, "{by:?} {lines}");
        }
        assert_eq!(ask("X-Forwarded-For: 203.0.113.10\r\n", "/"), 200, "{by:?}");
    }
}

/// The header that a setting names is the one that is read, by callers as by gateways.
#[test]
fn one_header_names_the_client() {
    let rig = Rig::new(&[("client_address", "X-Real-IP")], &[]);
    let lines = |n: u8| {
        format!(
            "X-Real-IP: 203.0.113.{n}\r\nX-Forwarded-For: 127.0.0.1\r\nForwarded: for=127.0.0.1\r\n"
        )
    };
    for by in [By::Check, By::Batch, By::Nginx, By::ForwardAuth] {
        let rig = Rig::new(&[("client_address", "x-real-ip")], &[]);
        let ask = |n| rig.ask_from(by, &near(), &lines(n), &json!({ "endpoint": "/address" }));
        let first: Vec<u16> = (0..6).map(|_| ask(9).status).collect();
        assert_eq!(first, [200, 200, 200, 200, 200, 429], "{by:?}");
        assert_eq!(ask(10).status, 200, "{by:?}");
    }
    // Two of them, or one that is no address, are denied and not taken for the proxy.
    for lines in ["X-Real-IP: 203.0.113.9\r\nX-Real-IP: 6.6.6.6\r\n", "X-Real-IP: me\r\n"] {
        for by in [By::Check, By::Nginx, By::ForwardAuth] {
            let told = rig.ask_from(by, &near(), lines, &json!({ "endpoint": "/address" }));
            assert_eq!(told.status, 400, "{by:?} {told:?}");
        }
    }
}

#[test]
fn whoever_comes_through_a_proxy_is_not_on_this_machine() {
    let rig = Rig::plain();
    for address in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
        assert!(!may_state(&rig, &behind(address), ""), "{address}");
    }
}

#[test]
fn addresses_can_be_trusted_by_a_setting() {
    let rig = Rig::new(&[("trusted_callers", "192.0.2.0/24, 2001:db8::/32")], &[]);
    assert!(may_state(&rig, &far(), ""));
    assert!(may_state(&rig, &at("::ffff:192.0.2.9"), ""));
    assert!(may_state(&rig, &behind("2001:db8::1"), ""));
    assert!(!may_state(&rig, &at("198.51.100.1"), ""));
    let rig = Rig::new(&[("trusted_callers", "all")], &[]);
    assert!(may_state(&rig, &at("198.51.100.1"), ""));
}

#[test]
fn a_wrong_token_of_ours_opens_nothing() {
    let rig = Rig::plain();
    let wrong = "Authorization: Bearer 0123456789abcdeg\r\n";
    for by in [By::Check, By::Batch, By::Envoy] {
        let told = rig.ask_from(by, &far(), wrong, &json!({ "tier": "premium", "endpoint": "/" }));
        told.refused(403, "not-trusted");
    }
}

#[test]
fn whoever_is_far_may_ask_about_anything_else() {
    let rig = Rig::plain();
    for by in By::ALL {
        let told = rig.ask_from(by, &far(), "", &json!({ "endpoint": "/", "method": "GET" }));
        told.decided(200);
    }
    // Blanks state nothing.
    let told = rig.ask_from(By::Check, &far(), "", &json!({ "endpoint": "/", "tier": " " }));
    told.decided(200);
}

#[test]
fn what_a_credential_proves_need_not_be_trusted() {
    let rig = Rig::plain();
    let key = rig.issue("k1", |key| {
        key.user = Some("alice".into());
        key.tier = Some("free".into());
    });
    for by in By::STATING {
        let ask = |more: &str, value: &str| {
            let asked = json!({ "api_key": key, more: value, "endpoint": "/" });
            rig.ask_from(by, &far(), "", &asked)
        };
        ask("method", "GET").decided(200);
        ask("tier", "free").decided(200);
        ask("tier", "premium").refused(403, "not-trusted");
        ask("org_id", "acme").refused(403, "not-trusted");
    }
}
