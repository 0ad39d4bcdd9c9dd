//! A million calls through every failure leave nothing behind.

use std::{fs, sync::Arc, time::Duration};

use tokio::{runtime::Handle, time::sleep};
use tollgate_client::{Check, Client};
use tollgate_testkit::{ran_alone, rounds};

use crate::virtual_time::{Behaviour, Fake, client};

/// In each of two rounds.
fn calls() -> u64 {
    rounds(512_000).into()
}

const CALLERS: u64 = 64;
/// What the tables of a client take when they are full, and what an allocator keeps.
const GROWTH_BYTES_MAX: u64 = 96 << 20;

fn resident_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = status.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4_096
}

async fn call(client: Client, caller: u64) {
    for call in 0..calls() / CALLERS {
        let check = Check::new().user(format!("u{}", caller * calls() + call)).endpoint("/");
        drop(client.check(&check).await.unwrap());
    }
}

/// Goes through all that can happen, over and over.
async fn meddle(fake: Arc<Fake>) {
    let all = [
        Behaviour::Allow,
        Behaviour::Deny,
        Behaviour::FailOneIn(10),
        Behaviour::BlackHole,
        Behaviour::ResetMidAnswer,
        Behaviour::Allow,
        Behaviour::Garbage,
        Behaviour::Refuse,
        Behaviour::NeverConnect,
    ];
    for behaviour in all.into_iter().cycle() {
        fake.behave(behaviour);
        sleep(Duration::from_secs(40)).await;
    }
}

// Proves: U4
#[tokio::test(start_paused = true)]
#[expect(clippy::disallowed_methods, reason = "tasks of a test")]
async fn a_million_calls_leave_neither_tasks_nor_memory() {
    // It measures the memory of its whole process.
    if ran_alone(module_path!(), "a_million_calls_leave_neither_tasks_nor_memory") {
        return;
    }
    let fake = Fake::new(Behaviour::Allow);
    let alive = Handle::current().metrics().num_alive_tasks();
    let client = client(&fake, |builder| builder);
    // Its tables are full after the first of these rounds.
    let meddler = tokio::spawn(meddle(Arc::clone(&fake)));
    let mut resident = Vec::new();
    for round in 0..2 {
        let calling = |caller| tokio::spawn(call(client.clone(), caller + round * CALLERS));
        let callers: Vec<_> = (0..CALLERS).map(calling).collect();
        for caller in callers {
            caller.await.unwrap();
        }
        resident.push(resident_bytes());
    }
    meddler.abort();
    drop(meddler.await);
    assert!(client.status().servers[0].in_flight == 0);
    let status = client.status();
    let answered = status.by_server.allowed
        + status.by_server.denied
        + status.by_fallback.allowed
        + status.by_fallback.denied
        + status.cached_denials;
    assert_eq!(answered, 2 * calls());
    drop(client);
    sleep(Duration::from_secs(3_600)).await;
    assert_eq!(Handle::current().metrics().num_alive_tasks(), alive);
    let growth = resident[1].saturating_sub(resident[0]);
    assert!(growth < GROWTH_BYTES_MAX / 8, "{growth} bytes more after the second round");
}
