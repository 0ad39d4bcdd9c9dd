//! Whatever becomes of calls and their replies, every unit counts once.

use tollgate_core::{Clock as _, CounterKey, RuleId};
use tollgate_core::{Cost, Limit, ManualClock, Now, Timestamp};
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

/// A node and the one counter that it charges.
struct Node {
    connection: Connection,
    ledger: Ledger,
    names: Names,
    limit: Limit,
    sequence: u64,
    late: Option<Vec<Vec<u8>>>,
    clock: ManualClock,
}

impl Node {
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
        let state = words
            .get(3)
            .cloned()
            .map(tollgate_testkit::redis::Reply::bytes);
        assert_eq!(words.len(), 5, "{words:?}");
        self.ledger.settled(&key.key);
        let state = state.filter(|state| !state.is_empty());
        let state = state.map(|state| String::from_utf8(state).unwrap());
        let mut tally = Tally::new(self.clock.now(), [(key.key, state)]);
        let granted = asks.iter().map(|ask| {
            let (decisions, _) = tally.charge(&ask.items).unwrap();
            let is_allowed = decisions.iter().all(|decision| decision.is_allowed());
            if is_allowed {
                ask.items[0].cost.get()
            } else {
                0
            }
        });
        Some(granted.sum())
    }

    fn used(&mut self) -> u64 {
        let key = self.item(0);
        let found = self
            .connection
            .ask(&["HGET".as_bytes(), key.key.as_bytes(), b"s"])
            .unwrap()
            .bytes();
        let state = String::from_utf8(found)
            .ok()
            .filter(|state| !state.is_empty());
        let mut tally = Tally::new(self.clock.now(), [(key.key.clone(), state)]);
        let looked = tally.look(&[key]).unwrap();
        self.limit.capacity() - looked[0].remaining()
    }
}

fn words(script: &Script, key: &Item, args: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut words = vec![
        b"EVAL".to_vec(),
        script.text().into(),
        b"1".to_vec(),
        key.key.as_bytes().to_vec(),
    ];
    words.extend(args.iter().cloned());
    words
}

/// Calls are answered, unheard, lost or late in any order; units are owed and given back in between. In the end the
/// counter holds what was granted and owed, less what was given back: nothing twice, nothing not at all.
// Proves: C2, D3
#[test]
fn every_unit_counts_once_whatever_is_lost() {
    let server = Redis::start();
    let limits = [
        "1000/h burst 1000",
        "1000/h leaky_bucket burst 999",
        "1000/h fixed_window",
        "1000/h",
        "1000/h sliding_log",
    ];
    let mut rng = Rng::new(6);
    for round in 0..400 {
        let limit = limit(limits[round % limits.len()]);
        let clock = ManualClock::at(Timestamp::from_secs(1_767_225_600));
        let mut node = Node {
            connection: server.connect().unwrap(),
            ledger: Ledger::default(),
            names: Names {
                prefix: format!("once{round}"),
                naming: |values, part| part("key", values),
            },
            limit,
            sequence: 0,
            late: None,
            clock,
        };
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
                    give_back(&node, back);
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

fn give_back(node: &Node, units: u64) {
    let item = node.item(units);
    let now: Now = node.clock.now();
    let taken = item
        .limit
        .step(item.limit.fresh(now), now, Cost::new(units))
        .0;
    node.ledger.give_back(&item, moment(&item, &taken, now));
}
