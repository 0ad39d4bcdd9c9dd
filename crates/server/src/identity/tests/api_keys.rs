//! API keys, known and not.
// Proves: I2

use serde_json::json;
use tollgate_core::Timestamp;

use super::{
    ask::By,
    rig::{Rig, at},
};

fn in_s(rig: &Rig, seconds: u64) -> Option<Timestamp> {
    Some(Timestamp::from_micros((rig.now_s() + seconds) * 1_000_000))
}

#[test]
fn a_key_counts_for_whom_it_was_issued_by_every_protocol() {
    for by in By::ALL {
        let rig = Rig::plain();
        let key = rig.issue("k1", |key| {
            key.user = Some("alice".into());
            key.tier = Some("premium".into());
        });
        let other = rig.issue("k2", |key| key.user = Some("bob".into()));
        let ask = |key: &str, endpoint: &str| {
            let asked = json!({ "api_key": key, "endpoint": endpoint });
            rig.ask(by, &asked)
        };
        ask(&key, "/once").decided(200);
        ask(&key, "/once").decided(429);
        ask(&other, "/once").decided(200);
        ask(&key, "/key").decided(200);
        let told = ask(&key, "/key");
        told.decided(429);
        assert!(!told.text.contains(&key), "a key is never shown: {told:?}");
        ask(&other, "/key").decided(200);
        let told = ask(&key, "/premium");
        assert!(told.status == 403 || told.status == 429, "{told:?}");
    }
}

#[test]
fn what_is_no_key_is_told_apart() {
    let rig = Rig::plain();
    let good = rig.issue("k1", |_| {});
    let end = in_s(&rig, 60);
    let expiring = rig.issue("k2", |key| key.expires_at = end);
    let revoked = rig.issue("k3", |key| key.revoked_at = in_s(&rig, 0));
    let removed = rig.issue("k4", |_| {});
    rig.live.directory().retain_keys(|id| id != "k4");
    let former = rig.issue("k5", |_| {});
    let rotated = rig.issue("k5", |key| key.former = Some((rig.digest(&former), end.unwrap())));
    let mut slip = good.clone();
    let last = if slip.pop() == Some('0') { '1' } else { '0' };
    slip.push(last);
    let before = rig.left();
    for by in By::ALL {
        let ask = |key: &str| rig.ask(by, &json!({ "api_key": key, "endpoint": "/nothing" }));
        for (key, reason) in [
            (slip.as_str(), "malformed"),
            ("tgk_", "malformed"),
            ("somebody-elses-key", "malformed"),
            (&removed, "unknown"),
            (&revoked, "revoked"),
        ] {
            ask(key).refused(401, reason);
        }
        for key in [&good, &expiring, &former, &rotated] {
            ask(key).decided(200);
        }
    }
    assert_ne!(rig.left(), before);
    rig.clock.advance(std::time::Duration::from_secs(61));
    for by in By::ALL {
        let ask = |key: &str| rig.ask(by, &json!({ "api_key": key, "endpoint": "/nothing" }));
        ask(&expiring).refused(401, "expired");
        ask(&former).refused(401, "expired");
        ask(&rotated).decided(200);
    }
    assert_eq!(rig.refused("revoked"), 6);
}

#[test]
fn a_slip_is_found_without_a_look_at_the_keys() {
    // None was issued, and still it is not taken for somebody else's.
    let rig = Rig::plain();
    for by in By::ALL {
        let told = rig.ask(by, &json!({ "api_key": "tgk_slip", "endpoint": "/" }));
        told.refused(401, "malformed");
    }
}

#[test]
fn other_peoples_keys_are_facts_until_one_is_issued_or_as_the_setting_says() {
    let foreign = json!({ "api_key": "customer-17", "endpoint": "/key" });
    let twice = |rig: &Rig, by| (rig.ask(by, &foreign), rig.ask(by, &foreign));
    for by in By::STATING {
        let rig = Rig::plain();
        let (first, second) = twice(&rig, by);
        first.decided(200);
        // What Envoy hands on, a client has written.
        second.decided(if by == By::Envoy { 200 } else { 429 });
        rig.issue("k1", |_| {});
        rig.ask(by, &foreign).refused(401, "malformed");
        let rig = Rig::new(&[("api_keys", "issued")], &[]);
        rig.ask(by, &foreign).refused(401, "malformed");
        let rig = Rig::new(&[("api_keys", "any")], &[]);
        let id = json!({ "api_key": "k1", "endpoint": "/key" });
        rig.ask(by, &id).decided(200);
        rig.issue("k1", |_| {});
        twice(&rig, by).1.decided(429);
        // Nobody is a key of ours by saying its id.
        rig.ask(by, &id).refused(401, "malformed");
    }
    // From a gateway's client it is not even that: it could write any.
    for by in [By::Nginx, By::ForwardAuth] {
        let rig = Rig::new(&[("api_keys", "any")], &[]);
        let (first, second) = twice(&rig, by);
        first.decided(200);
        second.decided(200);
        let rig = Rig::new(&[("api_keys", "issued")], &[]);
        rig.ask(by, &foreign).refused(401, "malformed");
    }
}

#[test]
fn gateways_read_the_header_that_the_setting_names() {
    let rig = Rig::new(&[("api_key_header", "X-Tenant-Key")], &[]);
    let key = rig.issue("k1", |key| key.user = Some("alice".into()));
    let asked = json!({ "endpoint": "/once" });
    for (place, by) in [By::Nginx, By::ForwardAuth].into_iter().enumerate() {
        let line = format!("x-tenant-key: {key}\r\n");
        let told = rig.ask_from(by, &at("127.0.0.1"), &line, &asked);
        told.decided(if place == 0 { 200 } else { 429 });
        // Twice is two opinions.
        let told = rig.ask_from(by, &at("127.0.0.1"), &line.repeat(2), &asked);
        told.refused(401, "malformed");
    }
}
