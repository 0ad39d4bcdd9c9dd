//! What every store promises, kept by Redis, Valkey and a Cluster. Redis goes the full length; the other two run
//! the same code against another server.

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
store_contract!(async short valkey, |clock: ManualClock| common::on_virtual_time(&VALKEY.1, clock));
store_contract!(async short cluster, |clock: ManualClock| common::on_virtual_time(&CLUSTER, clock));
