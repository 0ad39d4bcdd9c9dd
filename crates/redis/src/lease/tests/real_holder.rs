//! Our holder in a schedule.

use std::sync::atomic::Ordering::Relaxed;

use tollgate_core::{Clock, Limit, Micros, Now, Timestamp};
use tollgate_sim::pool::{Call, Guard, Reply, Share, Word};

use super::{lua_pool, node::Holds};
use crate::{
    exact::Former,
    key::Key,
    lease::{
        Answer,
        call::Grant,
        holder::{Holder, Moved, Next},
        line::{Line, Margin, Take, tag},
    },
};

/// Whose line it is.
const PRINT: u64 = 7;

/// A clock that stands.
struct Still(Timestamp);

impl Clock for Still {
    fn now(&self) -> Now {
        Now::at(self.0)
    }
}

pub(super) struct RealHolder {
    name: String,
    key: Key,
    limit: Limit,
    guard: Guard,
    line: Line,
    margin: Margin,
    holder: Holder,
    moved: Moved,
    spent: u64,
}

pub(super) fn real_holder(name: &str, limit: &Limit, now: u64, guard: Guard) -> RealHolder {
    let (key, line) = (lua_pool::key(limit), Line::default());
    line.print.store(PRINT, Relaxed);
    line.tag.store(tag(limit), Relaxed);
    RealHolder {
        name: name.to_owned(),
        holder: holder(&key, limit, now),
        key,
        limit: limit.clone(),
        guard,
        line,
        margin: Margin::default(),
        moved: Moved::default(),
        spent: 0,
    }
}

fn holder(key: &Key, limit: &Limit, now: u64) -> Holder {
    let times = (limit.refresh().unwrap(), Timestamp::from_micros(now));
    Holder::new(key.clone(), limit.clone(), Former::None, times)
}

impl RealHolder {
    /// Whether it is time to ask.
    pub(super) fn is_due(&self, now: u64) -> bool {
        self.may_ask(now) && now >= self.holder.next_at.as_micros()
    }

    /// Whether asking may be of use.
    pub(super) fn may_ask(&self, now: u64) -> bool {
        now >= self.holder.not_before.as_micros()
    }

    /// Remembers that so much is not to be had.
    pub(super) fn deny(&self, cost: u64, until: u64) {
        let until = Timestamp::from_micros(until);
        self.margin.deny(&self.line, cost, until, until);
    }

    /// Whether little is left.
    pub(super) fn is_low(&self) -> bool {
        self.line.purse.tokens() < self.line.low.load(Relaxed)
    }

    /// Whether this much is known not to be had.
    pub(super) fn is_denied(&self, now: u64, cost: u64) -> bool {
        let now = Timestamp::from_micros(now);
        self.margin.denied(&self.line, cost, now).is_some()
    }

    /// Somebody asked in vain.
    pub(super) fn in_vain(&self, cost: u64) {
        self.margin.unmet.fetch_add(cost, Relaxed);
    }

    /// A life that comes out, after the margin for drift, as that which was told.
    fn life(&self, life: u64) -> u64 {
        match self.guard {
            Guard::WithoutDrift => life + life / 999 + 2,
            Guard::Right | Guard::FromReceipt => life,
        }
    }

    fn answer(&self, reply: &Reply) -> Answer {
        let Reply::Heard(figures) = reply else {
            return match reply {
                Reply::Odd => Answer::Odd,
                Reply::Unknown => Answer::Unknown,
                Reply::Foreign => Answer::Foreign,
                _ => Answer::Stale,
            };
        };
        let grant = Grant {
            kept: (figures.share == Share::Kept).into(),
            granted: figures.granted,
            life: Micros::new(self.life(figures.life)),
            left: figures.left,
            wait: Micros::new(figures.wait),
            reset: Micros::new(figures.reset),
            outstanding: figures.outstanding,
            holders: figures.holders,
            total: figures.total,
            lost: 0,
        };
        match figures.word {
            Word::Granted => Answer::Granted(grant),
            Word::Collapsed => Answer::Collapse(grant),
        }
    }

    fn follow(&mut self, next: Next, now: u64) {
        match next {
            Next::At(at) => self.holder.next_at = at,
            Next::Forget => {
                self.moved.burnt += self.line.purse.empty();
                self.holder = holder(&self.key, &self.limit, now);
            }
        }
    }
}

impl Holds for RealHolder {
    fn take(&mut self, now: u64, cost: u64) -> bool {
        let clock = Still(Timestamp::from_micros(now));
        let taken = self.line.take((PRINT, tag(&self.limit)), cost, &clock);
        let is_got = matches!(taken, Take::Got(..));
        self.spent += if is_got { cost } else { 0 };
        is_got
    }

    fn ask(&mut self, now: u64, sequence: u64, (want, _): (u64, u64)) -> Call {
        self.margin.unmet.fetch_add(want, Relaxed);
        let (spot, now) = ((&self.line, &self.margin), Timestamp::from_micros(now));
        let question = self.holder.ask(spot, sequence, now, &mut self.moved);
        Call {
            node: self.name.clone(),
            sequence: question.sequence,
            previous: question.previous,
            spent: question.spent,
            returned: question.returned,
            want: question.want,
            least: question.least,
            most: question.most,
            life: question.life.get(),
            ..Call::default()
        }
    }

    fn hear(&mut self, _call: &Call, reply: &Reply, sent: u64, now: u64) {
        let sent = match self.guard {
            Guard::FromReceipt => now,
            Guard::Right | Guard::WithoutDrift => sent,
        };
        let answer = self.answer(reply);
        let (spot, times) = ((&self.line, &self.margin), [sent, now].map(Timestamp::from_micros));
        let next = self.holder.answered(
            spot,
            (answer, Now::at(Timestamp::from_micros(now))),
            times.into(),
            &mut self.moved,
        );
        self.follow(next, now);
    }

    fn fail(&mut self, now: u64) {
        let spot = (&self.line, &self.margin);
        let boot = Timestamp::from_micros(now);
        let next = self.holder.failed(spot, boot, &mut self.moved);
        self.follow(next, now);
    }

    fn burn(&mut self) {
        self.holder.void((&self.line, &self.margin), &mut self.moved);
    }

    fn deadline(&self) -> u64 {
        self.line.deadline().as_micros()
    }

    fn is_conserved(&self) -> bool {
        let moved = &self.moved;
        moved.granted == self.spent + moved.returned + moved.burnt + self.line.purse.tokens()
    }
}
