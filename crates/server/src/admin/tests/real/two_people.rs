//! An approved change whose write fails.

use serde_json::Value;
use tollgate_testkit::postgres::Postgres;

use super::super::{
    house::{House, Plan},
    two_people::{RULES, post, rule},
};
use crate::{authority::Role, config::Approvals};

/// The rehearsal goes well, and then the write does not.
// Proves: I5, O2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_approved_and_not_done_waits_on() {
    // On several threads: whoever closes a connection that failed goes on while we wait for the trigger.
    let database = Postgres::shared().database("approvals");
    let house = House::build(Plan {
        approvals: Approvals::On,
        url: Some(database.url().parse().unwrap()),
        ..Plan::default()
    })
    .await;
    let ada = house.token("ada", Role::Admin).await;
    let bob = house.token("bob", Role::Admin).await;
    let asked = post(&house, &ada, RULES, Some(&rule())).await.expect(202);
    let one = format!("/ratelimit/proposals/{}", asked["proposal"]["id"]);
    let approve = format!("{one}/approve");
    database.execute(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS \
         $$ BEGIN RAISE EXCEPTION 'not now'; END $$; \
         CREATE TRIGGER refuse BEFORE INSERT ON revisions FOR EACH ROW EXECUTE FUNCTION refuse()",
    );
    let failed = post(&house, &bob, &approve, None).await;
    assert!(failed.status >= 500, "{}", failed.text);
    assert_eq!(failed.json()["proposal"], "open");
    assert_eq!(house.get(&one).await.expect(200)["state"], "open");
    let audit = house.get("/ratelimit/audit?object_kind=proposal").await;
    let rows = audit.expect(200)["rows"].clone();
    let told: Vec<&str> = rows.as_array().unwrap().iter().map(action).collect();
    let story = ["proposal.reopen", "proposal.approve", "proposal.open"];
    assert_eq!(told, story);
    database.execute("DROP TRIGGER refuse ON revisions");
    post(&house, &bob, &approve, None).await.expect(200);
    assert_eq!(house.head().await, 1);
}

fn action(row: &Value) -> &str {
    row["action"].as_str().unwrap()
}
