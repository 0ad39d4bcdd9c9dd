//! Behind Caddy.
// Proves: S4, I4

use tollgate_testkit::gateway::{Gateway, caddy};

use super::{
    house::{House, Plan, hasty, patient, put},
    stories,
};

fn house() -> House {
    House::new(|plan| open(plan, patient))
}

/// The snippet, with what anybody has to change, and as `change` has it beyond that.
fn open(plan: &Plan<'_>, change: impl Fn(&str) -> String) -> Gateway {
    let site = plan.snippet("caddy");
    let site = put(&site, "127.0.0.1:8080", &plan.backend.to_string());
    let site = put(&site, "\n:80 {", &format!("\n:{} {{", plan.listen.port()));
    caddy(&change(&site), plan.listen)
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
    stories::outages(&mut House::sealed(|plan| open(plan, hasty)));
}

#[test]
fn the_site_goes_on_without_tollgate() {
    stories::outages(&mut House::new(|plan| open(plan, hasty)));
}

#[test]
fn the_same_with_certificates() {
    let house = House::sealed(|plan| open(plan, patient));
    stories::limits(&house);
    stories::forgeries(&house);
}
