//! A real Redis as a pool of `sim`, and the same proofs against it: fewer, for each call is one of a network.
// Proves: C3, C7

use std::{cell::RefCell, rc::Rc};

use redis::Value;
use tollgate_core::{Limit, Now, Timestamp};
use tollgate_sim::pool::{Call, Charged, Guard, Pool, Record, Reply};
use tollgate_testkit::redis::{Connection, Redis, Reply as RedisReply};

use super::super::{
    calls::{Backed, LIMITS, Pair},
    lua_pool::{charge_args, key, lease_args, read_charge, read_lease, read_record},
    real_holder::real_holder,
    schedules::Trial,
};
use crate::{exact::told, key::Key, script::Script, virtual_time};

/// One key on a server; another one for each copy.
struct RedisPool {
    server: Rc<RefCell<Server>>,
    limit_key: Key,
    name: String,
}

struct Server {
    connection: Connection,
    names: u64,
}

impl Server {
    fn start(redis: &Redis) -> Rc<RefCell<Self>> {
        let mut connection = redis.connect().unwrap();
        for script in [&virtual_time::LEASE, &virtual_time::DECIDE] {
            connection.ask(&["SCRIPT", "LOAD", script.text()]).unwrap();
        }
        Rc::new(RefCell::new(Self { connection, names: 0 }))
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("lease:{{1}}:{}", self.names)
    }
}

impl RedisPool {
    fn new(server: &Rc<RefCell<Server>>, limit: &Limit) -> Self {
        Self { server: Rc::clone(server), limit_key: key(limit), name: server.borrow_mut().name() }
    }

    fn ask(&self, words: &[impl AsRef<[u8]>]) -> RedisReply {
        self.server.borrow_mut().connection.ask(words).unwrap()
    }

    fn run(&self, now: u64, script: &Script, args: Vec<Vec<u8>>) -> Value {
        let mut words = vec![b"EVALSHA".to_vec(), script.digest().into(), b"1".to_vec()];
        words.push(self.name.clone().into_bytes());
        words.extend(args);
        words.extend(told(Now::at(Timestamp::from_micros(now))));
        to_value(self.ask(&words))
    }
}

fn to_value(reply: RedisReply) -> Value {
    match reply {
        RedisReply::Text(bytes) => Value::BulkString(bytes),
        RedisReply::Number(number) => Value::Int(number),
        RedisReply::Nil => Value::Nil,
        RedisReply::List(replies) => Value::Array(replies.into_iter().map(to_value).collect()),
        RedisReply::Error(error) => panic!("{error}"),
    }
}

impl Pool for RedisPool {
    fn lease(&mut self, now: u64, limit: &Limit, call: &Call) -> Reply {
        let args = lease_args(&self.limit_key, limit, call);
        read_lease(&self.run(now, &virtual_time::LEASE, args))
    }

    fn charge(
        &mut self,
        now: u64,
        limit: &Limit,
        caller: (&str, u64, u64),
        costs: &[u64],
    ) -> Charged {
        let args = charge_args(limit, caller, costs);
        read_charge(&self.run(now, &virtual_time::DECIDE, args))
    }

    fn record(&mut self, now: u64, limit: &Limit) -> Record {
        let found = self.ask(&["HGET", &self.name, "s"]).bytes();
        let found = String::from_utf8(found).unwrap();
        let found = Some(found.as_str()).filter(|found| !found.is_empty());
        read_record(found, limit, now)
    }

    fn copy(&mut self) -> Self {
        let name = self.server.borrow_mut().name();
        self.ask(&["COPY", &self.name, &name]);
        Self { server: Rc::clone(&self.server), limit_key: self.limit_key.clone(), name }
    }

    fn forget(&mut self) {
        self.name = self.server.borrow_mut().name();
    }
}

impl Backed for RedisPool {
    fn is_there(&mut self, _now: u64) -> bool {
        self.ask(&["EXISTS", &self.name]) == RedisReply::Number(1)
    }
}

#[test]
fn redis_and_model_agree_on_any_calls() {
    let redis = Redis::start();
    let server = Server::start(&redis);
    for seed in 0..60 {
        let mut pair = Pair::new(seed, |limit| RedisPool::new(&server, limit));
        pair.compare(60).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
}

#[test]
fn no_schedule_breaks_the_law_in_redis() {
    let redis = Redis::start();
    let server = Server::start(&redis);
    let trial = Trial {
        pool: Box::new(move |limit| RedisPool::new(&server, limit)),
        make: real_holder,
        guard: Guard::Right,
        faults: None,
        limits: &LIMITS,
    };
    for seed in 0..60 {
        trial.run(seed).unwrap_or_else(|error| panic!("{error}"));
    }
}
