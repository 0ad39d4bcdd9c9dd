//! Callers that name themselves.

// Proves: U4, L2

use std::net::Ipv4Addr;

use tollgate_core::LimitSet;
use tollgate_rules::{ApiKey, Quota};

use super::{
    Talk,
    talk::{TOKEN, body, header, post, status},
};
use crate::{
    authority::Door,
    identity::{
        KeyHasher,
        secret::{Kind, Secret},
    },
};

const CHECK: &str = "/ratelimit/check";
const CALLER: &str = "Tollgate-Caller: 0123456789abcdef\r\n";

const RULES: &str = "
tiers: { free: { rank: 1 } }
rules:
  - { name: burst, match: { endpoint: /burst }, key: [user], limit: { per: 10/s, burst: 20 } }
  - { name: window, match: { endpoint: /window }, key: [user], limit: 5/min }
  - { name: either, match: { endpoint: /either }, key: [user|ip, attributes.plan], limit: 5/min, algorithm: fixed_window }
  - { name: wide, match: { endpoint: /wide }, key: [ip/56], limit: 5/min, algorithm: fixed_window }
  - { name: all, match: { endpoint: /all }, key: [], limits: [5/min, 100/day] }
  - { name: mine, match: { endpoint: /mine/** }, key: [user, endpoint], limit: 5/min }
  - { name: each, match: { region: eu }, key: [endpoint, method, region, tier, org], limit: 5/min }
  - { name: lacking, match: { endpoint: /lacking }, key: [user], missing: shared, limit: 5/min }
  - { name: dear, match: { endpoint: /dear }, key: [], limit: 50/min, cost: attributes.bytes / 1024 }
  - { name: closed, match: { endpoint: /closed }, action: block, response: { status: 451 } }
overrides: [{ rule: window, key: { user: vip }, limits: [50/s] }]
";

/// The limits that a caller is told of, each cut to what it is told beside the rest.
fn told(talk: &mut Talk, asked: &str) -> Vec<String> {
    let said = talk.say(&post(CHECK, CALLER, asked));
    assert_eq!(header(&said, "Tollgate-Callers"), Some("1"), "{said}");
    let limits = body(&said).split_once("\"limits\":[").unwrap().1;
    let parts = limits.split("{\"rule\":").skip(1);
    let cut = |part: &str| {
        let (name, rest) = part.split_once(',').unwrap();
        let told = rest.split_once("\"per\":").unwrap().1;
        let told = told.split_once('}').unwrap().0;
        format!("{name} {told}").replace('"', "")
    };
    parts.map(cut).collect()
}

#[test]
fn a_caller_is_told_in_full_to_the_byte() {
    let mut talk = Talk::under(RULES);
    let asked = r#"{"user_id":"ann","endpoint":"/burst"}"#;
    let said = talk.say(&post(CHECK, CALLER, asked));
    let golden = "\"status\":200,\"limits\":[{\"rule\":\"burst\",\"limit\":20,\"window_s\":1,\"remaining\":19,\
        \"reset\":1767225601,\"reset_ms\":100,\"per\":\"10/s\",\"algorithm\":\"token_bucket\",\"burst\":20,\"key\":[\"user\"]}]}";
    assert!(body(&said).ends_with(golden), "{said}");
    assert!(said.contains("\r\nTollgate-Callers: 1\r\nTollgate-Decision-Id: "), "{said}");
    let usual = talk.post(CHECK, asked);
    assert_eq!(header(&usual, "Tollgate-Callers"), None);
    let golden = "\"window_s\":1,\"remaining\":18,\"reset\":1767225601}]}";
    assert!(body(&usual).ends_with(golden), "others hear what they always did: {usual}");
}

#[test]
fn what_a_limit_counts_by_is_what_the_request_has() {
    let mut talk = Talk::under(RULES);
    for (asked, expected) in [
        (
            r#"{"user_id":"ann","endpoint":"/window"}"#,
            &["window 5/min,algorithm:sliding_window,key:[user]"][..],
        ),
        (
            r#"{"user_id":"vip","endpoint":"/window"}"#,
            &["window 50/s,algorithm:sliding_window,key:[user],overridden:true"],
        ),
        (
            r#"{"user_id":"ann","ip":"192.0.2.1","endpoint":"/either","attributes":{"plan":"a"}}"#,
            &["either 5/min,algorithm:fixed_window,key:[user,attributes.plan]"],
        ),
        (
            r#"{"ip":"192.0.2.1","endpoint":"/either","attributes":{"plan":"a"}}"#,
            &["either 5/min,algorithm:fixed_window,key:[ip,attributes.plan]"],
        ),
        (
            r#"{"ip":"2001:db8::1","endpoint":"/either","attributes":{"plan":"a"}}"#,
            &["either 5/min,algorithm:fixed_window,key:[ip/64,attributes.plan]"],
        ),
        (
            r#"{"ip":"2001:db8::1","endpoint":"/wide"}"#,
            &["wide 5/min,algorithm:fixed_window,key:[ip/56]"],
        ),
        (
            r#"{"ip":"::ffff:192.0.2.1","endpoint":"/wide"}"#,
            &["wide 5/min,algorithm:fixed_window,key:[ip]"],
        ),
        (
            r#"{"endpoint":"/all"}"#,
            &[
                "all 5/min,algorithm:sliding_window,key:[]",
                "all 100/day,algorithm:sliding_window,key:[]",
            ],
        ),
        (
            r#"{"user_id":"ann","endpoint":"/mine/a"}"#,
            &["mine 5/min,algorithm:sliding_window,key:[user]"],
        ),
        (
            r#"{"org_id":"acme","endpoint":"/x","method":"GET","region":"eu"}"#,
            &["each 5/min,algorithm:sliding_window,key:[org,tier,endpoint,method,region]"],
        ),
        (
            r#"{"ip":"192.0.2.1","endpoint":"/lacking"}"#,
            &["lacking 5/min,algorithm:sliding_window,key:[]"],
        ),
        (
            r#"{"endpoint":"/dear","attributes":{"bytes":"3000"}}"#,
            &["dear 50/min,algorithm:sliding_window,key:[],cost:attributes.bytes / 1024"],
        ),
        (r#"{"endpoint":"/nothing"}"#, &[]),
    ] {
        assert_eq!(told(&mut talk, asked), expected, "{asked}");
    }
}

#[test]
fn limits_of_a_key_and_of_a_user_count_by_those() {
    let mut talk = Talk::under(RULES);
    let limits = |text: &str| LimitSet::new([text.parse().unwrap()]).unwrap();
    let secret = Secret::generate(Kind::ApiKey);
    let mut key = ApiKey::new("k1".into(), KeyHasher::new(b"").digest(secret.as_str()));
    key.limits = Some(limits("3/min"));
    talk.live.directory().put_keys([key]);
    let mut quota = Quota::new("ann".into());
    quota.limits = Some(limits("7/h"));
    talk.live.directory().put_quotas([quota]);
    let asked = format!(r#"{{"user_id":"ann","api_key":"{}"}}"#, secret.as_str());
    assert_eq!(
        told(&mut talk, &asked),
        [
            "api-key:k1 3/min,algorithm:sliding_window,key:[api_key]",
            "quota:ann 7/h,algorithm:sliding_window,key:[user]",
        ]
    );
}

#[test]
fn batches_looks_and_denials_are_told_in_full_too() {
    let mut talk = Talk::under(RULES);
    let asked = r#"{"user_id":"ann","endpoint":"/window"}"#;
    let told = r#""per":"5/min","algorithm":"sliding_window","key":["user"]}]}"#;
    for (path, asked, end) in [
        ("/ratelimit/check/batch", format!(r#"{{"requests":[{asked}]}}"#), "]}"),
        ("/ratelimit/peek", asked.to_owned(), ""),
    ] {
        let said = talk.say(&post(path, CALLER, &asked));
        assert_eq!((status(&said), header(&said, "Tollgate-Callers")), ("200", Some("1")));
        assert!(body(&said).ends_with(&format!("{told}{end}")), "{said}");
        let usual = talk.post(path, &asked);
        assert!(!usual.contains("\"per\"") && !usual.contains("Tollgate-Callers"), "{usual}");
    }
    let accept = format!("{CALLER}Accept: application/problem+json\r\n");
    let much = r#"{"user_id":"ann","endpoint":"/window","cost":6}"#;
    let said = talk.say(&post(CHECK, &accept, much));
    assert_eq!((status(&said), header(&said, "Tollgate-Callers")), ("429", Some("1")));
    assert!(body(&said).ends_with(told), "{said}");
    assert_eq!(body(&said).matches("\"status\":").count(), 1, "{said}");
}

/// What a denial is answered with stands in the answer where the status of the message cannot say it.
#[test]
fn a_caller_hears_the_status_of_each() {
    let mut talk = Talk::under(RULES);
    let much = r#"{"user_id":"ann","endpoint":"/window","cost":6}"#;
    let closed = r#"{"user_id":"ann","endpoint":"/closed"}"#;
    let asked = format!(r#"{{"requests":[{much},{closed}]}}"#);
    let said = talk.say(&post("/ratelimit/check/batch", CALLER, &asked));
    for (status, times) in [("429", 1), ("451", 1)] {
        let member = format!("\"status\":{status},\"limits\"");
        assert_eq!(body(&said).matches(&member).count(), times, "{said}");
    }
    let said = talk.say(&post("/ratelimit/peek", CALLER, closed));
    assert_eq!(status(&said), "200");
    assert!(body(&said).contains("\"status\":451"), "{said}");
}

/// A stranger could make the shares of others as small as it likes.
#[test]
fn a_stranger_is_nobodys_caller_unless_it_shows_a_token() {
    let mut talk = Talk::with(RULES, Door::Open, Some(TOKEN));
    talk.reconnect_from(Ipv4Addr::new(198, 51, 100, 9));
    let asked = r#"{"endpoint":"/all"}"#;
    let said = talk.say(&post(CHECK, CALLER, asked));
    assert_eq!(status(&said), "200", "{said}");
    assert_eq!(header(&said, "Tollgate-Callers"), None, "{said}");
    assert!(!said.contains("\"per\""), "{said}");
    assert_eq!(talk.service.engine.recorder().callers().count(), 0);
    let with_token = format!("{CALLER}Authorization: Bearer {TOKEN}\r\n");
    let said = talk.say(&post(CHECK, &with_token, asked));
    assert_eq!(header(&said, "Tollgate-Callers"), Some("1"), "{said}");
}

#[test]
fn a_repeat_is_told_as_whoever_asks_is() {
    let mut talk = Talk::under(RULES);
    let asked = r#"{"user_id":"ann","endpoint":"/window","request_id":"r1"}"#;
    let first = talk.say(&post(CHECK, CALLER, asked));
    assert!(first.contains("\"per\""), "{first}");
    assert_eq!(body(&talk.say(&post(CHECK, CALLER, asked))), body(&first));
    let usual = talk.post(CHECK, asked);
    assert!(!usual.contains("\"per\""), "{usual}");
}

#[test]
fn a_caller_counts_once_as_long_as_it_is_connected() {
    let mut talk = Talk::under(RULES);
    let ask = |talk: &mut Talk, caller: &str| {
        let line = format!("Tollgate-Caller: {caller}\r\n");
        let said = talk.say(&post(CHECK, &line, r#"{"endpoint":"/all"}"#));
        header(&said, "Tollgate-Callers").map(str::to_owned).unwrap()
    };
    assert_eq!(ask(&mut talk, "a"), "1");
    let first = talk.another();
    assert_eq!(ask(&mut talk, "a"), "1", "two connections of one");
    let second = talk.another();
    assert_eq!(ask(&mut talk, "b"), "2");
    drop(first);
    assert_eq!(ask(&mut talk, "b"), "2", "it has another");
    drop(second);
    assert_eq!(ask(&mut talk, "b"), "1");
    let scrape = talk.service.engine.recorder().scrape();
    assert!(scrape.contains("\ntollgate_callers 1\n"), "{scrape}");
    talk.reconnect();
    assert_eq!(talk.service.engine.recorder().callers().count(), 0);
}

#[test]
fn what_is_no_name_is_told_so_and_nothing_is_charged() {
    let mut talk = Talk::under(RULES);
    let asked = r#"{"user_id":"ann","endpoint":"/window"}"#;
    let long = "x".repeat(65);
    for name in ["", "a b", "\u{e9}", &long] {
        let line = format!("Tollgate-Caller: {name}\r\n");
        for path in [CHECK, "/ratelimit/check/batch", "/ratelimit/peek"] {
            let said = talk.say(&post(path, &line, asked));
            assert_eq!(status(&said), "400", "{said}");
            assert!(
                body(&said)
                    .contains("\"detail\":\"Tollgate-Caller: a caller names itself by 1 to 64"),
                "{said}"
            );
        }
    }
    let said = talk.post("/ratelimit/peek", asked);
    assert!(body(&said).contains("\"remaining\":4"), "{said}");
    let twice = format!("{CALLER}{CALLER}");
    let said = talk.say_last(&post(CHECK, &twice, asked));
    assert!(said.contains("Tollgate-Caller is there twice"), "{said}");
    // Elsewhere it means nothing.
    talk.reconnect();
    let said = talk.say(b"GET /healthz HTTP/1.1\r\nHost: a\r\nTollgate-Caller: a b\r\n\r\n");
    assert_eq!(status(&said), "200");
}
