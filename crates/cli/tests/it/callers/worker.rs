//! The worker of the manual: it waits its turn, and goes on when the server is gone.

use tollgate_client::Client;

use super::{
    house::{PATIENT, http},
    worker_example::{Job, work},
};
use crate::common::Desk;

const RULES: &str = "version: 1\nrules:\n  \
    - { name: jobs, match: { endpoint: /jobs }, key: [user], limit: { per: 20/s, burst: 10 } }\n";

const JOBS: [Job; 4] = [job("first", 10), job("light", 1), job("half", 5), job("whole", 10)];

const fn job(name: &'static str, weight: u64) -> Job {
    Job { name, weight }
}

// Proves: U4
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_does_every_job_in_turn_with_the_server_and_without() {
    let desk = Desk::new();
    desk.write("rules.yaml", RULES);
    let server = desk.serve(&["--rules", "rules.yaml"]);
    let client = Client::builder(&http(server.http)).deadline(PATIENT);
    let client = client.build().unwrap();

    let mut done = Vec::new();
    work(&client, &JOBS, |job| done.push(job)).await.unwrap();
    assert_eq!(done, JOBS);
    let with_server = client.status();
    let [answered, fallback] = [with_server.by_server, with_server.by_fallback];
    assert_eq!(answered.allowed + fallback.allowed, 4);
    // Of calls one after the other a machine that stalls for a second takes one from the server.
    assert!(fallback.allowed <= 1, "{with_server:?}");
    // 26 of 20 a second and a burst of 10: some job had to wait.
    assert!(answered.denied + fallback.denied > 0, "{with_server:?}");

    let too_much = work(&client, &[job("mountain", 11)], |_| {}).await;
    let why = too_much.unwrap_err().to_string();
    assert_eq!(why, "mountain weighs 11, the limit never holds more than 10");

    server.kill();
    done.clear();
    work(&client, &JOBS, |job| done.push(job)).await.unwrap();
    assert_eq!(done, JOBS);
    let status = client.status();
    assert_eq!(
        (status.by_server.allowed, status.by_fallback.allowed),
        (answered.allowed, fallback.allowed + 4)
    );
}
