//! Behind Caddy.
// Proves: S4, I4

use tollgate_testkit::gateway::caddy;

use crate::{
    house::{House, put},
    stories,
};

fn house() -> House {
    House::new(|plan| {
        let site = plan.snippet("caddy");
        let site = put(&site, "127.0.0.1:8080", &plan.backend.to_string());
        let site = put(&site, "\n:80 {", &format!("\n:{} {{", plan.listen.port()));
        caddy(&site, plan.listen)
    })
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
fn the_site_goes_on_without_tollgate() {
    stories::outages(&mut house());
}
