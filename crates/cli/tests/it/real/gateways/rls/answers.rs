//! Every field of every kind of answer.

use serde_json::{Value, json};

use super::question::{about, entries, house, one};

/// A status without its time to the reset, which is not zero.
#[track_caller]
fn timeless(status: &Value) -> Value {
    let mut status = status.clone();
    let reset = status.as_object_mut().unwrap().remove("duration_until_reset");
    let seconds: f64 = reset
        .as_ref()
        .and_then(Value::as_str)
        .and_then(|text| text.strip_suffix('s'))
        .and_then(|text| text.parse().ok())
        .unwrap_or_else(|| panic!("no reset: {status}"));
    assert!(seconds > 0.0 && seconds <= 86_400.0, "{seconds}");
    status
}

fn limit(name: &str, amount: u32, unit: &str) -> Value {
    json!({ "name": name, "requests_per_unit": amount, "unit": unit })
}

#[test]
fn statuses_come_in_the_order_of_the_descriptors_with_every_number() {
    let (_desk, _server, mut client) = house();
    let asked = about(&[one("org_id", "acme"), one("nothing", "x"), one("user_id", "ann")]);
    let user = limit("user", 3, "DAY");
    let org = limit("org", 100, "HOUR");
    for (users, orgs) in [(2, 99), (1, 98), (0, 97)] {
        let answer = client.ask(&asked);
        assert_eq!(answer["overall_code"], "OK");
        let statuses = answer["statuses"].as_array().unwrap();
        assert_eq!(statuses.len(), 3, "{answer}");
        assert_eq!(
            timeless(&statuses[0]),
            json!({ "code": "OK", "current_limit": org, "limit_remaining": orgs })
        );
        assert_eq!(statuses[1], json!({ "code": "OK" }), "nothing matched, nothing is said");
        let mut told = timeless(&statuses[2]);
        // Nothing left is what an answer holds that does not say.
        let left = told.as_object_mut().unwrap().remove("limit_remaining").unwrap_or(json!(0));
        assert_eq!((left, told), (json!(users), json!({ "code": "OK", "current_limit": user })));
        for absent in ["raw_body", "response_headers_to_add", "request_headers_to_add"] {
            assert!(answer.get(absent).is_none(), "{absent}: {answer}");
        }
    }
}

/// The others say what they have, and are not charged.
#[test]
fn when_one_is_over_its_limit_nobody_is_charged() {
    let (_desk, _server, mut client) = house();
    let asked = about(&[one("org_id", "acme"), one("nothing", "x"), one("user_id", "ann")]);
    for _ in 0..3 {
        assert_eq!(client.ask(&asked)["overall_code"], "OK");
    }
    for _ in 0..3 {
        let answer = client.ask(&asked);
        assert_eq!(answer["overall_code"], "OVER_LIMIT");
        let statuses = answer["statuses"].as_array().unwrap();
        assert_eq!(
            timeless(&statuses[0]),
            json!({ "code": "OK", "current_limit": limit("org", 100, "HOUR"), "limit_remaining": 97 })
        );
        assert_eq!(statuses[1], json!({ "code": "OK" }));
        assert_eq!(
            timeless(&statuses[2]),
            json!({ "code": "OVER_LIMIT", "current_limit": limit("user", 3, "DAY") })
        );
        // Bytes are base64 in JSON.
        assert_eq!(answer["raw_body"], "dGhyZWUgYSBkYXk=", "three a day");
        let headers = answer["response_headers_to_add"].as_array().unwrap();
        assert_eq!(headers.len(), 2, "{answer}");
        assert_eq!(headers[0]["key"], "Retry-After");
        assert_eq!(headers[1]["value"], "throttled");
        let wait: u64 = headers[0]["value"].as_str().unwrap().parse().unwrap();
        assert!((1..=86_401).contains(&wait), "{wait}");
        assert_eq!(answer["dynamic_metadata"]["rule"], "user");
        assert!(!answer["dynamic_metadata"]["decision_id"].as_str().unwrap().is_empty());
    }
}

#[test]
fn an_addend_weighs_and_none_only_asks() {
    let (_desk, _server, mut client) = house();
    let mut ask = |user: &str, request: Value, own: Value| -> (String, u64) {
        let mut descriptor = one("user_id", user);
        if !own.is_null() {
            descriptor["hits_addend"] = own;
        }
        let mut asked = about(&[descriptor]);
        asked["hits_addend"] = request;
        let answer = client.ask(&asked);
        let left = answer["statuses"][0]["limit_remaining"].as_u64().unwrap_or(0);
        (answer["overall_code"].as_str().unwrap().to_owned(), left)
    };
    let ok = |left: u64| ("OK".to_owned(), left);
    let over = || ("OVER_LIMIT".to_owned(), 0);
    // Of the request: none is one.
    assert_eq!(ask("ann", json!(0), Value::Null), ok(2));
    assert_eq!(ask("ann", json!(3), Value::Null), over(), "three do not fit into two");
    assert_eq!(ask("ann", json!(2), Value::Null), ok(0), "and have not been booked");
    // Of the descriptor: it wins, and none charges nothing.
    assert_eq!(ask("bob", json!(3), json!("0")), ok(3));
    assert_eq!(ask("bob", json!(3), json!("1")), ok(2));
    assert_eq!(ask("bob", json!(1), json!("2")), ok(0));
    assert_eq!(ask("bob", json!(1), json!("0")), over(), "not even one would pass");
    assert_eq!(
        ask("eve", json!(1), json!("18446744073709551615")),
        over(),
        "more than there can be"
    );
    assert_eq!(ask("eve", json!(4294967295u32), Value::Null), over());
    assert_eq!(ask("eve", json!(0), Value::Null), ok(2), "nobody was charged");
}

/// The limit in the descriptor is a window of its own, by domain and entries.
#[test]
fn a_limit_in_the_descriptor_takes_the_place_of_the_rules() {
    let (_desk, _server, mut client) = house();
    let mut ask = |domain: &str, user: &str, amount: u32, unit: &str| -> Value {
        let mut descriptor = one("user_id", user);
        descriptor["limit"] = json!({ "requests_per_unit": amount, "unit": unit });
        client.ask(&json!({ "domain": domain, "descriptors": [descriptor] }))
    };
    for unit in ["MINUTE", "HOUR", "DAY", "MONTH", "YEAR"] {
        let user = unit;
        let answer = ask("any", user, 2, unit);
        let told = &answer["statuses"][0]["current_limit"];
        assert_eq!(
            (&told["requests_per_unit"], &told["unit"]),
            (&json!(2), &json!(unit)),
            "{answer}"
        );
        assert_eq!(answer["statuses"][0]["limit_remaining"], 1, "{answer}");
    }
    assert_eq!(ask("any", "MONTH", 2, "MONTH")["overall_code"], "OK");
    assert_eq!(ask("any", "MONTH", 2, "MONTH")["overall_code"], "OVER_LIMIT");
    assert_eq!(
        ask("other", "MONTH", 2, "MONTH")["overall_code"],
        "OK",
        "another domain, another counter"
    );
    // The rule's own count has not moved.
    let answer = client.ask(&about(&[one("user_id", "MONTH")]));
    assert_eq!(answer["statuses"][0]["limit_remaining"], 2, "{answer}");
}

#[test]
fn who_is_exempt_has_all_there_is_and_who_is_blocked_nothing() {
    let (_desk, _server, mut client) = house();
    for exempt in [one("api_key", "office"), one("org_id", "vip")] {
        let answer = client.ask(&about(&[exempt]));
        assert_eq!(answer["overall_code"], "OK");
        assert_eq!(answer["statuses"][0]["code"], "OK");
        assert_eq!(answer["statuses"][0]["limit_remaining"], 4_294_967_295u32, "{answer}");
    }
    let answer = client.ask(&about(&[one("api_key", "banned")]));
    assert_eq!(answer["overall_code"], "OVER_LIMIT");
    assert_eq!(answer["raw_body"], "Z28gYXdheQ==", "go away");
    let headers = answer["response_headers_to_add"].as_array().unwrap();
    assert_eq!(headers.len(), 1, "waiting never helps: {answer}");
    assert_eq!(headers[0]["value"], "blocked");
    assert_eq!(answer["dynamic_metadata"]["reason"], "blocked");
    assert_eq!(answer["dynamic_metadata"]["rule"], "banned");
}

/// The entries with a meaning fill facts; every other is an attribute, as the domain is.
#[test]
fn entries_are_facts_and_attributes() {
    let (_desk, _server, mut client) = house();
    let login = [
        ("path", "/login?next=/"),
        ("method", "post"),
        ("tier", "gold"),
        ("remote_address", "192.0.2.7"),
    ];
    let answer = client.ask(&about(&[entries(&login)]));
    assert_eq!(answer["statuses"][0]["current_limit"], limit("login", 7, "SECOND"), "{answer}");
    let answer = client.ask(&about(&[entries(&login[..2])]));
    assert_eq!(answer["statuses"], json!([{ "code": "OK" }]), "no gold, no rule");

    let shop = |domain: &str, kinds: &[&str]| {
        let kinds: Vec<(&str, &str)> = kinds.iter().map(|kind| ("kind", *kind)).collect();
        json!({ "domain": domain, "descriptors": [entries(&kinds)] })
    };
    let limit_of = |answer: &Value| answer["statuses"][0]["current_limit"]["name"].clone();
    assert_eq!(limit_of(&client.ask(&shop("shop", &["order"]))), "shop");
    assert_eq!(limit_of(&client.ask(&shop("shop", &["order", "other"]))), "shop", "the first");
    assert_eq!(limit_of(&client.ask(&shop("shop", &["other", "order"]))), Value::Null);
    assert_eq!(limit_of(&client.ask(&shop("any", &["order"]))), Value::Null, "another domain");
}
