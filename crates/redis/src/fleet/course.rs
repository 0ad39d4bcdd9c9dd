//! How a request is decided.

use std::{
    hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher},
    num::NonZeroU32,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use smallvec::SmallVec;
use tokio::time::Instant;
use tollgate_core::{
    Action, Charge, Clock, Cost, Decision, FallbackCause, ImmediateStore, Micros, Now, Timestamp,
    Verdict,
};

use super::{
    group::{Group, Sorted, sort},
    leased::unpaid,
    policy::{self, Manner, Policies},
    underway::{Course, Underway},
};
use crate::{
    client::Client,
    exact::{Deed, Granted, Lanes, Part, Refused, moment},
    extent::doubt_ends,
    heard::Heard,
    key::Names,
    lease::Holdings,
    verify::Verifier,
};

/// Timers count whole milliseconds and ring one to two of them late: so much earlier a decision gives up.
pub(super) const TICK: Duration = Duration::from_millis(1);

/// Who decides on what is not decided on this node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    Redis,
    /// Redis cannot give an answer that stands: the rules' policies do.
    Policy,
}

/// What became of a request.
pub(super) struct Attempt {
    pub(super) verdict: Verdict,
    /// Whether the verdict does not stand.
    pub(super) is_in_doubt: bool,
}

/// Everything that decides.
pub(crate) struct Fleet<L> {
    pub(crate) lanes: Arc<Lanes>,
    pub(crate) client: Arc<Client>,
    pub(crate) local: L,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) names: Names,
    pub(crate) deadline: Duration,
    pub(crate) policies: Policies,
    pub(crate) holdings: Arc<Holdings>,
    /// What Redis has denied lately.
    pub(crate) heard: Arc<Heard>,
    pub(crate) verifier: Arc<Verifier>,
    /// When it was last said that a key is somebody else's.
    pub(crate) foreign_told_micros: AtomicU64,
}

impl<L: ImmediateStore + 'static> Fleet<L> {
    /// Takes all charges, or none, before the end; or says what that would come to. If leases of this node may be in the
    /// way, nothing is taken and the verdict does not stand.
    pub(super) async fn decide_by(
        &self,
        end: Instant,
        charges: &[Charge<'_>],
        manner: Manner,
        reach: Reach,
    ) -> Attempt {
        let (leased, (parts, charges)) = match reach {
            Reach::Redis => {
                let leased = self.lease(charges, manner);
                let paid = self.pay_in_part(charges, &leased, manner);
                (leased, paid)
            }
            Reach::Policy => (SmallVec::new(), unpaid(charges)),
        };
        let is_open = |place| !leased.iter().any(|(leased, _)| *leased == place);
        let charges = charges.as_slice();
        let Sorted { here, groups } = sort(charges, is_open, &self.lanes, &self.names);
        let (up, down): (SmallVec<[Group; 1]>, SmallVec<[Group; 1]>) =
            groups.into_iter().partition(|group| reach == Reach::Redis && self.is_up(group));
        let course = Course {
            charges,
            decisions: SmallVec::from_elem(None, charges.len()),
            untaken: SmallVec::new(),
            covered: SmallVec::new(),
            parts,
            in_doubt: SmallVec::new(),
            by_policy: SmallVec::new(),
            lost: SmallVec::new(),
            taken_here: SmallVec::new(),
            taken_by_policy: SmallVec::new(),
            manner,
            nodes: NonZeroU32::new(self.client.live_nodes()).unwrap_or(NonZeroU32::MIN),
            end,
            now: None,
        };
        let mut underway = Underway::new(self, course, &here);
        self.take_leased(&mut underway.course, leased);
        self.decide_here(&mut underway.course, &here);
        self.apply_policies(&mut underway.course, &down);
        for group in &up {
            if let Some(at) = self.ask(&mut underway.course, group).await {
                underway.taken.push((group, at));
            }
        }
        let is_in_doubt = self.is_in_doubt(&underway.course);
        if underway.course.is_denied() || is_in_doubt {
            underway.undo();
            let taken = underway.taken.iter().flat_map(|(group, _)| &group.items);
            self.lanes.settle(taken.cloned());
            underway.course.show_untaken();
        } else if manner == Manner::Charge {
            self.owe(&underway.course, down.iter().chain(&up));
            self.verify(&underway);
            let reservations = underway.course.reservations();
            reservations.for_each(|one| self.holdings.spend(one));
        }
        underway.is_over = true;
        Attempt { verdict: self.verdict(&underway.course), is_in_doubt }
    }

    /// Policies answer for what Redis is not asked about.
    fn apply_policies(&self, course: &mut Course<'_>, down: &[Group]) {
        for group in down {
            self.apply_policy(course, group);
            if self.client.is_being_told(group.slot) {
                course.lost.extend_from_slice(&group.places);
            }
        }
    }

    /// Whether leases of this node may have caused the denial, or have ended while Redis decided on what they do not cover.
    fn is_in_doubt(&self, course: &Course<'_>) -> bool {
        if course.is_denied() {
            return !course.is_denied_for_good();
        }
        let mut reservations = course.reservations();
        !reservations.all(|reservation| self.holdings.is_good(reservation))
    }

    /// Tells what was admitted to whoever verifies it; what policies have admitted is not under the limit.
    fn verify(&self, underway: &Underway<'_, L>) {
        for (group, at) in &underway.taken {
            for item in &group.items {
                let units = item.cost.get();
                self.verifier.admitted(&item.key, &item.limit, units, *at);
            }
        }
    }

    fn is_up(&self, group: &Group) -> bool {
        let key = group.items.first().map(|item| item.key.as_bytes());
        let hash = BuildHasherDefault::<DefaultHasher>::new().hash_one(key);
        self.lanes.shard(group.slot, hash).is_some()
    }

    fn decide_here(&self, course: &mut Course<'_>, here: &[usize]) {
        if here.is_empty() {
            return;
        }
        let charges = course.some(here);
        let manner = course.manner();
        let decisions = policy::here(&self.local, &charges, manner);
        if manner == Manner::Charge && decisions.iter().all(Decision::is_allowed) {
            course.taken_here.extend_from_slice(here);
        }
        course.set(here, decisions);
    }

    fn apply_policy(&self, course: &mut Course<'_>, group: &Group) {
        let charges = course.some(&group.places);
        let (nodes, manner) = (course.nodes, course.manner());
        let decisions = match self.denied_before(&charges, group) {
            Some(denied) => denied,
            None => policy::by_policy(&self.local, &charges, nodes, manner),
        };
        if manner == Manner::Charge && decisions.iter().all(Decision::is_allowed) {
            course.taken_by_policy.extend_from_slice(&group.places);
        }
        course.set(&group.places, decisions);
        course.by_policy.extend_from_slice(&group.places);
    }

    /// Says how long it may be in doubt what is left, at most.
    fn wait_for_doubt(&self, course: &mut Course<'_>, group: &Group) {
        let since = Timestamp::from_micros(self.client.doubt(group.slot));
        let now = self.clock.now().wall;
        for place in &group.places {
            let decision = course.decisions.get_mut(*place).and_then(Option::as_mut);
            if let (Some(charge), Some(decision)) = (course.charges.get(*place), decision) {
                let ends = doubt_ends(charge.limit, since);
                *decision = policy::until_known(charge, *decision, ends.since(now));
            }
        }
        course.lost.extend_from_slice(&group.places);
    }

    /// Asks Redis about a group; if it does not answer in time, its policies do. Says when it was charged, if it was.
    async fn ask(&self, course: &mut Course<'_>, group: &Group) -> Option<Now> {
        let deed = match (course.manner, course.is_denied()) {
            (Manner::Charge, false) => Deed::Charge,
            (Manner::Charge, true) => Deed::Look,
            (Manner::Look, _) => Deed::Peek,
        };
        let patience = course.end.saturating_duration_since(Instant::now());
        let part = match group.places.len() == course.charges.len() {
            true => Part::Whole,
            false => Part::OfMany,
        };
        let asked = self.lanes.ask(group.slot, (deed, part), &group.items, patience);
        let granted = match asked.await {
            Ok(granted) => granted,
            Err(refused) => {
                self.note(refused, group);
                self.apply_policy(course, group);
                if refused == Refused::Unknown {
                    self.wait_for_doubt(course, group);
                }
                return None;
            }
        };
        let Granted { mut decisions, looked, held, now } = granted;
        course.now = Some(now);
        self.meet(course, group, &mut decisions, &held);
        if deed != Deed::Look {
            self.hear(course, group, &decisions);
        }
        let is_allowed = decisions.iter().all(Decision::is_allowed);
        if is_allowed {
            let untaken = group.places.iter().copied().zip(looked);
            course.untaken.extend(untaken);
        }
        course.set(&group.places, decisions);
        (is_allowed && deed == Deed::Charge).then_some(now)
    }

    /// Says now and then that somebody else writes to our keys, however often they are asked about.
    fn note(&self, refused: Refused, group: &Group) {
        const QUIET: Micros = Micros::from_secs(10);
        if refused != Refused::Foreign {
            return;
        }
        let now = self.clock.now().steady.as_micros();
        let told = self.foreign_told_micros.load(Relaxed);
        if told > 0 && now.saturating_sub(told) < QUIET.get() {
            return;
        }
        self.foreign_told_micros.store(now, Relaxed);
        let keys = group.items.iter().map(|item| item.key.as_str());
        let keys: Vec<&str> = keys.collect();
        tracing::warn!(
            ?keys,
            "a counter in Redis holds what is not Tollgate's, and the rule's policy answers: find out who writes \
             there, and delete the key"
        );
    }

    /// Gives back what Redis has charged for a request that was denied in the end.
    pub(super) fn give_back(&self, course: &Course<'_>, taken: &[(&Group, Now)]) {
        for (group, now) in taken {
            for (place, item) in group.places.iter().zip(&group.items) {
                if let Some(Some(decision)) = course.decisions.get(*place) {
                    let at = moment(item, decision, *now);
                    self.lanes.ledger.give_back(item, at);
                }
            }
        }
    }

    /// The same for what this node has charged.
    pub(super) fn undo_here(&self, course: &mut Course<'_>, here: &[usize]) {
        let taken = course.some(&course.taken_here);
        if !taken.is_empty() {
            drop(self.local.inspect_now(Action::Refund, &taken));
        }
        for charge in course.some(&course.taken_by_policy) {
            policy::undo(&self.local, &charge, course.nodes);
        }
        let charges = course.some(here);
        let free = charges.iter().map(|charge| charge.with_cost(Cost::ZERO));
        let free: SmallVec<[Charge<'_>; 2]> = free.collect();
        if course.are_allowed(here) && !free.is_empty() {
            let looked = self.local.inspect_now(Action::Peek, &free);
            course.set(here, looked.decisions().iter().copied());
        }
    }

    /// Notes what policies have admitted.
    fn owe<'g>(&self, course: &Course<'_>, groups: impl Iterator<Item = &'g Group>) {
        if course.by_policy.is_empty() {
            return;
        }
        let now = self.clock.now();
        for group in groups {
            let pairs = group.places.iter().zip(&group.items);
            for (place, item) in pairs.filter(|(place, _)| course.by_policy.contains(place)) {
                if course.charges.get(*place).is_some_and(policy::is_owed) {
                    self.lanes.ledger.owe(item, now);
                }
            }
        }
    }

    fn verdict(&self, course: &Course<'_>) -> Verdict {
        let now = course.now.unwrap_or_else(|| self.clock.now());
        let verdict = Verdict::of(course.decisions.iter().flatten().copied(), now);
        let binding = verdict.binding_index();
        let decided = match binding.filter(|place| course.by_policy.contains(place)) {
            Some(place) => Some(place),
            None if verdict.is_allowed() => course.by_policy.first().copied(),
            None => None,
        };
        let charge = decided.and_then(|place| course.charges.get(place));
        match charge.map(|charge| charge.policy.on_failure) {
            Some(policy) => {
                self.policies.count(policy);
                let is_lost = decided.is_some_and(|place| course.lost.contains(&place));
                let cause = match is_lost {
                    true => FallbackCause::Doubt,
                    false => FallbackCause::Unanswered,
                };
                verdict.by_policy(policy).because(cause)
            }
            None => verdict,
        }
    }
}
