//! A descriptor decides as the same facts do over HTTP.

use tollgate_core::Cost;
use tollgate_rls::{Entry, RateLimitDescriptor};
use tollgate_rules::Query;
use tollgate_testkit::Rng;

use super::rig::Envoy;
use crate::{
    engine::{Ask, Engine, at_once},
    rls::convert::Question,
};

const RULES: &str = "
  - { name: named, match: { user: [u0, u1] }, key: [user, org], limit: 3/min }
  - { name: paths, match: { endpoint: /a/**, method: [GET] }, key: [\"api_key|ip\", endpoint], limits: [2/s, 20/h] }
  - { name: tiers, match: { tier: premium }, key: [tier], limit: 9/min, algorithm: token_bucket }
  - { name: plans, match: { attributes: { plan: v1, domain: edge } }, key: [attributes.plan], limit: 30/h }
  - { name: net, match: { ip: 10.0.0.0/8 }, action: allow, priority: -1 }
  - { name: all, key: [], limit: 4000/h, priority: -2 }
";

const KEYS: [&str; 8] =
    ["user_id", "org_id", "api_key", "tier", "remote_address", "path", "method", "plan"];

/// For each key some value or none.
fn facts(rng: &mut Rng) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    for key in KEYS {
        let number = rng.below(4);
        let value = match key {
            _ if rng.below(3) == 0 => continue,
            "user_id" => format!("u{number}"),
            "org_id" => format!("o{number}"),
            "api_key" => format!("k{number}"),
            "tier" => (*rng.pick(&["free", "premium", "gold"])).to_owned(),
            "remote_address" => format!("{}.0.0.{number}", rng.pick(&[10, 11])),
            "path" => format!("/{}//b{number}?c=d", rng.pick(&["a", "b"])),
            "method" => (*rng.pick(&["get", "POST", "GET"])).to_owned(),
            _ => format!("v{number}"),
        };
        facts.push((key, value));
    }
    facts
}

fn over_http<'a>(facts: &'a [(&'static str, String)], cost: u64) -> Query<'a> {
    let mut query = Query::new().cost(Cost::new(cost)).attribute("domain", "edge").unwrap();
    for (key, value) in facts {
        match *key {
            "user_id" => query.set_user(value).unwrap(),
            "org_id" => query.set_org(value).unwrap(),
            // What a client of Envoy shows is an attribute only, before keys are issued.
            "tier" => query.set_tier(value).unwrap(),
            "remote_address" => query.set_ip(value).unwrap(),
            "path" => query.set_endpoint(value).unwrap(),
            "method" => query.set_method(value).unwrap(),
            _ => {}
        }
        query.add_attribute(key, value).unwrap();
    }
    query
}

// Proves: S2, S6
#[test]
fn a_descriptor_decides_as_its_facts_do() {
    let envoy = Envoy::of(RULES);
    let (twin, clock) = Engine::of_rules(&format!("version: 1\nrules:\n{RULES}"));
    let mut rng = Rng::new(5);
    let (mut passed, mut denied) = (0, 0);
    for _ in 0..20_000 {
        let pause = std::time::Duration::from_millis(rng.below(200));
        envoy.clock.advance(pause);
        clock.advance(pause);
        let (facts, cost) = (facts(&mut rng), 1 + rng.below(3));
        let entries = facts
            .iter()
            .map(|(key, value)| Entry { key: (*key).into(), value: value.clone().into() });
        let descriptor = RateLimitDescriptor {
            entries: entries.collect(),
            limit: None,
            hits_addend: Some(cost),
        };
        let response = envoy.ask(&[descriptor]);
        let answer = at_once(twin.check(&Ask::new(over_http(&facts, cost)))).unwrap().unwrap();
        let (status, ruling) = (&response.statuses[0], &answer.ruling);
        assert_eq!(status.code == 1, ruling.is_allowed(), "{facts:?}");
        let limit = status.current_limit.as_ref();
        let (shown, rule) = (
            limit.map(|limit| u64::from(limit.requests_per_unit)),
            limit.map(|limit| limit.name.as_str()),
        );
        assert_eq!(shown, ruling.limit(), "{facts:?}");
        assert_eq!(rule, ruling.rule().map(|rule| rule.name.as_str()), "{facts:?}");
        if let Some(remaining) = ruling.remaining() {
            assert_eq!(u64::from(status.limit_remaining), remaining, "{facts:?}");
        }
        *(if ruling.is_allowed() { &mut passed } else { &mut denied }) += 1;
    }
    assert!(passed > 2_000 && denied > 2_000, "{passed} passed, {denied} did not");
}

/// What is asked comes through as it was written, whatever it is.
#[test]
fn every_entry_comes_through() {
    let mut rng = Rng::new(6);
    for _ in 0..20_000 {
        let entries: Vec<(String, String)> = (0..rng.below(5))
            .map(|place| (format!("k{place}"), format!("v{}", rng.below(1_000))))
            .collect();
        let addend = [None, Some(0), Some(1 + rng.below(1_000))][rng.index(3)];
        let descriptor = RateLimitDescriptor {
            entries: entries
                .iter()
                .map(|(key, value)| Entry { key: key.clone().into(), value: value.clone().into() })
                .collect(),
            limit: None,
            hits_addend: addend,
        };
        let request = super::rig::request(&[descriptor]);
        let question = Question::read(&request).unwrap();
        let parts = question.parts();
        let part = parts[0].as_ref().unwrap();
        let read: Vec<(String, String)> = part
            .query
            .descriptor_entries()
            .unwrap()
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        assert_eq!(read, entries);
        assert_eq!(part.query.attributes().len(), entries.len() + 1);
        assert_eq!(part.query.cost_asked(), Cost::new(addend.unwrap_or(1).max(1)));
        assert_eq!(part.spend == tollgate::Spend::Look, addend == Some(0));
    }
}
