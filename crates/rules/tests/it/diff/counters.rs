//! What becomes of the counters.

use tollgate_core::AlgorithmName;
use tollgate_rules::{Action, Counters, Field, Key, KeyField, Rule, diff};

use super::{edited, limits, name, pattern, set, throttle};

#[test]
fn counters_follow_the_limits() {
    let to = |text: &'static str| edited(move |rule| throttle(rule).limits = limits(text));
    assert_eq!(to("10/min"), "login: 5/min → 10/min for tier free; counters kept\n");
    assert_eq!(to("300/h"), "login: 5/min → 300/h for tier free; counters carried over\n");
    assert_eq!(to("300/h, 5/min"), "login: 5/min → 5/min, 300/h for tier free; counters kept\n");
    assert_eq!(
        to("300/h, 9/s"),
        "login: 5/min → 9/s, 300/h for tier free; counters carried over\n"
    );
    let burst = edited(|rule| {
        let limit = throttle(rule).limits.as_slice()[0].clone();
        throttle(rule).limits = limit.with_burst(20).unwrap().into();
    });
    assert_eq!(burst, "login: 5/min → 5/min burst 20 for tier free; counters carried over\n");
    let fixed = edited(|rule| {
        let limit = throttle(rule).limits.as_slice()[0].clone();
        throttle(rule).limits = limit.with_algorithm(AlgorithmName::FixedWindow).unwrap().into();
    });
    assert_eq!(
        fixed,
        "login: 5/min → 5/min by fixed_window for tier free; counters carried over\n"
    );
    // The order of limits means nothing.
    let two = |text: &str| set([Rule::throttle(name("a"), Key::global(), limits(text))]);
    assert!(diff(&two("5/min, 9/h"), &two("9/h, 5/min")).is_empty());
    // A bucket that only grows keeps its counters.
    let bucket = |burst| {
        let limit = limits("5/min").as_slice()[0].clone().with_burst(burst).unwrap();
        set([Rule::throttle(name("a"), Key::global(), limit.into())])
    };
    assert_eq!(
        diff(&bucket(5), &bucket(9)).to_string(),
        "a: 5/min burst 5 → 5/min burst 9; counters kept\n"
    );
}

#[test]
fn counters_follow_the_key() {
    let by = |fields: Vec<KeyField>, endpoint: &str| {
        let mut rule = Rule::throttle(name("a"), Key::new(fields).unwrap(), limits("1/s"));
        rule.matches.endpoint = Some(pattern(endpoint));
        set([rule])
    };
    let (ip, endpoint) = (KeyField::from(Field::Ip), KeyField::from(Field::Endpoint));
    let wide = ip.clone().with_ipv6_prefix(56).unwrap();
    assert_eq!(
        diff(&by(vec![ip], "/x"), &by(vec![wide], "/x")).to_string(),
        "a: key [ip] → [ip/56]; counters start fresh: the key changed\n"
    );
    assert_eq!(
        diff(&by(vec![endpoint.clone()], "/x"), &by(vec![endpoint], "/y")).to_string(),
        "a: match.endpoint /x → /y; counters start fresh: the key holds the endpoint, whose pattern changed\n"
    );
    let block = set([Rule::new(name("a"), Action::Block)]);
    let counting = set([Rule::throttle(name("a"), Key::global(), limits("1/s"))]);
    let changes = diff(&block, &counting);
    let why = "nothing was counted before";
    assert_eq!(changes.iter().next().unwrap().counters, Counters::StartFresh { why });
    let back = diff(&counting, &block);
    assert_eq!(back.iter().next().unwrap().counters, Counters::NotApplicable);
}
