//! One node's side of one lease. Reads no clock and sends nothing.
//!
//! Tokens are given up before that is reported. What a report does not mention stays in the purse and is still the
//! node's: Redis holds it for the node until the lease ends, and this node lets it end earlier.

use std::sync::atomic::Ordering::Relaxed;

use tollgate_core::{AlgorithmName, Limit, Micros, Now, Timestamp};

use super::{
    call::{Answer, Asserted, Grant, Question},
    demand::{Demand, jittered},
    line::{Line, Margin},
};
use crate::{exact::Former, key::Key};

/// A lease lives this many refreshes.
const LIFE: u64 = 4;
/// Clocks of different machines may differ by one in so many: a lease ends so much earlier here than in Redis.
const DRIFT_ONE_IN: u64 = 1_000;
/// The fewest tokens that are worth a lease are what is spent during a call, but no more than this part of a limit: what
/// is left of a window then is counted exactly.
const LEAST_PART: u64 = 256;
/// What is left is asked for again after this, and again and again less often.
const PAUSE_MIN: Micros = Micros::from_millis(5);
const PAUSE_MAX: Micros = Micros::from_millis(250);
/// After so many failures a key is not worth a lease.
const FAILURES_MAX: u32 = 10;
/// A lease on a bucket lives this long at most: a server that takes over knows nothing of it, and waits longer.
const BUCKET_LIFE_MAX: Micros = Micros::from_secs(2);
/// More is asked for while there is enough for so many calls.
const CALLS_AHEAD: u64 = 2;
/// A call takes this long unless it was seen to take longer.
const LATENCY_MIN: Micros = Micros::from_millis(1);

/// What a node knows of a key that it leases.
#[derive(Debug)]
pub(crate) struct Holder {
    pub(crate) key: Key,
    pub(crate) limit: Limit,
    former: Former,
    refresh: Micros,
    /// What the purse would hold if nothing had been spent since the last report.
    base: u64,
    /// The call that granted the lease; 0 if there is none.
    lease: u64,
    pending: Option<Pending>,
    /// Whether a call is under way.
    pub(crate) is_under_way: bool,
    demand: Demand,
    interval: Micros,
    reported_at: Timestamp,
    latency: Micros,
    failures: u32,
    /// Before that, asking is of no use.
    pub(crate) not_before: Timestamp,
    /// When it is to be asked about, unless something happens before.
    pub(crate) next_at: Timestamp,
    /// Until then the rest of the window is counted exactly.
    collapsed_until: Timestamp,
    /// Whether to give back what there is, and no more.
    is_leaving: bool,
}

/// A call that was not answered yet: if its answer is lost, the same is asked again.
#[derive(Debug)]
struct Pending {
    question: Question,
    first_sent: Timestamp,
}

/// What became of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moved {
    pub(crate) spent: u64,
    pub(crate) returned: u64,
    pub(crate) burnt: u64,
    pub(crate) granted: u64,
    pub(crate) collapses: u64,
}

/// What is to be done with a key next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Ask again then, if not before.
    At(Timestamp),
    /// Nobody asks for it any more.
    Forget,
}

/// A key's place in the table.
pub(crate) type Spot<'a> = (&'a Line, &'a Margin);

impl Holder {
    pub(crate) fn new(
        key: Key,
        limit: Limit,
        former: Former,
        (refresh, boot): (Micros, Timestamp),
    ) -> Self {
        Self {
            key,
            limit,
            former,
            refresh,
            base: 0,
            lease: 0,
            pending: None,
            is_under_way: false,
            demand: Demand::default(),
            interval: refresh,
            // As if the first refresh were due.
            reported_at: boot.saturating_sub(refresh),
            latency: LATENCY_MIN,
            failures: 0,
            not_before: boot,
            next_at: boot,
            collapsed_until: Timestamp::from_micros(0),
            is_leaving: false,
        }
    }

    fn life(&self) -> Micros {
        let refreshes = self.refresh.get().saturating_mul(LIFE);
        let life = Micros::new(refreshes.max(self.interval.get().saturating_mul(2)));
        match self.is_bucket() {
            true => life.min(BUCKET_LIFE_MAX),
            false => life,
        }
    }

    fn is_bucket(&self) -> bool {
        self.limit.algorithm() == AlgorithmName::TokenBucket
    }

    fn least(&self) -> u64 {
        let most = self.limit.law().capacity() / LEAST_PART;
        self.demand.mean(self.latency).min(most).max(1)
    }

    /// How long a call may take.
    pub(crate) fn patience(&self) -> Micros {
        Micros::new(self.life().get() / 2).min(PAUSE_MAX)
    }

    /// Gives back all that there is with the next call.
    pub(crate) const fn leave(&mut self) {
        self.is_leaving = true;
        self.not_before = Timestamp::from_micros(0);
    }

    /// What to ask now.
    pub(crate) fn ask(
        &mut self,
        (line, margin): Spot<'_>,
        sequence: u64,
        boot: Timestamp,
        moved: &mut Moved,
    ) -> Question {
        let life = self.life();
        if let Some(pending) = &self.pending {
            if boot.since(pending.first_sent) < life {
                return pending.question.clone();
            }
            // Whatever it was granted has run out, and so has what there was before.
            self.pending = None;
            self.lease = 0;
        }
        let tokens = line.purse.report();
        margin.turn(line, None);
        let spent = self.base.saturating_sub(tokens);
        let unmet = margin.unmet.swap(0, Relaxed);
        let asked_for = spent.saturating_add(unmet);
        self.demand.note(asked_for, boot.since(self.reported_at));
        self.reported_at = boot;
        let has_ended = boot >= line.deadline() || self.lease == 0;
        let is_idle = asked_for == 0 || self.is_leaving || boot < self.collapsed_until;
        let target = match is_idle {
            true => 0,
            false => self.demand.want(self.interval),
        };
        let too_many = match has_ended || is_idle {
            true => tokens,
            false if tokens > target.saturating_mul(2) => tokens.saturating_sub(target),
            false => 0,
        };
        let returned = line.purse.give_up(too_many);
        let kept = tokens.saturating_sub(returned);
        self.base = kept;
        moved.spent += spent;
        match self.lease {
            0 => moved.burnt += returned,
            _ => moved.returned += returned,
        }
        let want = target.saturating_sub(kept).min(self.limit.law().capacity());
        let question = Question {
            key: self.key.clone(),
            limit: self.limit.clone(),
            former: self.former,
            sequence,
            previous: self.lease,
            spent,
            returned,
            want,
            least: self.least(),
            most: self.limit.law().capacity(),
            life,
            asserted: Asserted::default(),
        };
        self.pending = Some(Pending {
            question: question.clone(),
            first_sent: boot,
        });
        question
    }

    /// An answer to the call that was sent at a moment.
    pub(crate) fn answered(
        &mut self,
        spot: Spot<'_>,
        (answer, now): (Answer, Now),
        (sent, boot): (Timestamp, Timestamp),
        moved: &mut Moved,
    ) -> Next {
        self.is_under_way = false;
        self.failures = 0;
        let Some(pending) = self.pending.take() else {
            return Next::At(boot);
        };
        let (line, margin) = spot;
        let question = pending.question;
        self.latency = boot.since(sent).max(LATENCY_MIN);
        let grant = match answer {
            Answer::Granted(grant) | Answer::Collapse(grant) => grant,
            Answer::Odd | Answer::Unknown | Answer::Foreign | Answer::Stale => {
                moved.burnt += line.purse.empty();
                self.base = 0;
                self.lease = 0;
                // An exact decision comes first.
                self.not_before = jittered(boot, self.refresh, sent.as_micros());
                return match question.want {
                    0 => Next::Forget,
                    _ => Next::At(self.not_before),
                };
            }
        };
        self.lease = question.sequence;
        self.install(spot, (grant, now), sent, moved);
        let is_collapse = matches!(answer, Answer::Collapse(_));
        let interval = self
            .demand
            .interval(self.refresh, grant.left, grant.holders);
        self.interval = match self.is_bucket() {
            true => interval.min(Micros::new(BUCKET_LIFE_MAX.get() / 2)),
            false => interval,
        };
        let ahead = self
            .demand
            .mean(Micros::new(self.latency.get().saturating_mul(CALLS_AHEAD)));
        let reset_at = boot.saturating_add(grant.reset);
        line.show(grant.left, reset_at, ahead.saturating_add(1));
        if is_collapse {
            moved.collapses += 1;
            self.collapsed_until = reset_at;
        }
        if boot < self.collapsed_until && !self.is_leaving {
            return self.hand_over(line, boot);
        }
        if question.want == 0 && line.purse.tokens() == 0 {
            return Next::Forget;
        }
        if self.is_leaving {
            return Next::At(boot);
        }
        let due = jittered(sent, self.interval, sent.as_micros());
        self.not_before = sent;
        let is_bucket = self.is_bucket();
        if is_bucket && grant.left == 0 {
            // More comes with time, in slices of a refresh.
            let until = due.max(boot.saturating_add(grant.wait));
            margin.deny(line, 1, until, until);
            self.not_before = until;
            return Next::At(until);
        }
        // A lease ends with its window: the next window begins with a new one.
        Next::At(if is_bucket { due } else { due.min(reset_at) })
    }

    /// Takes over what was granted to a call that was sent at a moment.
    fn install(
        &mut self,
        (line, watching): Spot<'_>,
        (grant, now): (Grant, Now),
        sent: Timestamp,
        moved: &mut Moved,
    ) {
        let margin = grant.life.get() / DRIFT_ONE_IN;
        let life = Micros::new(grant.life.get().saturating_sub(margin.saturating_add(1)));
        if grant.kept == 0 {
            // Nobody holds these for this node any more: they go before the new deadline comes.
            moved.burnt += line.purse.empty();
            self.base = 0;
        }
        watching.turn(line, Some(now));
        line.set_deadline(sent.saturating_add(life));
        let added = line.purse.add(grant.granted);
        self.base = self.base.saturating_add(added);
        moved.granted += grant.granted;
    }

    /// The rest of the window is counted exactly, and what is held belongs to that rest.
    fn hand_over(&mut self, line: &Line, boot: Timestamp) -> Next {
        line.low.store(0, Relaxed);
        self.not_before = match line.purse.tokens() {
            0 => self.collapsed_until,
            _ => boot,
        };
        Next::At(self.not_before)
    }

    /// The call failed, or nobody knows. After a while there is nothing left to lose, and whoever asks again makes it
    /// worth a lease again.
    pub(crate) fn failed(
        &mut self,
        (line, _): Spot<'_>,
        boot: Timestamp,
        moved: &mut Moved,
    ) -> Next {
        self.is_under_way = false;
        let pause = PAUSE_MIN.get() << self.failures.min(6);
        self.failures = self.failures.saturating_add(1);
        let first_sent = self.pending.as_ref().map(|pending| pending.first_sent);
        let is_over = first_sent.is_some_and(|first| boot.since(first) >= self.life());
        let is_lost = self.failures > FAILURES_MAX && boot >= line.deadline();
        if is_over || is_lost {
            self.void(line, moved);
            return Next::Forget;
        }
        self.not_before = boot.saturating_add(Micros::new(pause).min(PAUSE_MAX));
        Next::At(self.not_before)
    }

    /// The tokens are void: nobody holds them for this node any more.
    pub(crate) fn void(&mut self, line: &Line, moved: &mut Moved) {
        moved.burnt += line.purse.empty();
        self.base = 0;
        self.lease = 0;
        self.pending = None;
    }
}
