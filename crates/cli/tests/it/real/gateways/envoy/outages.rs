//! Envoy asks, and nobody answers: the site goes on, or does not, as Envoy was told.

use rustix::process::Signal;
use serde_json::{Value, json};

use super::{
    bootstrap::header,
    house::{House, Plan, over},
};

const RULES: &str = r#"
version: 1
rules:
  - { name: per-caller, match: { descriptor: [[user_id]] }, key: [user], limit: 1/day, algorithm: fixed_window }
"#;

const ANN: [(&str, &str); 1] = [("x-user", "ann")];

/// With a deadline that these stories can wait for. Envoy's own is 20 ms, which a slow machine needs for an answer.
fn plan(filter: &Value) -> Plan<'static> {
    Plan {
        rules: Some(RULES),
        rate_limits: json!([{ "actions": [header("x-user", "user_id")] }]),
        filter: over(json!({ "timeout": "0.5s" }), filter),
        ..Plan::default()
    }
}

fn closed() -> Value {
    json!({ "failure_mode_deny": true })
}

#[test]
fn without_a_server_the_site_goes_on() {
    let house = plan(&json!({})).build();
    let House { envoy, backend, server, .. } = &house;
    server.signal(Signal::KILL);
    for _ in 0..3 {
        house.get(&ANN).with(200);
    }
    assert_eq!(backend.requests().len(), 3);
    assert!(envoy.stat("cluster.backend.ratelimit.error") >= 3);
    assert!(envoy.stat("cluster.backend.ratelimit.failure_mode_allowed") >= 3);
}

#[test]
fn without_a_server_the_site_is_closed_if_envoy_is_told_so() {
    let house = plan(&closed()).build();
    house.server.signal(Signal::KILL);
    house.get(&ANN).with(500);
    assert_eq!(house.arrived(), 0);
}

/// Stopped as by a debugger: connections are taken by the kernel, and nobody reads them. Were it not for the
/// deadline, nothing would ever end these requests.
#[test]
fn a_server_that_hangs_holds_nobody() {
    let house = plan(&json!({})).build();
    house.server.pause();
    for _ in 0..3 {
        house.get(&ANN).with(200);
    }
    assert!(house.envoy.stat("cluster.backend.ratelimit.error") >= 3);
    house.server.signal(Signal::CONT);
    // It counts again; what it was asked meanwhile it may have counted, too.
    tollgate_testkit::wait_for("a denial", crate::common::server::LONG, || {
        (house.get(&ANN).status == 429).then_some(())
    });
}

#[test]
fn a_server_that_hangs_closes_the_site_if_envoy_is_told_so() {
    let house = plan(&closed()).build();
    house.server.pause();
    house.get(&ANN).with(500);
    assert_eq!(house.arrived(), 0);
    house.server.signal(Signal::CONT);
}

/// A server without rules cannot decide, and says so: it is an outage, not an allowance.
#[test]
fn a_server_without_rules_is_an_outage_for_envoy() {
    for (filter, status) in [(json!({}), 200), (closed(), 500)] {
        let plan = Plan { rules: None, filter, ..plan(&Value::Null) };
        let house = plan.build();
        house.get(&ANN).with(status);
        assert_eq!(house.envoy.stat("cluster.backend.ratelimit.error"), 1);
    }
}
