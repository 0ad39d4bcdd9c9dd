//! Whatever becomes of calls and their replies, every unit counts once.

use tollgate_core::{
    Clock as _, Cost, CounterKey, Law, Limit, ManualClock, Micros, RuleId, Timestamp,
};
use tollgate_testkit::{
    Rng, limit,
    redis::{Connection, Redis},
};

use crate::{
    exact::{
        Item,
        ask::{Ask, Deed, Part},
        fast::{Batch, told},
        tally::Tally,
        waiting::moment,
    },
    key::Names,
    lease::{self, Asserted, Question},
    ledger::Ledger,
    script::Script,
    virtual_time,
};

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Answered,
    /// It runs, and its reply is lost.
    Unheard,
    /// It never arrives.
    Lost,
    /// It arrives after the next one.
    Late,
}

const FATES: [Fate; 4] = [Fate::Answered, Fate::Unheard, Fate::Lost, Fate::Late];

const LIMITS: [&str; 5] = [
    "1000/h burst 1000",
    "1000/h leaky_bucket burst 999",
    "1000/h fixed_window",
    "1000/h",
    "1000/h sliding_log",
];

/// A node and the one counter that it charges.
struct Node {
    connection: Connection,
    ledger: Ledger,
    names: Names,
    limit: Limit,
    sequence: u64,
    late: Option<Vec<Vec<u8>>>,
    clock: ManualClock,
    /// What Redis said last that this node has taken in all.
    total: u64,
    /// By which the units are found again that were granted last.
    taken_at: Timestamp,
}

impl Node {
    fn new(server: &Redis, prefix: String, limit: Limit) -> Self {
        Self {
            connection: server.connect().unwrap(),
            ledger: Ledger::default(),
            names: Names { prefix, naming: |values, part| part("key", values) },
            limit,
            sequence: 0,
            late: None,
            clock: ManualClock::at(Timestamp::from_secs(1_767_225_600)),
            total: 0,
            taken_at: Timestamp::default(),
        }
    }

    fn item(&self, cost: u64) -> Item {
        let key = CounterKey::new(RuleId::new(1), b"alice");
        let charge = tollgate_core::Charge::new(key, &self.limit, Cost::new(cost));
        Item::new(&charge, &self.names)
    }

    /// Sends one call; says how much of it was granted, as far as is known.
    fn call(&mut self, costs: &[u64], fate: Fate) -> Option<u64> {
        let ask = |cost| Ask {
            deed: Deed::Charge,
            part: Part::Whole,
            items: [self.item(cost)].into_iter().collect(),
            waiting: None,
        };
        let asks: Vec<Ask> = costs.iter().map(|cost| ask(*cost)).collect();
        let key = self.item(0);
        let settle = Ask {
            deed: Deed::Settle,
            part: Part::Whole,
            items: [key.clone()].into_iter().collect(),
            waiting: None,
        };
        let mut batch = Batch::of_counters(&[settle]);
        for ask in &asks {
            batch.add(ask).unwrap();
        }
        self.sequence += 1;
        let now = self.clock.now();
        batch.settle(|key| self.ledger.settlement(key, self.sequence, now));
        let mut args = batch.args("me", self.sequence, Timestamp::from_micros(0));
        args.extend(told(self.clock.now()));
        let words = words(&virtual_time::DECIDE, &key, &args);
        let reply = match fate {
            Fate::Lost => None,
            Fate::Late => {
                self.late = Some(words);
                None
            }
            Fate::Answered | Fate::Unheard => Some(self.connection.ask(&words).unwrap()),
        };
        if let Some(late) = self.late.take_if(|_| fate != Fate::Late) {
            self.connection.ask(&late).unwrap();
        }
        if fate != Fate::Answered {
            self.ledger.doubt(&key, self.sequence);
            return None;
        }
        let words = reply.unwrap().list();
        let state = words.get(3).cloned().map(tollgate_testkit::redis::Reply::bytes);
        assert_eq!(words.len(), 5, "{words:?}");
        self.total = words[4].to_string().parse().unwrap();
        self.ledger.settled(&key.key);
        let state = state.filter(|state| !state.is_empty());
        let state = state.map(|state| String::from_utf8(state).unwrap());
        let mut tally = Tally::new(now, [(key.key, state)]);
        let mut granted = 0;
        for ask in &asks {
            let (decisions, _) = tally.charge(&ask.items).unwrap();
            if decisions.iter().all(|decision| decision.is_allowed()) {
                granted += ask.items[0].cost.get();
                self.taken_at = moment(&ask.items[0], &decisions[0], now);
            }
        }
        Some(granted)
    }

    /// The counter as it lies in Redis.
    fn save(&mut self) -> Option<Vec<u8>> {
        let key = self.item(0).key;
        let dump = self.connection.ask(&[b"DUMP", key.as_bytes()]).unwrap();
        Some(dump.bytes()).filter(|dump| !dump.is_empty())
    }

    /// Puts the counter back as it was saved.
    fn restore(&mut self, saved: Option<&[u8]>) {
        let key = self.item(0).key;
        let key = key.as_bytes();
        self.connection.ask(&[b"DEL", key]).unwrap();
        if let Some(saved) = saved {
            let words: [&[u8]; 4] = [b"RESTORE", key, b"0", saved];
            assert_eq!(self.connection.ask(&words).unwrap().to_string(), "OK");
        }
    }

    /// Tells Redis what this node has taken, as after a loss.
    fn tell_again(&mut self) {
        let key = self.item(0);
        self.sequence += 1;
        let now = self.clock.now();
        let asserted = Asserted { known: self.total, present: self.total, before: 0, at: now.wall };
        let told_key = (key.key.clone(), self.limit.clone());
        let question = Question::telling(told_key, self.sequence, asserted);
        let mut args = lease::args("me", Timestamp::from_micros(0), &[question]);
        args.extend(told(now));
        let words = words(&virtual_time::LEASE, &key, &args);
        let reply = self.connection.ask(&words).unwrap().list();
        let lost = reply[2].to_string();
        assert!(lost.starts_with("ok "), "{lost}");
        if !lost.ends_with(" 0") {
            self.ledger.told_again(&key.key, now.steady);
        }
    }

    fn used(&mut self) -> u64 {
        let key = self.item(0);
        let found =
            self.connection.ask(&["HGET".as_bytes(), key.key.as_bytes(), b"s"]).unwrap().bytes();
        let state = String::from_utf8(found).ok().filter(|state| !state.is_empty());
        let mut tally = Tally::new(self.clock.now(), [(key.key.clone(), state)]);
        let looked = tally.look(&[key]).unwrap();
        self.limit.capacity() - looked[0].remaining()
    }
}

fn words(script: &Script, key: &Item, args: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut words =
        vec![b"EVAL".to_vec(), script.text().into(), b"1".to_vec(), key.key.as_bytes().to_vec()];
    words.extend(args.iter().cloned());
    words
}

/// Calls are answered, unheard, lost or late in any order; units are owed and given back in between. In the end the
/// counter holds what was granted and owed, less what was given back: nothing twice, nothing not at all.
// Proves: C2, D3
#[test]
fn every_unit_counts_once_whatever_is_lost() {
    let server = Redis::start();
    let mut rng = Rng::new(6);
    for round in 0..400 {
        let limit = limit(LIMITS[round % LIMITS.len()]);
        let mut node = Node::new(&server, format!("once{round}"), limit);
        let mut expected = 0;
        for _ in 0..rng.below(12) {
            let costs: Vec<u64> = (0..rng.below(4)).map(|_| 1 + rng.below(5)).collect();
            // Nothing is decided on a counter in doubt before that is cleared up.
            let is_in_doubt = node.ledger.is_in_doubt(&node.item(0).key);
            let costs = if is_in_doubt { &[] } else { costs.as_slice() };
            if let Some(granted) = node.call(costs, rng.pick(&FATES)) {
                expected += granted;
                if granted > 0 && rng.one_in(3) {
                    let back = 1 + rng.below(granted);
                    expected -= back;
                    node.ledger.give_back(&node.item(back), node.taken_at);
                }
            }
            if rng.one_in(4) {
                let owed = 1 + rng.below(9);
                expected += owed;
                node.ledger.owe(&node.item(owed), node.clock.now());
            }
        }
        while node.ledger.len() > 0 {
            node.call(&[], Fate::Answered);
        }
        assert_eq!(node.used(), expected, "round {round}: {:?}", node.limit);
    }
}

/// Redis restarts with what it had saved, and is told what it has lost since. What was to be given back comes back all
/// the same, whether it was taken before or after the save.
// Proves: C2, C6
#[test]
fn what_is_given_back_comes_back_after_a_loss() {
    let server = Redis::start();
    let mut rng = Rng::new(11);
    for round in 0..200 {
        let limit = limit(LIMITS[round % LIMITS.len()]);
        let mut node = Node::new(&server, format!("loss{round}"), limit);
        let saved_after = rng.below(4);
        let mut saved = None;
        let mut expected = 0;
        let mut backs = Vec::new();
        for turn in 0..=4 {
            node.clock.advance(Micros::new(1 + rng.below(1_000)));
            if turn == saved_after {
                saved = node.save();
            }
            let granted = node.call(&[1 + rng.below(5)], Fate::Answered).unwrap();
            let back = rng.below(granted + 1);
            expected += granted - back;
            backs.push((back, node.taken_at));
        }
        // All of it is still to be given back when the loss comes.
        for (back, at) in backs {
            node.ledger.give_back(&node.item(back), at);
        }
        node.clock.advance(Micros::new(1 + rng.below(1_000)));
        node.restore(saved.as_deref());
        node.tell_again();
        while node.ledger.len() > 0 {
            node.clock.advance(Micros::new(1));
            node.call(&[], Fate::Answered);
        }
        let used = node.used();
        // Of a bucket, what it gained by itself meanwhile is not given back too: far less than a unit here.
        let is_bucket = matches!(node.limit.law(), Law::TokenBucket(_) | Law::LeakyBucket(_));
        let most = expected + u64::from(is_bucket);
        assert!(
            (expected..=most).contains(&used),
            "round {round}: {used}, not {expected}: {:?}",
            node.limit
        );
    }
}
