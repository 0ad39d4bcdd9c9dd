//! Tells a server that took over, or came back, what it may have lost: all that this node was granted lately.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Weak,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::{task::JoinSet, time::timeout};
use tollgate_core::{Law, Limit, Micros, Timestamp};

use crate::{
    client::{Call, Failure, Loss},
    exact::{Former, Lanes, told},
    lease::{self, Answer, Holdings, Question},
    slot::Slot,
    touched::Claim,
};

/// How often it is looked whether there is anything to tell, though nobody says so; and before what could not be told is
/// tried again.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// How often what cannot count any more is forgotten, in such turns.
const SWEEP_EVERY: u64 = 50;
/// Slots that are told of at once.
const SLOTS_MAX: usize = 32;

/// What was told.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) keys: AtomicU64,
    /// What Redis had lost of them.
    pub(crate) units: AtomicU64,
}

/// Tells whenever there is something to tell, for as long as anybody holds the lanes.
pub(crate) async fn keep_asserting(lanes: Weak<Lanes>, holdings: Weak<Holdings>) {
    let Some(changes) = lanes.upgrade().map(|lanes| lanes.client.changes()) else {
        return;
    };
    for turn in 1_u64.. {
        // Whichever it is: it is looked.
        drop(timeout(LOOK_EVERY, changes.notified()).await);
        let Some(lanes) = lanes.upgrade() else {
            return;
        };
        if turn.is_multiple_of(SWEEP_EVERY) {
            lanes.touched.sweep();
        }
        let losses = lanes.client.to_assert();
        if !losses.is_empty() {
            if let Some(holdings) = holdings.upgrade() {
                // Whoever took over does not hold them for this node.
                let lost: HashSet<Slot> = losses.iter().map(|loss| loss.slot).collect();
                holdings.void(|key| lost.contains(&lanes.slot_of(key)));
            }
            lanes.assert_all(losses).await;
            lanes.client.mark_told().await;
        }
    }
}

impl Lanes {
    /// Tells the servers of these slots what this node has debited of their counters.
    async fn assert_all(self: &Arc<Self>, losses: Vec<Loss>) {
        let mut claims: HashMap<Slot, Vec<Claim>> = HashMap::new();
        for claim in self.touched.claims() {
            claims
                .entry(self.slot_of(&claim.key))
                .or_default()
                .push(claim);
        }
        let mut telling = JoinSet::new();
        for loss in losses {
            let Some(claims) = claims.remove(&loss.slot) else {
                self.client.asserted(loss);
                continue;
            };
            if telling.len() >= SLOTS_MAX {
                telling.join_next().await;
            }
            let lanes = Arc::clone(self);
            telling.spawn(async move { lanes.assert(loss, &claims).await });
        }
        telling.join_all().await;
    }

    /// The same for one slot. What could not be told is told later.
    async fn assert(&self, loss: Loss, claims: &[Claim]) {
        let new = claims.iter().filter(|claim| claim.is_new_to(loss.since));
        let new: Vec<Claim> = new.cloned().collect();
        for together in new.chunks(lease::TOGETHER_MAX) {
            if let Err(failure) = self.tell(loss.slot, together).await {
                tracing::debug!(?failure, "what Redis may have lost is not told yet");
                return;
            }
            self.touched.told(together, loss.since);
        }
        self.client.asserted(loss);
    }

    async fn tell(&self, slot: Slot, claims: &[Claim]) -> Result<(), Failure> {
        let questions = claims.iter().map(|claim| self.question(claim));
        let questions: Vec<Question> = questions.collect();
        let since = Timestamp::from_micros(self.client.doubt(slot));
        let mut args = lease::args(&self.node, since, &questions);
        if let Some(now) = self.time.told() {
            args.extend(told(now));
        }
        let keys = claims.iter().map(|claim| claim.key.to_bytes());
        let call = Call {
            script: self.time.lease,
            slot,
            keys: keys.collect(),
            args,
        };
        let value = self.client.call_early(&call).await?;
        let (now, answers) = lease::read(&value).unwrap_or_default();
        for (claim, answer) in claims.iter().zip(answers) {
            // What is odd or foreign cannot be told: exact decisions meet it, and say so.
            if let Answer::Granted(grant) | Answer::Collapse(grant) = answer {
                self.told.keys.fetch_add(1, Relaxed);
                if grant.lost > 0 {
                    self.ledger.told_again(&claim.key, now.steady);
                }
                let counted = claim.asserted.present.saturating_add(claim.asserted.before);
                let units = units(&claim.limit, grant.lost.min(counted));
                self.told.units.fetch_add(units, Relaxed);
            }
        }
        Ok(())
    }

    fn question(&self, claim: &Claim) -> Question {
        Question {
            key: claim.key.clone(),
            limit: claim.limit.clone(),
            former: Former::None,
            sequence: self.next_sequence(),
            previous: 0,
            spent: 0,
            returned: 0,
            want: 0,
            least: 0,
            most: 0,
            life: Micros::ZERO,
            asserted: claim.asserted,
        }
    }
}

/// Units of a limit, of what totals count.
fn units(limit: &Limit, total: u64) -> u64 {
    let bucket = match limit.law() {
        Law::TokenBucket(law) => law.bucket(),
        Law::LeakyBucket(law) => law.bucket(),
        _ => return total,
    };
    let all = u128::from(total).saturating_mul(bucket.units_per_micro().into());
    let units = all.checked_div(bucket.units_per_token().into());
    u64::try_from(units.unwrap_or(0)).unwrap_or(u64::MAX)
}
