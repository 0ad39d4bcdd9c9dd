//! Behind HAProxy.
// Proves: S4, I4

use tollgate_testkit::{free_address, gateway::haproxy};

use crate::{
    house::{House, put},
    stories,
};

fn house() -> House {
    House::new(|plan| {
        let inner = free_address().to_string();
        let config = plan.snippet("haproxy");
        let config = put(&config, "127.0.0.1:8080", &plan.backend.to_string());
        let config = put(&config, "bind :80 ", &format!("bind {} ", plan.listen));
        let config = put(&config, "/etc/haproxy/tollgate.lua  ", "tollgate.lua  ");
        let config = put(&config, "127.0.0.1:7069", &inner);
        let lua = put(&plan.snippet("haproxy-lua"), "127.0.0.1:7069", &inner);
        haproxy(&config, &lua, plan.listen)
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
