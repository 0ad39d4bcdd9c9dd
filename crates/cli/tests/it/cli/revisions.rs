//! Applying, looking back and going back, on SQLite and on PostgreSQL.
// Proves: R5, R6, R11

use std::time::Duration;

use tollgate_catalog::{Catalog, NodeId, NodeReport};
use tollgate_core::Timestamp;

use crate::common::{Desk, login};

pub(crate) fn a_file_goes_in_and_comes_out(desk: &Desk) {
    desk.write("rules.yaml", &login("5/min"));
    desk.line("rules apply --dry-run rules.yaml").with(2).says("login: added");
    let ran = desk.run(&["rules", "apply", "rules.yaml", "--reason", "two words"]).fine();
    ran.says("login: added, 5/min by [user|ip] of /login").says("revision 1");
    desk.line("rules apply --dry-run rules.yaml").fine().says("nothing would change");
    desk.line("rules apply rules.yaml").fine().says("nothing changed: revision 1 holds it");
    let exported = desk.line("rules export").fine().out;
    desk.run_on(&["rules", "diff", "-"], &exported).fine().says("no difference");
    desk.run_on(&["rules", "fmt", "--check", "-"], &exported).fine();
    desk.run_on(&["rules", "validate", "--deny-warnings", "-"], &exported).fine();
    desk.line("rules history").fine().says("apply by cli").says(": two words");
    desk.run_on(&["rules", "apply", "-"], &login("6/min")).fine().says("revision 2");
}

/// A rule with everything it can have.
const WHOLE: &str = r#"version: 1
default_tier: gold
tiers:
  gold: { rank: 7, default: [50/s, 1000/day] }
rules:
  - name: sign-in
    renamed_from: login
    priority: -3
    match:
      tier: gold
      user: [ann, bob]
      org: acme
      api_key: k1
      region: eu
      endpoint: /login/{realm}/**
      method: [GET, POST]
      ip: [10.0.0.0/8, "2001:db8::/32"]
      attributes: { plan: [trial, basic], agent: { prefix: curl } }
      descriptor: [[generic_key, slow], [remote_address]]
    key: [attributes.plan, "user|ip/56"]
    missing: shared
    limits:
      - { per: 10/s, burst: 20 }
      - { per: 100/day, algorithm: fixed_window }
    warn_at: 70%
    hard_at: 120%
    group: per-user
    cost: attributes.bytes / 1024
    consistency: exact
    on_failure: closed
    response: { status: 503, message: "later, please", retry_after: 30 }
    enabled: false
    owner: team-auth
    reason: stop credential stuffing
overrides:
  - { rule: sign-in, key: { attributes.plan: trial, user: ann }, limit: 500/day, until: 2199-01-01T00:00:00Z }
"#;

pub(crate) fn every_field_of_a_rule_is_kept(desk: &Desk) {
    let words = ["rules", "apply", "-", "--author", "ann", "--reason", "all of it"];
    desk.run_on(&words, WHOLE).fine();
    desk.run_on(&["rules", "diff", "live", "-"], WHOLE).fine().says("no difference");
    let exported = desk.line("rules export").fine().out;
    let names = WHOLE.split([' ', '\n', '{', ',']);
    for name in names.filter(|word| word.ends_with(':')) {
        assert!(exported.contains(name), "{name} is lost: {exported}");
    }
    let json = desk.line("rules export --json").fine().json();
    let id = json["rules"][0]["id"].as_str().unwrap();
    assert_eq!(id.len(), 36, "{id}");
    let made = &desk.line("rules history --json 1").fine().json();
    assert_eq!((&made["author"], &made["reason"]), (&"ann".into(), &"all of it".into()));
    assert!(made["at"].as_str().unwrap().ends_with('Z'));
}

pub(crate) fn history_is_listed_in_pages_and_one_by_one(desk: &Desk) {
    for limit in 1..=5 {
        let file = login(&format!("{limit}/min"));
        let words = ["rules", "apply", "-", "--author", "ann"];
        desk.run_on(&words, &file).fine();
    }
    let numbers = |line: &str| -> Vec<u64> {
        let json = desk.line(&format!("{line} --json")).fine().json();
        let revisions = json["revisions"].as_array().unwrap().iter();
        revisions.map(|each| each["revision"].as_u64().unwrap()).collect()
    };
    assert_eq!(numbers("rules history"), [5, 4, 3, 2, 1]);
    assert_eq!(numbers("rules history --limit 2"), [5, 4]);
    assert_eq!(numbers("rules history --limit 2 --before 4"), [3, 2]);
    assert_eq!(numbers("rules history --before 1"), [0_u64; 0]);
    desk.line("rules history --before 1").fine().says("no revisions before 1");
    desk.line("rules history 3").fine().says("by ann").says("login: 2/min → 3/min");
    desk.line("rules history 1").fine().says("login: added");
    desk.line("rules history 9").with(1).says("there is no revision 9: the history ends at 5");
    desk.line("rules export 9").with(1).says("there is no revision 9");
    assert!(desk.line("rules export 2").fine().out.contains("limit: 2/min"));
    desk.line("rules diff 2 live").with(2).says("login: 2/min → 5/min; counters kept");
    desk.line("rules diff 5").fine().says("no difference between revision 5 and revision 5");
}

pub(crate) fn going_back_is_a_step_forward(desk: &Desk) {
    for limit in ["5/min", "50/min"] {
        desk.run_on(&["rules", "apply", "-"], &login(limit)).fine();
    }
    desk.line("rules diff 1").with(2).says("login: 50/min → 5/min");
    let ran = desk.run(&["rules", "rollback", "1", "--reason", "too many"]).fine();
    ran.says("login: 50/min → 5/min; counters kept").says("revision 3 with the content of 1");
    assert!(desk.line("rules export").fine().out.contains("5/min"));
    desk.line("rules rollback 1").fine().says("nothing changed: revision 3 holds what 1 held");
    desk.line("rules history").fine().says("rollback to 1 by cli, 1 change: too many");
    desk.line("rules rollback 9").with(1).says("there is no revision 9");
    desk.line("rules rollback 0").fine().says("login: removed");
    desk.line("rules history").fine().says("     4  ");
}

pub(crate) fn nobody_is_waited_for_where_no_node_runs(desk: &Desk) {
    let words = ["rules", "apply", "-", "--wait", "1"];
    desk.run_on(&words, &login("5/min")).fine().says("revision 1, no node is running");
    desk.run_on(&words, &login("5/min")).fine().says("no node is running");
    let json = desk.run_on(&["rules", "apply", "-", "--wait", "1", "--json"], &login("6/min"));
    let nodes = &json.fine().json()["nodes"];
    assert_eq!(nodes["confirmed"].as_array().unwrap().len(), 0);
    assert_eq!(nodes["missing"].as_array().unwrap().len(), 0);
}

/// A node that is alive and does not follow is named, and the command fails although the change is made.
pub(crate) fn a_node_that_does_not_follow_is_named(desk: &Desk) {
    desk.run_on(&["rules", "apply", "-"], &login("5/min")).fine();
    report(desk, "gate-3");
    let words = ["rules", "apply", "-", "--wait", "1"];
    let ran = desk.run_on(&words, &login("6/min")).with(1);
    ran.says("revision 2, in force on 0 of 1 nodes; not yet on gate-3");
    desk.line("rules history").fine().says("     2  ");
    let ran = desk.line("overrides set --key user=acme --factor 2x --wait 1 --json").with(1);
    assert_eq!(ran.json()["nodes"]["missing"][0], "gate-3", "{ran:?}");
}

pub(crate) fn a_file_with_errors_changes_nothing(desk: &Desk) {
    desk.run_on(&["rules", "apply", "-"], &login("5/min")).fine();
    let ran = desk.run_on(&["rules", "apply", "-"], &login("5/mins")).with(1);
    ran.says("did you mean \"min\"?").says("<stdin> has 1 error");
    let ran = desk.run_on(&["rules", "apply", "-", "--json"], &login("5/mins")).with(1);
    assert_eq!(ran.json()["problems"][0]["line"], 6);
    let history = desk.line("rules history --json").fine().json();
    assert_eq!(history["revisions"].as_array().unwrap().len(), 1);
}

/// A node says that it runs the newest revision, and that it will say so again in an hour.
fn report(desk: &Desk, node: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let catalog = Catalog::open(&desk.url().parse().unwrap()).await.unwrap();
        let head = catalog.head().await.unwrap();
        let report = NodeReport {
            id: NodeId::new(node),
            revision: head.revision,
            hash: head.hash,
            override_seq: head.override_seq,
            started_at: Timestamp::EPOCH,
            every: Duration::from_secs(3_600),
        };
        catalog.report(&report).await.unwrap();
    });
}
