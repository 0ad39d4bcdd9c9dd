//! One node's side of one lease. Reads no clock and sends nothing.
//!
//! Tokens are given up before that is reported. What a report does not mention stays in the purse and is still the
//! node's: Redis holds it for the node until the lease ends, and this node lets it end earlier.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tollgate_core::{AlgorithmName, Limit, Micros, Timestamp};

use super::{
    call::{Asserted, Question},
    demand::Demand,
    line::{Line, Margin},
    purse::Purse,
    wallet::{IsHot, Wallet, split},
};
use crate::{exact::Former, key::Key};

/// A lease lives this many refreshes.
const LIFE: u64 = 4;
/// The fewest tokens that are worth a lease are what is spent during a call, but no more than this part of a limit: what
/// is left of a window then is counted exactly.
const LEAST_PART: u64 = 256;
/// A call takes no longer.
pub(super) const PAUSE_MAX: Micros = Micros::from_millis(250);
/// Of so much a second each thread spends from a purse of its own.
const HOT_PER_SEC: u64 = 50_000;
/// A lease on a bucket lives this long at most: a server that takes over knows nothing of it, and waits longer.
pub(super) const BUCKET_LIFE_MAX: Micros = Micros::from_secs(2);
/// A call takes this long unless it was seen to take longer.
pub(super) const LATENCY_MIN: Micros = Micros::from_millis(1);
/// A call waits at least this long for requests that ask Redis themselves.
const HOLD_OFF_MIN: Micros = Micros::from_millis(5);

/// What a node knows of a key that it leases.
#[derive(Debug)]
pub(crate) struct Holder {
    pub(crate) key: Key,
    pub(crate) limit: Limit,
    pub(super) former: Former,
    pub(super) refresh: Micros,
    /// What the purse would hold, and requests have set aside, if nothing had been spent since the last report.
    pub(super) base: u64,
    /// Of the tokens that may be set aside; another once they are void. No two leases of this process share one.
    pub(super) generation: u64,
    /// Calls that were made for it, each counted once however often it was sent.
    pub(super) calls: u64,
    /// The call that granted the lease; 0 if there is none.
    pub(super) lease: u64,
    pub(super) pending: Option<Pending>,
    /// Whether a call is under way.
    pub(crate) is_under_way: bool,
    pub(super) demand: Demand,
    pub(super) interval: Micros,
    pub(super) reported_at: Timestamp,
    pub(super) latency: Micros,
    pub(super) failures: u32,
    /// Before that, asking is of no use.
    pub(crate) not_before: Timestamp,
    /// Since when a call waits for requests that ask Redis about the key themselves.
    held_off_since: Option<Timestamp>,
    /// When it is to be asked about, unless something happens before.
    pub(crate) next_at: Timestamp,
    /// Whether more was wanted lately than there was.
    pub(crate) is_saturated: bool,
    /// When the keeper looks at it next, if it is to.
    pub(crate) timer: Option<Timestamp>,
    /// Refreshes in a row for which nobody asked for it.
    pub(super) idle: u32,
    /// Until then the rest of the window is counted exactly.
    pub(super) collapsed_until: Timestamp,
    stay: Stay,
}

/// What a node wants with a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stay {
    /// To spend from it.
    Open,
    /// To give back what there is, and no more.
    Leaving,
}

/// A call that was not answered yet: if its answer is lost, the same is asked again.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) question: Question,
    pub(super) first_sent: Timestamp,
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

fn next_generation() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Relaxed)
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
            generation: next_generation(),
            calls: 0,
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
            held_off_since: None,
            next_at: boot,
            is_saturated: false,
            timer: None,
            idle: 0,
            collapsed_until: Timestamp::from_micros(0),
            stay: Stay::Open,
        }
    }

    pub(super) fn life(&self) -> Micros {
        let refreshes = self.refresh.get().saturating_mul(LIFE);
        let life = Micros::new(refreshes.max(self.interval.get().saturating_mul(2)));
        match self.is_bucket() {
            true => life.min(BUCKET_LIFE_MAX),
            false => life,
        }
    }

    pub(super) fn is_bucket(&self) -> bool {
        self.limit.algorithm() == AlgorithmName::TokenBucket
    }

    /// Whether nobody asks for it any more. While plenty is left for all, it may be that somebody does now and then.
    fn is_idle(&self) -> bool {
        let is_plenty = self.interval.get() >= self.refresh.get().saturating_mul(2);
        self.idle > u32::from(is_plenty)
    }

    fn is_hot(&self) -> IsHot {
        match self.demand.mean(Micros::from_secs(1)) >= HOT_PER_SEC {
            true => IsHot::Yes,
            false => IsHot::No,
        }
    }

    fn most(&self) -> u64 {
        self.limit.law().capacity().min(Purse::MAX)
    }

    fn least(&self) -> u64 {
        let most = self.limit.law().capacity() / LEAST_PART;
        self.demand.mean(self.latency).min(most).max(1)
    }

    /// Whether no call is in doubt: Redis has granted or taken back nothing that this node does not know of.
    pub(super) const fn is_settled(&self) -> bool {
        !self.is_under_way && self.pending.is_none()
    }

    /// Whether the next call should wait, because requests ask Redis about the key themselves. It waits for two calls, and
    /// not so long that the lease ends.
    pub(super) fn is_held_off(&mut self, (line, margin): Spot<'_>, boot: Timestamp) -> bool {
        if margin.held_off.load(Relaxed) == 0 || self.is_leaving() {
            self.held_off_since = None;
            return false;
        }
        let since = *self.held_off_since.get_or_insert(boot);
        let two_calls = Micros::new(self.latency.get().saturating_mul(2)).max(HOLD_OFF_MIN);
        let latest = line.deadline().saturating_sub(two_calls);
        let is_alive = self.lease > 0 && boot < line.deadline();
        boot.since(since) < two_calls && (!is_alive || boot < latest)
    }

    /// How long a call may take.
    pub(crate) fn patience(&self) -> Micros {
        Micros::new(self.life().get() / 2).min(PAUSE_MAX)
    }

    /// The same as [`Holder::leave`]; says whether that is new.
    pub(crate) const fn leave_once(&mut self) -> bool {
        let was_leaving = self.is_leaving();
        self.leave();
        !was_leaving
    }

    /// Whether all is to be given back.
    pub(super) const fn is_leaving(&self) -> bool {
        matches!(self.stay, Stay::Leaving)
    }

    /// Gives back all that there is with the next call.
    pub(crate) const fn leave(&mut self) {
        self.stay = Stay::Leaving;
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
        (self.calls, self.held_off_since) = (self.calls.wrapping_add(1), None);
        let wallet = Wallet::of(line, margin);
        let tokens = wallet.report();
        margin.turn(line, None);
        let held = tokens.saturating_add(margin.reserved.load(Relaxed));
        let spent = self.base.saturating_sub(held);
        let unmet = margin.unmet.swap(0, Relaxed);
        let asked_for = spent.saturating_add(unmet);
        self.demand.note(asked_for, boot.since(self.reported_at));
        split(line, margin, self.is_hot());
        let reported_at = std::mem::replace(&mut self.reported_at, boot);
        self.is_saturated = line.denied_until.load(Relaxed) >= reported_at.as_micros();
        let has_ended = boot >= line.deadline() || self.lease == 0;
        self.idle = if asked_for == 0 { self.idle.saturating_add(1) } else { 0 };
        let is_idle = self.is_idle() || self.is_leaving() || boot < self.collapsed_until;
        let target = match (is_idle, self.idle) {
            (true, _) => 0,
            (false, 0) => self.demand.want(self.interval),
            // It keeps what it has for now.
            (false, _) => tokens,
        };
        let too_many = match has_ended || is_idle {
            true => tokens,
            false if tokens > target.saturating_mul(2) => tokens.saturating_sub(target),
            false => 0,
        };
        let returned = wallet.give_up(too_many);
        let kept = tokens.saturating_sub(returned);
        if has_ended {
            self.revoke(margin, moved);
        }
        // What is set aside is still held.
        self.base = kept.saturating_add(margin.reserved.load(Relaxed));
        moved.spent += spent;
        match self.lease {
            0 => moved.burnt += returned,
            _ => moved.returned += returned,
        }
        let want = target.saturating_sub(kept).min(self.most());
        let question = self.question(sequence, (spent, returned), want);
        self.pending = Some(Pending { question: question.clone(), first_sent: boot });
        question
    }

    fn question(&self, sequence: u64, (spent, returned): (u64, u64), want: u64) -> Question {
        Question {
            key: self.key.clone(),
            limit: self.limit.clone(),
            former: self.former,
            sequence,
            previous: self.lease,
            spent,
            returned,
            want,
            least: self.least(),
            most: self.most(),
            life: self.life(),
            asserted: Asserted::default(),
        }
    }

    /// The tokens are void: nobody holds them for this node any more.
    pub(crate) fn void(&mut self, (line, margin): Spot<'_>, moved: &mut Moved) {
        moved.burnt += Wallet::of(line, margin).empty();
        self.revoke(margin, moved);
        self.base = 0;
        self.lease = 0;
        self.pending = None;
    }

    /// What requests have set aside is void, too.
    pub(super) fn revoke(&mut self, margin: &Margin, moved: &mut Moved) {
        self.generation = next_generation();
        moved.burnt += margin.reserved.swap(0, Relaxed);
    }
}
