//! A holder that does what the design says, and no more.

use tollgate_core::Limit;

use super::{Call, Figures, Reply, Share};

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
/// let call = holder.call(0, 1, (10, 0));
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
    /// The call that the balance comes from; zero if there is none.
    previous: u64,
    balance: u64,
    spent: u64,
    deadline: u64,
    under_way: Option<(Call, u64)>,
    moved: Moved,
}

/// What became of all units that a holder was granted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Those it was granted.
    pub granted: u64,
    /// Those it has spent.
    pub spent: u64,
    /// Those it has given back.
    pub returned: u64,
    /// Those it has forgotten.
    pub burnt: u64,
}

impl ModelHolder {
    /// A holder that has nothing.
    pub fn new(node: &str, limit: &Limit, guard: Guard) -> Self {
        Self {
            node: node.to_owned(),
            limit: limit.clone(),
            guard,
            previous: 0,
            balance: 0,
            spent: 0,
            deadline: 0,
            under_way: None,
            moved: Moved::default(),
        }
    }

    /// Spends from what it holds, if that is enough and has not run out.
    pub const fn take(&mut self, now: u64, cost: u64) -> bool {
        let is_admitted = now < self.deadline && cost <= self.balance;
        if is_admitted {
            self.balance -= cost;
            self.spent += cost;
            self.moved.spent += cost;
        }
        is_admitted
    }

    /// The next call, which wants so much and gives so much back. One that is under way is sent again, with the same
    /// numbers, until a lease's life has passed: then what there was is burnt.
    pub fn call(&mut self, now: u64, sequence: u64, (want, returned): (u64, u64)) -> Call {
        let life = self.life();
        if let Some((call, sent)) = &self.under_way {
            if now < sent.saturating_add(life) {
                return call.clone();
            }
            self.burn();
        }
        // Given up before it is reported.
        let returned = returned.min(self.balance);
        self.balance -= returned;
        self.moved.returned += returned;
        let call = Call {
            node: self.node.clone(),
            sequence,
            previous: self.previous,
            spent: std::mem::take(&mut self.spent),
            returned,
            want,
            least: 1,
            most: self.limit.law().capacity(),
            life,
            ..Call::default()
        };
        self.under_way = Some((call.clone(), now));
        call
    }

    /// Hears an answer; one that is not awaited changes nothing.
    pub fn hear(&mut self, now: u64, sequence: u64, reply: &Reply) {
        let awaited = self.under_way.take_if(|(call, _)| call.sequence == sequence);
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
            self.moved.burnt += self.balance;
            self.balance = 0;
            self.spent = 0;
        }
        self.deadline = match self.guard {
            Guard::Right => sent + figures.life - figures.life.div_ceil(1_000),
            Guard::WithoutDrift => sent + figures.life,
            Guard::FromReceipt => now + figures.life,
        };
        self.balance += figures.granted;
        self.moved.granted += figures.granted;
        self.previous = call.sequence;
    }

    /// Forgets what it holds and what it waits for.
    pub fn burn(&mut self) {
        self.moved.burnt += self.balance;
        (self.balance, self.spent, self.previous) = (0, 0, 0);
        self.under_way = None;
    }

    /// What became of all that it was granted.
    pub const fn moved(&self) -> Moved {
        self.moved
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

    /// Four refreshes.
    fn life(&self) -> u64 {
        4 * self.limit.refresh().map_or(0, |refresh| refresh.get())
    }
}
