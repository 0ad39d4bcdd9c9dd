//! What a holder does with an answer, or without one.

use std::sync::atomic::Ordering::Relaxed;

use tollgate_core::{Micros, Now, Timestamp};

use super::{
    call::{Answer, Grant},
    demand::jittered,
    holder::{BUCKET_LIFE_MAX, Holder, LATENCY_MIN, Moved, Next, PAUSE_MAX, Spot},
    holdings::{DENIAL_MAX, DENIAL_MAX_HELD},
    line::Line,
    wallet::Wallet,
};

/// Clocks of different machines may differ by one in so many: a lease ends so much earlier here than in Redis.
const DRIFT_ONE_IN: u64 = 1_000;
/// What failed is asked for again after this, and again and again less often.
const PAUSE_MIN: Micros = Micros::from_millis(5);
/// After so many failures a key is not worth a lease.
const FAILURES_MAX: u32 = 10;
/// After that it is looked whether anybody still asks for a key of which nothing is left.
const LOOK_AFTER: Micros = Micros::from_secs(5);
/// Timers ring a little late.
const SLACK: Micros = Micros::from_millis(5);
/// More is asked for while there is enough for so many calls.
const CALLS_AHEAD: u64 = 2;

impl Holder {
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
        let (Answer::Granted(grant) | Answer::Collapse(grant)) = answer else {
            // An exact decision comes first; if the key is asked for after that, it is leased again.
            self.void(spot, moved);
            return Next::Forget;
        };
        self.lease = question.sequence;
        #[cfg(mutant = "lease-deadline-from-receipt")]
        let sent = boot;
        self.install(spot, (grant, now), sent, moved);
        self.plan(line, grant, boot);
        if matches!(answer, Answer::Collapse(_)) {
            moved.collapses += 1;
            // Somebody may give back much, or make the counter fresh: it is looked again now and then.
            self.collapsed_until = boot.saturating_add(grant.reset.min(LOOK_AFTER));
        }
        if boot < self.collapsed_until && !self.is_leaving() {
            return self.hand_over(spot, boot);
        }
        let reserved = margin.reserved.load(Relaxed);
        if question.want == 0 && Wallet::of(line, margin).tokens() == 0 && reserved == 0 {
            return Next::Forget;
        }
        if self.is_leaving() {
            return self.after_reservations(reserved, boot);
        }
        self.next(spot, grant, (sent, boot))
    }

    /// How long to wait for the next refresh, and with how many tokens left not to wait.
    fn plan(&mut self, line: &Line, grant: Grant, boot: Timestamp) {
        let interval = self.demand.interval(self.refresh, grant.left, grant.holders);
        self.interval = match self.is_bucket() {
            true => interval.min(Micros::new(BUCKET_LIFE_MAX.get() / 2)),
            false => interval,
        };
        let calls = Micros::new(self.latency.get().saturating_mul(CALLS_AHEAD));
        let low = self.demand.mean(calls).saturating_add(1);
        line.show(grant.left, boot.saturating_add(grant.reset), low);
    }

    fn next(
        &mut self,
        (line, margin): Spot<'_>,
        grant: Grant,
        (sent, boot): (Timestamp, Timestamp),
    ) -> Next {
        let due = jittered(sent, self.interval, sent.as_micros());
        self.not_before = sent;
        if !self.is_bucket() {
            // A lease ends with its window: the next window begins with a new one.
            return Next::At(due.min(boot.saturating_add(grant.reset)));
        }
        if grant.left > 0 {
            return Next::At(due);
        }
        // More comes with time, in slices of a refresh; or from others, who give back what they do not spend.
        let full = due.max(boot.saturating_add(grant.wait));
        let most = boot.saturating_add(match grant.outstanding {
            0 => DENIAL_MAX,
            _ => DENIAL_MAX_HELD,
        });
        let until = full.min(most);
        let retry_at = if grant.outstanding > 0 { until } else { full };
        // Whoever comes back then shall find what this node has got meanwhile.
        let retry_at = retry_at
            .saturating_add(Micros::new(self.latency.get().saturating_mul(CALLS_AHEAD)).max(SLACK));
        margin.deny(line, 1, until, retry_at);
        self.not_before = until;
        Next::At(until)
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
        #[cfg(mutant = "lease-guard-dropped")]
        let margin = margin.min(0);
        let life = Micros::new(grant.life.get().saturating_sub(margin.saturating_add(1)));
        if grant.kept == 0 {
            // Nobody holds these for this node any more: they go before the new deadline comes.
            moved.burnt += Wallet::of(line, watching).empty();
            self.revoke(watching, moved);
            self.base = 0;
        }
        watching.turn(line, Some(now));
        line.set_deadline(sent.saturating_add(life));
        let added = line.purse.add(grant.granted);
        self.base = self.base.saturating_add(added);
        moved.granted += grant.granted;
    }

    /// The rest of the window is counted exactly, and what is held belongs to that rest.
    fn hand_over(&mut self, (line, margin): Spot<'_>, boot: Timestamp) -> Next {
        line.low.store(0, Relaxed);
        let reserved = margin.reserved.load(Relaxed);
        if Wallet::of(line, margin).tokens() > 0 || reserved > 0 {
            return self.after_reservations(reserved, boot);
        }
        line.set_deadline(Timestamp::from_micros(0));
        self.not_before = self.collapsed_until;
        Next::At(self.not_before)
    }

    /// Gives back the rest at once, or once the requests have come to their end for which tokens are set aside.
    fn after_reservations(&mut self, reserved: u64, boot: Timestamp) -> Next {
        let pause = if reserved > 0 { PAUSE_MIN } else { Micros::new(0) };
        self.not_before = boot.saturating_add(pause);
        Next::At(self.not_before)
    }

    /// What to do with a key whose lease cannot be asked for yet: a window may be long, and who asked for the key may be
    /// gone.
    pub(crate) fn put_off(&self, (line, margin): Spot<'_>, boot: Timestamp) -> Next {
        if boot < self.collapsed_until {
            let is_asked_for = margin.unmet.swap(0, Relaxed) > 0;
            let is_reserved = margin.reserved.load(Relaxed) > 0;
            if !is_asked_for && !is_reserved && Wallet::of(line, margin).tokens() == 0 {
                return Next::Forget;
            }
        }
        Next::At(self.not_before.min(boot.saturating_add(LOOK_AFTER)))
    }

    /// The call failed, or nobody knows. After a while there is nothing left to lose, and whoever asks again makes it
    /// worth a lease again.
    pub(crate) fn failed(&mut self, spot: Spot<'_>, boot: Timestamp, moved: &mut Moved) -> Next {
        self.is_under_way = false;
        let pause = PAUSE_MIN.get() << self.failures.min(6);
        self.failures = self.failures.saturating_add(1);
        let first_sent = self.pending.as_ref().map(|pending| pending.first_sent);
        let is_over = first_sent.is_some_and(|first| boot.since(first) >= self.life());
        let is_lost = self.failures > FAILURES_MAX && boot >= spot.0.deadline();
        if is_over || is_lost {
            self.void(spot, moved);
            return Next::Forget;
        }
        self.not_before = boot.saturating_add(Micros::new(pause).min(PAUSE_MAX));
        Next::At(self.not_before)
    }
}
