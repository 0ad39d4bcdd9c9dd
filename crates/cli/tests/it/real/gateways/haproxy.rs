//! Behind HAProxy.
// Proves: S4, I4

use tollgate_testkit::{
    free_address,
    gateway::{Gateway, haproxy},
};

use super::{
    house::{House, Plan, hasty, patient, put},
    stories,
};

fn house() -> House {
    House::new(|plan| open(plan, calm))
}

/// Whose checks are patient, too.
fn calm(config: &str) -> String {
    patient(&put(config, " 200ms", " 60s"))
}

/// Whose checks are in no greater hurry.
fn hurried(config: &str) -> String {
    hasty(&put(config, " 200ms", " 1s"))
}

/// The snippet, with what anybody has to change, and as `change` has it beyond that.
fn open(plan: &Plan<'_>, change: impl Fn(&str) -> String) -> Gateway {
    let inner = free_address().to_string();
    let config = plan.snippet("haproxy");
    let config = put(&config, "127.0.0.1:8080", &plan.backend.to_string());
    let config = put(&config, "bind :80 ", &format!("bind {} ", plan.listen));
    let config = put(&config, "/etc/haproxy/tollgate.lua  ", "tollgate.lua  ");
    let config = put(&config, "127.0.0.1:7069", &inner);
    let lua = put(&plan.snippet("haproxy-lua"), "127.0.0.1:7069", &inner);
    // Beyond what the listener may take.
    let lua = put(&lua, "WAIT_MS = 1000", "WAIT_MS = 120000");
    if config.contains("gateway.pem") {
        plan.join_certificate();
    }
    haproxy(&change(&config), &lua, plan.listen)
}

#[test]
fn clients_are_limited_and_told() {
    let house = house();
    stories::limits(&house);
    stories::refusals(&house);
    stories::bodies(&house);
}

#[test]
fn an_address_cannot_be_made_up() {
    stories::forgeries(&house());
}

#[test]
fn the_site_goes_on_without_a_tollgate_that_speaks_tls() {
    stories::outages(&mut House::sealed(|plan| open(plan, hurried)));
}

#[test]
fn the_site_goes_on_without_tollgate() {
    stories::outages(&mut House::new(|plan| open(plan, hurried)));
}

#[test]
fn the_same_with_certificates() {
    let house = House::sealed(|plan| open(plan, calm));
    stories::limits(&house);
    stories::forgeries(&house);
}
