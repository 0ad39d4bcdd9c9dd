//! A holder that does what the design says, and no more.

use tollgate_core::{Law, Limit};

use super::{Call, Figures, Reply, Share, Word};
use crate::model::calendar::Calendar;

/// From when and for how long a holder believes in a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// From the moment of sending, and a thousandth less: clocks may differ by that much.
    Right,
    /// From the moment of sending, for as long as was said.
    WithoutDrift,
    /// From the moment of receiving.
    FromReceipt,
}

/// What a node holds of one key. All times are its own clock's.
///
/// ```
/// use tollgate_sim::pool::{Guard, ModelHolder, Pool, PoolModel};
///
/// let limit = "100/min".parse::<tollgate_core::Limit>()?.with_algorithm(tollgate_core::AlgorithmName::FixedWindow)?;
/// let mut holder = ModelHolder::new("a", &limit, Guard::Right);
/// let mut pool = PoolModel::default();
/// assert!(!holder.take(0, 1));
/// let (call, _) = holder.call(0, 10, 0);
/// let reply = pool.lease(0, &limit, &call);
/// holder.hear(5, call.sequence, &reply);
/// assert!(holder.take(5, 10) && !holder.take(5, 1));
/// # Ok::<(), tollgate_core::LimitError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ModelHolder {
    node: String,
    limit: Limit,
    guard: Guard,
    /// Of the last call, or of the one that is under way.
    sequence: u64,
    /// The call that the balance comes from; zero if there is none.
    previous: u64,
    balance: u64,
    spent: u64,
    deadline: u64,
    under_way: Option<(Call, u64)>,
    since: u64,
    /// What the pool says this node has debited, and whether it is to be asserted.
    heard: Heard,
    /// Units that were given up, never to be spent.
    burnt: u64,
}

/// What was debited as last heard, and in which window.
#[derive(Clone, Debug, Default)]
struct Heard {
    total: u64,
    at: u64,
    present: u64,
    before: u64,
    is_asserting: bool,
}

impl ModelHolder {
    /// A holder that has nothing.
    pub fn new(node: &str, limit: &Limit, guard: Guard) -> Self {
        Self {
            node: node.to_owned(),
            limit: limit.clone(),
            guard,
            sequence: 0,
            previous: 0,
            balance: 0,
            spent: 0,
            deadline: 0,
            under_way: None,
            since: 0,
            heard: Heard::default(),
            burnt: 0,
        }
    }

    /// Spends from what it holds, if that is enough and has not run out.
    pub const fn take(&mut self, now: u64, cost: u64) -> bool {
        let is_admitted = now < self.deadline && cost <= self.balance;
        if is_admitted {
            self.balance -= cost;
            self.spent += cost;
        }
        is_admitted
    }

    /// The next call, and when it was first sent. One that is under way is sent again, with the same numbers, until a
    /// lease's life has passed: then what there was is burnt.
    pub fn call(&mut self, now: u64, want: u64, returned: u64) -> (Call, u64) {
        let life = self.life();
        if let Some((call, sent)) = &self.under_way {
            if now < sent.saturating_add(life) {
                return (call.clone(), *sent);
            }
            self.burn();
        }
        // Given up before it is reported.
        let returned = returned.min(self.balance);
        self.balance -= returned;
        self.sequence += 1;
        let is_asserting = self.heard.is_asserting;
        let call = Call {
            node: self.node.clone(),
            since: self.since,
            sequence: self.sequence,
            previous: self.previous,
            spent: std::mem::take(&mut self.spent),
            returned,
            want,
            least: 1,
            most: self.limit.law().capacity(),
            life,
            known: if is_asserting { self.heard.total } else { 0 },
            present: self.heard.present,
            before: self.heard.before,
            at: self.heard.at,
        };
        self.under_way = Some((call.clone(), now));
        (call, now)
    }

    /// Hears an answer; one that is not awaited changes nothing. `pool_now` is when the pool gave it, by its clock.
    pub fn hear(&mut self, now: u64, sequence: u64, reply: &Reply) {
        let awaited = self
            .under_way
            .take_if(|(call, _)| call.sequence == sequence);
        let Some((call, sent)) = awaited else {
            return;
        };
        match reply {
            Reply::Heard(figures) => self.settle(now, &call, sent, figures),
            Reply::Odd | Reply::Unknown | Reply::Foreign | Reply::Stale => self.burn(),
        }
    }

    fn settle(&mut self, now: u64, call: &Call, sent: u64, figures: &Figures) {
        if figures.share == Share::Lost {
            self.burnt += self.balance;
            self.balance = 0;
            self.spent = 0;
        }
        self.deadline = match self.guard {
            Guard::Right => sent + figures.life - figures.life.div_ceil(1_000),
            Guard::WithoutDrift => sent + figures.life,
            Guard::FromReceipt => now + figures.life,
        };
        self.balance += figures.granted;
        self.previous = call.sequence;
        self.heard.is_asserting = false;
    }

    /// Notes what the pool says this node has debited, at a moment of the pool's clock.
    pub fn note_total(&mut self, pool_now: u64, total: u64) {
        let heard = &mut self.heard;
        let more = total.saturating_sub(heard.total);
        heard.total = total;
        if matches!(self.limit.law(), Law::TokenBucket(_)) {
            heard.present = u64::MAX >> 12;
            return;
        }
        let calendar = Calendar::new(self.limit.period());
        let gone = calendar.window_at(pool_now.into()) - calendar.window_at(heard.at.into());
        heard.before = if gone == 1 {
            heard.present
        } else {
            heard.before
        };
        if gone > 0 {
            heard.present = 0;
        }
        if gone > 1 {
            heard.before = 0;
        }
        heard.present += more;
        heard.at = heard.at.max(pool_now);
    }

    /// Another server answers from now on: what is held is burnt, and what was debited is to be asserted.
    pub fn distrust(&mut self, since: u64) {
        self.burn();
        self.since = since;
        self.heard.is_asserting = self.heard.total > 0;
    }

    /// Forgets what it holds and what it waits for.
    pub fn burn(&mut self) {
        self.burnt += self.balance;
        (self.balance, self.spent, self.previous) = (0, 0, 0);
        self.under_way = None;
    }

    /// Whether it still has to tell the pool what it has debited.
    pub const fn is_asserting(&self) -> bool {
        self.heard.is_asserting
    }

    /// What it could spend, if it has not run out.
    pub const fn balance(&self) -> u64 {
        self.balance
    }

    /// When what it holds runs out.
    pub const fn deadline(&self) -> u64 {
        self.deadline
    }

    /// Whether it waits for an answer.
    pub const fn is_waiting(&self) -> bool {
        self.under_way.is_some()
    }

    /// Whether an answer says that leases are of no use now.
    pub fn is_collapsed(reply: &Reply) -> bool {
        matches!(reply, Reply::Heard(figures) if figures.word == Word::Collapsed)
    }

    /// The number of the last exact call or lease call: one row for both.
    pub const fn next_sequence(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }

    /// Four refreshes.
    fn life(&self) -> u64 {
        4 * self.limit.refresh().map_or(0, |refresh| refresh.get())
    }
}
