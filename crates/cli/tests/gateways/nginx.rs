//! Behind NGINX.
// Proves: S4, I4

use tollgate_testkit::gateway::nginx;

use crate::{
    house::{House, Plan, put},
    stories,
};

fn house() -> House {
    House::new(|plan| nginx(&site(plan), plan.listen))
}

/// The snippet, with what anybody has to change.
fn site(plan: &Plan<'_>) -> String {
    let site = plan.snippet("nginx");
    let site = put(&site, "127.0.0.1:8080", &plan.backend.to_string());
    put(&site, "listen 80;", &format!("listen {};", plan.listen))
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

/// The one line that the snippet names for it.
#[test]
fn the_site_can_be_closed_instead() {
    let mut house = House::new(|plan| {
        let site = put(
            &site(plan),
            "        return 204;\n",
            "        return 403;\n",
        );
        nginx(&site, plan.listen)
    });
    house.get("/a").with(200);
    house.kill();
    house.get("/a").with(403);
    house.start();
    house.get("/a").with(200);
}
