//! Servers on one core, everybody who asks them on another.

use std::process::Command;

use tollgate_testkit::redis::{Cluster, Redis};

const SERVER_CORE: &str = "0";
const LOAD_CORE: usize = 1;

/// Keeps a running server on the servers' core.
pub(super) fn pin(server: &Redis) {
    let process = server.process_id().to_string();
    let pinned = Command::new("taskset").args(["-acp", SERVER_CORE, &process]).output();
    pinned.expect("taskset is installed");
}

pub(super) fn single() -> Redis {
    let server = Redis::start();
    pin(&server);
    server
}

pub(super) fn cluster() -> Cluster {
    let cluster = Cluster::start();
    for node in 0..6 {
        pin(cluster.node(node));
    }
    cluster
}

/// Runs on the other core, alone.
pub(super) fn block_on<T>(future: impl Future<Output = T>) -> T {
    core_affinity::set_for_current(core_affinity::CoreId { id: LOAD_CORE });
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build().expect("a runtime");
    runtime.block_on(future)
}
