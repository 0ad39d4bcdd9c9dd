//! What every store promises, kept by Redis, Valkey and a Cluster.

use std::sync::LazyLock;

use tollgate_testkit::{
    redis::{Cluster, Program, Redis},
    store_contract,
};

use crate::common;

fn on(program: Program) -> (Redis, [String; 1]) {
    let server = Redis::of(program);
    let url = server.url();
    (server, [url])
}

static REDIS: LazyLock<(Redis, [String; 1])> = LazyLock::new(|| on(Program::Redis));
static VALKEY: LazyLock<(Redis, [String; 1])> = LazyLock::new(|| on(Program::Valkey));
static CLUSTER: LazyLock<Vec<String>> = LazyLock::new(|| Cluster::shared().urls());

store_contract!(async redis, |clock: ManualClock| common::on_virtual_time(&REDIS.1, clock));
store_contract!(async valkey, |clock: ManualClock| common::on_virtual_time(&VALKEY.1, clock));
store_contract!(async cluster, |clock: ManualClock| common::on_virtual_time(&CLUSTER, clock));
