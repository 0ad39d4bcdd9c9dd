//! The scripts as a pool of `sim`.

use std::rc::Rc;

use mlua::Function;
use redis::Value;
use tollgate_core::{Charge, Cost, CounterKey, Law, Limit, Micros, RuleId, State, Timestamp};
use tollgate_sim::pool::{Call, Charged, Figures, Pool, Record, Reply, Share, Word};

use super::host::{Host, Store};
use crate::{
    exact::{Former, Item, Parts, digits, write_limit},
    key::{Key, Names},
    lease::{self, Answer, Asserted, Question, call::Grant},
    record, script,
};

/// Our scripts, perhaps with a defect in them.
#[derive(Debug)]
pub(super) struct Scripts {
    host: Host,
    lease: Function,
    decide: Function,
}

impl Scripts {
    pub(super) fn new() -> Rc<Self> {
        Self::changed(str::to_owned)
    }

    /// The same after a change of their texts.
    pub(super) fn changed(change: impl Fn(&str) -> String) -> Rc<Self> {
        let host = Host::new();
        Rc::new(Self {
            lease: host.load(&change(script::LEASE.text())),
            decide: host.load(&change(script::DECIDE.text())),
            host,
        })
    }
}

/// A server that runs them, and one key on it.
#[derive(Clone, Debug)]
pub(super) struct LuaPool {
    scripts: Rc<Scripts>,
    store: Store,
    key: Key,
}

impl LuaPool {
    pub(super) fn new(scripts: &Rc<Scripts>, limit: &Limit) -> Self {
        Self { scripts: Rc::clone(scripts), store: Store::default(), key: key(limit) }
    }

    pub(super) fn is_there(&mut self, now: u64) -> bool {
        self.store.now = now;
        self.store.field(self.key.as_bytes(), b"s").is_some()
    }

    /// The record as it lies there.
    pub(super) fn text(&self) -> Option<Vec<u8>> {
        self.store.field(self.key.as_bytes(), b"s")
    }

    pub(super) fn put_foreign(&mut self) {
        self.store.put_foreign(self.key.as_bytes());
    }

    fn run(&mut self, now: u64, script: fn(&Scripts) -> &Function, args: &[Vec<u8>]) -> Value {
        self.store.now = now;
        let scripts = &self.scripts;
        let keys = [self.key.as_bytes()];
        let run = scripts.host.run(script(scripts), &mut self.store, &keys, args);
        run.unwrap_or_else(|error| panic!("{error}"))
    }
}

/// The one key of a limit's period.
pub(super) fn key(limit: &Limit) -> Key {
    let names = Names { prefix: "lease".to_owned(), naming: |values, part| part("key", values) };
    let key = CounterKey::new(RuleId::new(1), b"alice");
    Item::new(&Charge::new(key, limit, Cost::ONE), &names).key
}

/// A call as the script is given it.
pub(super) fn lease_args(key: &Key, limit: &Limit, call: &Call) -> Vec<Vec<u8>> {
    let question = Question {
        key: key.clone(),
        limit: limit.clone(),
        former: Former::None,
        sequence: call.sequence,
        previous: call.previous,
        spent: call.spent,
        returned: call.returned,
        want: call.want,
        least: call.least,
        most: call.most,
        life: Micros::new(call.life),
        asserted: Asserted {
            known: call.known,
            present: call.present,
            before: call.before,
            at: Timestamp::from_micros(call.at),
        },
    };
    let since = Timestamp::from_micros(call.since);
    lease::args(&call.node, since, &[question])
}

/// What a script has answered, in the words of the model.
pub(super) fn read_lease(value: &Value) -> Reply {
    let (_, answers) = lease::read(value).unwrap_or_else(|| panic!("{value:?}"));
    let figures = |word, grant: Grant| {
        Reply::Heard(Figures {
            word,
            share: [Share::Lost, Share::Kept][usize::try_from(grant.kept).unwrap()],
            granted: grant.granted,
            life: grant.life.get(),
            left: grant.left,
            wait: grant.wait.get(),
            reset: grant.reset.get(),
            outstanding: grant.outstanding,
            holders: grant.holders,
            total: grant.total,
        })
    };
    match answers[0] {
        Answer::Granted(grant) => figures(Word::Granted, grant),
        Answer::Collapse(grant) => figures(Word::Collapsed, grant),
        Answer::Odd => Reply::Odd,
        Answer::Unknown => Reply::Unknown,
        Answer::Foreign => Reply::Foreign,
        Answer::Stale => Reply::Stale,
    }
}

/// Requests as the exact script is given them.
pub(super) fn charge_args(limit: &Limit, caller: (&str, u64, u64), costs: &[u64]) -> Vec<Vec<u8>> {
    let (node, sequence, since) = caller;
    let mut args = vec![node.as_bytes().to_vec()];
    args.extend([sequence, since, 1].map(digits));
    write_limit(limit, Former::None, &mut args);
    args.extend([1, 0, costs.len()].map(digits));
    for cost in costs {
        let Parts { q, r } = Parts::of(limit, *cost);
        args.extend([1, 1, 1, q, r].map(digits));
    }
    args
}

/// What the exact script has answered.
pub(super) fn read_charge(value: &Value) -> Charged {
    let Value::Array(values) = value else { panic!("{value:?}") };
    let text = |place: usize| match &values[place] {
        Value::BulkString(bytes) => String::from_utf8(bytes.clone()).unwrap(),
        other => panic!("{other:?}"),
    };
    match text(2).as_str() {
        "stale" => Charged::Stale,
        "foreign" => Charged::Foreign,
        word if word.starts_with("odd") => Charged::Odd,
        word if word.starts_with("unknown") => Charged::Unknown,
        word => Charged::Decided {
            outcomes: word.bytes().map(|outcome| outcome == b'1').collect(),
            total: text(4).parse().unwrap(),
        },
    }
}

/// What a record says at a moment.
pub(super) fn read_record(text: Option<&str>, limit: &Limit, now: u64) -> Record {
    let Some(text) = text else {
        return Record::default();
    };
    let steady = Timestamp::from_micros(now);
    // A bucket is read as its leases leave it.
    let (counted, _) = record::read(text, limit.period(), steady).unwrap();
    let window = limit.period().window_at(steady);
    let (used, before) = match (limit.law(), counted.state) {
        (Law::TokenBucket(law), State::Bucket(state)) => {
            let now = u128::from(now) * u128::from(law.bucket().units_per_micro());
            let missing = state.full_at.saturating_sub(now);
            (u64::try_from(missing).unwrap(), 0)
        }
        (_, State::Fixed(state)) if state.window == window => (state.used, 0),
        (_, State::Sliding(state)) if state.window == window => (state.current, state.previous),
        (_, State::Sliding(state)) if state.window + 1 == window => (0, state.current),
        _ => (0, 0),
    };
    let lines = text.split_once('|').map_or("", |(_, lines)| lines);
    let mut leases = Vec::new();
    for line in lines.split_terminator(';') {
        let words: Vec<&str> = line.split(' ').collect();
        let [sequence, until, tokens, granted] =
            [1, 2, 3, 4].map(|place: usize| words[place].parse::<u64>().unwrap());
        if until > now {
            leases.push((words[0].to_owned(), sequence, until, tokens, granted));
        }
    }
    leases.sort();
    Record { used, before, leases }
}

impl Pool for LuaPool {
    fn lease(&mut self, now: u64, limit: &Limit, call: &Call) -> Reply {
        let args = lease_args(&self.key, limit, call);
        read_lease(&self.run(now, |scripts| &scripts.lease, &args))
    }

    fn charge(
        &mut self,
        now: u64,
        limit: &Limit,
        caller: (&str, u64, u64),
        costs: &[u64],
    ) -> Charged {
        let args = charge_args(limit, caller, costs);
        read_charge(&self.run(now, |scripts| &scripts.decide, &args))
    }

    fn record(&mut self, now: u64, limit: &Limit) -> Record {
        self.store.now = now;
        let state = self.store.field(self.key.as_bytes(), b"s");
        let state = state.map(|state| String::from_utf8(state).unwrap());
        read_record(state.as_deref(), limit, now)
    }

    fn copy(&mut self) -> Self {
        self.clone()
    }

    fn forget(&mut self) {
        self.store = Store::default();
    }
}
