//! What keeps leases: asks for more before it is missing, and gives back what nobody wants.

use std::{
    collections::BTreeMap,
    sync::{Arc, Weak, atomic::Ordering::Relaxed},
    time::Duration,
};

use tokio::{
    sync::broadcast::{Receiver, error::RecvError},
    time::{Instant, timeout},
};
use tollgate_core::{Clock as _, Micros, Now, Timestamp};

use super::{
    call::{self, Answer, Question, TOGETHER_MAX},
    holder::Next,
    holdings::Holdings,
    table::Place,
};
use crate::{
    client::Call,
    exact::{Lanes, told},
    heard::Heard,
    key::Key,
    slot::Slot,
};

/// How long to sleep when nothing is due.
const REST: Duration = Duration::from_millis(100);
/// Timers are set no shorter than this.
const TICK: Duration = Duration::from_millis(1);

/// A call that is held off is tried again after this.
const HOLD_OFF: Micros = Micros::from_millis(1);

/// What is asked of one key, and where it lives here.
struct Asked {
    place: Place,
    question: Question,
    patience: Micros,
}

/// Keeps the leases of a store until nobody holds it any more.
pub(crate) async fn keep(holdings: Weak<Holdings>, lanes: Weak<Lanes>) {
    loop {
        let Some(held) = holdings.upgrade() else {
            return;
        };
        let boot = held.clock.boot();
        let (places, next) = held.due(boot);
        let Some(lanes) = lanes.upgrade() else {
            return;
        };
        for (slot, asked) in gather(&held, &lanes, places, boot) {
            send(&held, &lanes, slot, asked);
        }
        let rest = next.map_or(REST, |next| next.since(boot).into());
        let wake = Instant::now() + rest.clamp(TICK, REST);
        drop(lanes);
        // Waits without holding the store.
        let stir = Arc::clone(&held.stir);
        drop(held);
        drop(tokio::time::timeout_at(wake, stir.notified()).await);
    }
}

/// What is to be asked, by slot.
fn gather(
    held: &Holdings,
    lanes: &Lanes,
    places: Vec<(Place, Option<Timestamp>)>,
    boot: Timestamp,
) -> BTreeMap<Slot, Vec<Asked>> {
    let mut by_slot: BTreeMap<Slot, Vec<Asked>> = BTreeMap::new();
    for (place, timer) in places {
        let asked = held.with(place, |holder, spot, moved| {
            if timer.is_some() {
                if holder.timer != timer {
                    return (None, None);
                }
                holder.timer = None;
                if boot < holder.next_at {
                    return (None, Some(Next::At(holder.next_at)));
                }
            }
            if holder.is_under_way {
                return (None, None);
            }
            if boot < holder.not_before {
                // Whoever wants more meanwhile waits for the timer.
                return (None, timer.map(|_| holder.put_off(spot, boot)));
            }
            if holder.is_held_off(spot, boot) {
                return (None, Some(Next::At(boot.saturating_add(HOLD_OFF))));
            }
            let slot = lanes.slot_of(&holder.key);
            if !lanes.client().may_lease(slot) {
                return (None, Some(holder.failed(spot, boot, moved)));
            }
            let question = holder.ask(spot, lanes.next_sequence(), boot, moved);
            holder.is_under_way = true;
            let asked = Asked { place, question, patience: holder.patience() };
            (Some((slot, asked)), None)
        });
        if asked.is_none()
            && let Some(margin) = held.table.margin(place)
        {
            // Nobody has the place any more; whoever gets it next is asked about.
            margin.is_asked.store(false, Relaxed);
        }
        if let Some(Some((slot, asked))) = asked {
            by_slot.entry(slot).or_default().push(asked);
        }
    }
    by_slot
}

/// Sends what is asked of one slot, in calls of their own.
fn send(held: &Arc<Holdings>, lanes: &Arc<Lanes>, slot: Slot, mut asked: Vec<Asked>) {
    while !asked.is_empty() {
        let rest = asked.split_off(asked.len().min(TOGETHER_MAX));
        let (held, lanes) = (Arc::clone(held), Arc::clone(lanes));
        let together = std::mem::replace(&mut asked, rest);
        let runtime = lanes.runtime().clone();
        // Ends in time: a call has a deadline.
        drop(runtime.spawn(async move {
            let sent = held.clock.boot();
            let answers = ask(&held, &lanes, slot, &together).await;
            if let Some((now, answers)) = &answers {
                note(&lanes, &together, answers, *now);
            }
            deliver(&held, &together, answers, sent);
        }));
    }
}

async fn ask(
    held: &Holdings,
    lanes: &Lanes,
    slot: Slot,
    asked: &[Asked],
) -> Option<(Now, Vec<Answer>)> {
    let questions: Vec<Question> = asked.iter().map(|one| one.question.clone()).collect();
    let keys = questions.iter().map(|question| Key::to_bytes(&question.key));
    let since = Timestamp::from_micros(lanes.client().doubt(slot));
    let mut args = call::args(lanes.node(), since, &questions);
    if let Some(now) = lanes.time().told() {
        args.extend(told(now));
    }
    let call = Call { script: lanes.time().lease, slot, keys: keys.collect(), args };
    let patience = asked.iter().map(|one| one.patience).min()?;
    held.counts.calls.fetch_add(1, Relaxed);
    let called = timeout(patience.into(), lanes.client().call(&call)).await;
    let (now, answers) = call::read(&called.ok()?.ok()?)?;
    (answers.len() == asked.len()).then_some((now, answers))
}

/// Keeps in mind what was granted, in case Redis loses it.
fn note(lanes: &Lanes, asked: &[Asked], answers: &[Answer], now: Now) {
    for (one, answer) in asked.iter().zip(answers) {
        if let Answer::Granted(grant) | Answer::Collapse(grant) = answer {
            let Question { key, limit, .. } = &one.question;
            lanes.touched.note(key, limit, grant.total, now);
        }
    }
}

fn deliver(held: &Holdings, asked: &[Asked], answers: Option<(Now, Vec<Answer>)>, sent: Timestamp) {
    let boot = held.clock.boot();
    let Some((now, answers)) = answers else {
        for one in asked {
            held.with(one.place, |holder, spot, moved| {
                ((), Some(holder.failed(spot, boot, moved)))
            });
        }
        held.stir.notify_one();
        return;
    };
    held.counts.took(boot.since(sent));
    for (one, answer) in asked.iter().zip(answers) {
        held.with(one.place, |holder, spot, moved| {
            let next = holder.answered(spot, (answer, now), (sent, boot), moved);
            ((), Some(next))
        });
    }
    held.stir.notify_one();
}

/// Forgives what was denied on counters that somebody has refunded or made fresh, until nobody holds the store any more.
pub(crate) async fn forgive(
    holdings: Weak<Holdings>,
    heard: Weak<Heard>,
    mut pushed: Receiver<Arc<[u8]>>,
) {
    loop {
        let told = pushed.recv().await;
        let (Some(holdings), Some(heard)) = (holdings.upgrade(), heard.upgrade()) else {
            return;
        };
        match told {
            Ok(key) => {
                holdings.forgive_key(&key);
                heard.forget(&key);
            }
            // Denials do not last anyway.
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}

impl Holdings {
    /// The tokens of these keys are void.
    pub(crate) fn void(&self, is_lost: impl Fn(&Key) -> bool) {
        for place in self.table.places() {
            self.with(place, |holder, spot, moved| {
                if is_lost(&holder.key) {
                    holder.void(spot, moved);
                }
                ((), None)
            });
        }
    }

    /// Gives everything back, for as long as `patience` lasts.
    pub(crate) async fn leave(&self, patience: Duration) {
        const PAUSE: Duration = Duration::from_millis(2);
        self.is_leaving.store(true, Relaxed);
        for place in self.table.places().collect::<Vec<_>>() {
            self.with(place, |holder, (_, margin), _| {
                holder.leave();
                margin.is_asked.store(false, Relaxed);
                ((), None)
            });
            self.want(place);
        }
        self.stir.notify_one();
        let gone = async {
            while self.table.len() > 0 {
                tokio::time::sleep(PAUSE).await;
            }
        };
        // What is left runs out by itself.
        drop(timeout(patience, gone).await);
        self.is_leaving.store(false, Relaxed);
    }
}
