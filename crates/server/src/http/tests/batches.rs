//! Many checks in one request.

// Proves: D11

use super::{
    Talk,
    talk::{body, status},
};

const RULES: &str = "rules: [{ name: login, key: [user], limit: 2/min, algorithm: fixed_window }]";
const BATCH: &str = "/ratelimit/check/batch";

#[test]
fn each_is_answered_on_its_own_and_in_order() {
    let mut talk = Talk::under(RULES);
    let said = talk.post(
        BATCH,
        r#"{"requests":[{"user_id":"ann","cost":2},{"user":"bob"},{"user_id":"ann"},{"ip":"x"}, {}]}"#,
    );
    assert_eq!(status(&said), "200");
    let golden = "{\"results\":[\
        {\"allowed\":true,\"limit\":2,\"remaining\":0,\"reset\":1767225660,\"band\":\"warn\",\
        \"rule\":\"login\",\"reason\":\"allowed\",\"revision\":7,\"decision_id\":\"0000000000000000-00000001\",\"limits\":[\
        {\"rule\":\"login\",\"limit\":2,\"window_s\":60,\"remaining\":0,\"reset\":1767225660}]},\
        {\"error\":{\"type\":\"about:blank\",\"title\":\"Bad Request\",\"status\":400,\"detail\":\
        \"unknown field `user`: did you mean `user_id`? (line 1, column 42)\"}},\
        {\"allowed\":false,\"limit\":2,\"remaining\":0,\"reset\":1767225660,\"retry_after\":60,\
        \"retry_after_ms\":60000,\"rule\":\"login\",\"reason\":\"throttled\",\"revision\":7,\
        \"decision_id\":\"0000000000000000-00000002\",\"limits\":[\
        {\"rule\":\"login\",\"limit\":2,\"window_s\":60,\"remaining\":0,\"reset\":1767225660}]},";
    assert!(body(&said).starts_with(golden), "{said}");
    assert!(body(&said).contains("\"detail\":\"ip: "), "{said}");
    assert!(body(&said).ends_with("region or attributes\"}}]}"), "{said}");
}

/// What is not JSON is refused as a whole: nobody was charged.
#[test]
fn a_broken_batch_charges_nobody() {
    let mut talk = Talk::under(RULES);
    for broken in [
        r#"{"requests":[{"user_id":"ann"},{"user_id":"ann"}"#,
        r#"{"requests":[{"user_id":"ann"}],"more":1}"#,
        r#"{"requests":[{"user_id":"ann"}]} {}"#,
        r#"{"requests":{"user_id":"ann"}}"#,
        "{}",
        "",
    ] {
        let said = talk.post(BATCH, broken);
        assert_eq!(status(&said), "400", "{broken}");
    }
    let said = talk.post("/ratelimit/peek", r#"{"user_id":"ann","cost":0}"#);
    assert!(body(&said).contains(r#""remaining":2"#), "{said}");
}

#[test]
fn a_batch_has_a_thousand_at_most() {
    let mut talk = Talk::under(RULES);
    let batch = |count: usize| {
        let one = r#"{"user_id":"ann","cost":0}"#;
        format!(r#"{{"requests":[{}]}}"#, vec![one; count].join(","))
    };
    let said = talk.post(BATCH, &batch(1_000));
    assert_eq!(body(&said).matches("\"allowed\":true").count(), 1_000);
    let said = talk.post(BATCH, &batch(1_001));
    assert_eq!(status(&said), "400");
    assert!(body(&said).contains("more than 1000 members"), "{said}");
    let said = talk.post(BATCH, r#"{"requests":[]}"#);
    assert_eq!(body(&said), r#"{"results":[]}"#);
}
