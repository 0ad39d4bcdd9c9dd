//! Behind NGINX.
// Proves: S4, I4

use tollgate_core::{Clock as _, SystemClock};
use tollgate_testkit::{gateway::nginx, wait_for};

use super::{
    house::{House, Plan, hasty, patient, put},
    stories,
};
use crate::common::server::LONG;

fn house() -> House {
    House::new(|plan| nginx(&patient(&site(plan)), plan.listen))
}

fn sealed() -> House {
    House::sealed(|plan| nginx(&patient(&site(plan)), plan.listen))
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
fn the_site_goes_on_without_a_tollgate_that_speaks_tls() {
    stories::outages(&mut House::sealed(|plan| nginx(&hasty(&site(plan)), plan.listen)));
}

#[test]
fn the_site_goes_on_without_tollgate() {
    stories::outages(&mut House::new(|plan| nginx(&hasty(&site(plan)), plan.listen)));
}

#[test]
fn the_same_with_certificates() {
    let house = sealed();
    stories::limits(&house);
    stories::forgeries(&house);
}

/// The one line that the snippet names for it.
#[test]
fn the_site_can_be_closed_instead() {
    let mut house = House::new(|plan| {
        let site = put(&site(plan), "        return 204;\n", "        return 403;\n");
        nginx(&patient(&site), plan.listen)
    });
    house.get("/a").with(200);
    house.kill();
    house.get("/a").with(403);
    house.start();
    house.get("/a").with(200);
}

/// A gateway that does not say what it is asked for is told so, and so is its operator, but not a thousand
/// times.
#[test]
fn a_gateway_that_is_not_set_up_is_heard_of() {
    const ASKED: usize = 200;
    let house = house();
    let begun = SystemClock.now().steady;
    let mut nginx = house.server().decisions();
    let mut ask = || {
        let reply = nginx.get("/gateway/nginx").with(400);
        assert!(reply.body.contains("X-Original-URI"), "{reply:?}");
    };
    for _ in 0..ASKED {
        ask();
    }
    // The next line says how many had none.
    let (told, left_out) = wait_for("a line in the log about the rest", LONG, || {
        ask();
        let left_out = left_out(&house.server().log());
        let sum: usize = left_out.iter().sum();
        (sum + left_out.len() >= ASKED).then_some((left_out.len(), sum))
    });
    // The first, and one for each second that has passed.
    let passed_s = SystemClock.now().steady.since(begun).get() / 1_000_000;
    let told_max = usize::try_from(passed_s).unwrap() + 1;
    assert!(told <= told_max, "{told} lines in {passed_s} s for {left_out} more");
}

/// What each of the complaints in the log says of those that were left out.
fn left_out(log: &str) -> Vec<usize> {
    let complaints = log.lines().filter(|line| line.contains("A gateway is not set up to ask"));
    let left_out = complaints.map(|line| {
        let (_, number) = line.split_once("left_out=").unwrap();
        let digits = number.chars().take_while(char::is_ascii_digit);
        digits.collect::<String>().parse().unwrap()
    });
    left_out.collect()
}
