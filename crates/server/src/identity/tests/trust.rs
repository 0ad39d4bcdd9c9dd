//! Who may state what.
// Proves: I4

use serde_json::json;

use super::{
    ask::By,
    rig::{OURS, Rig, at, behind, far, near},
};
use crate::listen::Peer;

const FACTS: [(&str, &str); 3] = [
    ("tier", "premium"),
    ("user_id", "alice"),
    ("org_id", "acme"),
];

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
    let certified = Peer {
        name: Some("billing.example".into()),
        ..far()
    };
    assert!(may_state(&rig, &certified, ""));
    // An API key, or what the client of a gateway wrote, opens nothing.
    assert!(rig.refused("not-trusted") >= 12);
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
        let told = rig.ask_from(
            by,
            &far(),
            wrong,
            &json!({ "tier": "premium", "endpoint": "/" }),
        );
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
    let told = rig.ask_from(
        By::Check,
        &far(),
        "",
        &json!({ "endpoint": "/", "tier": " " }),
    );
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
