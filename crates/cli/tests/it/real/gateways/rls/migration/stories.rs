//! The same requests to both, and where they differ.
// Proves: S2

use serde_json::{Value, json};
use tollgate_testkit::Rng;

use super::super::client::RlsClient;
use super::{
    examples::{self, Example},
    model::{Code, Descriptor, Model, key},
};
use crate::common::{Desk, server::Server};

/// So many that every limit of every example is reached.
const REQUESTS: usize = 120;

fn house() -> (Desk, Server, RlsClient) {
    let desk = Desk::new();
    desk.write("rules.yaml", include_str!("rules.yaml"));
    let server = desk.serve(&["--rules", "rules.yaml"]);
    let client = RlsClient::to(server.grpc);
    (desk, server, client)
}

fn request(domain: &str, descriptors: &[Descriptor]) -> Value {
    let entry = |(key, value): &(&str, &str)| json!({ "key": key, "value": value });
    let descriptor = |entries: &Descriptor| json!({ "entries": entries.iter().map(entry).collect::<Vec<Value>>() });
    let descriptors: Vec<Value> = descriptors.iter().map(descriptor).collect();
    json!({ "domain": domain, "descriptors": descriptors })
}

/// What was said of every descriptor.
#[track_caller]
fn codes(answer: &Value) -> Vec<Code> {
    let statuses = answer["statuses"].as_array();
    let statuses = statuses.unwrap_or_else(|| panic!("no statuses: {answer}"));
    let code = |status: &Value| match status["code"].as_str() {
        Some("OK") => Code::Ok,
        Some("OVER_LIMIT") => Code::OverLimit,
        other => panic!("{other:?}: {answer}"),
    };
    let codes: Vec<Code> = statuses.iter().map(code).collect();
    let overall = if codes.contains(&Code::OverLimit) { "OVER_LIMIT" } else { "OK" };
    assert_eq!(answer["overall_code"], overall, "{answer}");
    codes
}

#[test]
fn the_examples_of_envoys_own_service_decide_alike() {
    let (_desk, _server, mut client) = house();
    let mut rng = Rng::new(5);
    for mut example in examples::all() {
        let Example { domain, model, descriptors } = &mut example;
        let mut denied = 0;
        for number in 0..REQUESTS {
            let asked = rng.pick(descriptors);
            let expected = model.ask(std::slice::from_ref(&asked));
            let answer = client.ask(&request(domain, std::slice::from_ref(&asked)));
            assert_eq!(codes(&answer), expected, "{domain}, {number}: {asked:?} {answer}");
            denied += usize::from(expected == [Code::OverLimit]);
        }
        assert!(denied > 0, "{domain}: nobody was ever denied");
    }
}

/// The request that its manual shows: both limits of one number. As long as both hold, both count alike.
#[test]
fn two_descriptors_count_both() {
    let (_desk, _server, mut client) = house();
    let both = [
        vec![("message_type", "marketing"), ("to_number", "2061111111")],
        vec![("to_number", "2061111111")],
    ];
    let mut model = Model::new([
        key("message_type").value("marketing").below([key("to_number").amount(5)]),
        key("to_number").amount(10),
    ]);
    for _ in 0..6 {
        let answer = client.ask(&request("messaging", &both));
        assert_eq!(codes(&answer), model.ask(&both), "{answer}");
    }
    // The first difference: what was denied has not counted. Theirs has no more than four left now.
    let number = &both[1..];
    let theirs: Vec<Code> = (0..6).flat_map(|_| model.ask(number)).collect();
    let ours: Vec<Code> =
        (0..6).flat_map(|_| codes(&client.ask(&request("messaging", number)))).collect();
    let passed = |codes: &[Code]| codes.iter().filter(|code| **code == Code::Ok).count();
    assert_eq!((passed(&theirs), passed(&ours)), (4, 5));
}

/// The second difference: theirs joins keys and values with `_`, so these two share a count.
#[test]
fn an_underline_in_a_value_is_nobody_elses_count() {
    let desk = Desk::new();
    let rules = "version: 1\nrules:\n  - { name: pair, match: { descriptor: [[a], [b]] }, \
                 key: [attributes.a, attributes.b], limit: 1/day, algorithm: fixed_window }\n";
    desk.write("rules.yaml", rules);
    let server = desk.serve(&["--rules", "rules.yaml"]);
    let mut client = RlsClient::to(server.grpc);
    for entries in [vec![("a", "x_b_y"), ("b", "z")], vec![("a", "x"), ("b", "y_b_z")]] {
        let asked = request("any", &[entries]);
        assert_eq!(codes(&client.ask(&asked)), [Code::Ok]);
        assert_eq!(codes(&client.ask(&asked)), [Code::OverLimit]);
    }
}
