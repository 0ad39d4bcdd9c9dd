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
use tollgate_core::{Law, Limit, Timestamp};

use crate::{
    client::{Call, Failure, Loss},
    exact::{Lanes, told},
    lease::{self, Answer, Holdings, Question},
    slot::Slot,
    touched::{Claim, Touched},
};

/// How often it is looked whether there is anything to tell, though nobody says so; and before what could not be told is
/// tried again.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(200);
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
            lanes.sweep();
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

/// A process for which this one tells: itself, or one before it.
#[derive(Clone, Copy)]
struct Voice<'a> {
    name: &'a str,
    touched: &'a Touched,
    sequence: &'a AtomicU64,
}

/// What is claimed, and by which voice.
type Claims = Vec<(usize, Claim)>;

impl Lanes {
    fn voices(&self) -> impl Iterator<Item = Voice<'_>> {
        let own = Voice { name: &self.node, touched: &self.touched, sequence: self.sequence() };
        let before = self.inherited.iter().map(|process| Voice {
            name: &process.name,
            touched: &process.touched,
            sequence: &process.sequence,
        });
        std::iter::once(own).chain(before)
    }

    /// Forgets what cannot count any more.
    fn sweep(&self) {
        // Where a test tells the time, registers have another.
        if self.time.told().is_none() {
            self.touched.hear(self.client.heard_time());
        }
        self.touched.sweep();
        self.inherited.sweep(self.touched.latest());
    }

    /// Tells the servers of these slots what this node has debited of their counters.
    async fn assert_all(self: &Arc<Self>, losses: Vec<Loss>) {
        // What was spent long ago is not told as if it were of now.
        self.sweep();
        let mut claims: HashMap<Slot, Claims> = HashMap::new();
        for (voice, speaker) in self.voices().enumerate() {
            for claim in speaker.touched.claims() {
                let slot = self.slot_of(&claim.key);
                claims.entry(slot).or_default().push((voice, claim));
            }
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
    async fn assert(&self, loss: Loss, claims: &[(usize, Claim)]) {
        for (voice, speaker) in self.voices().enumerate() {
            let its = claims.iter().filter(|(by, _)| *by == voice);
            let its = its.map(|(_, claim)| claim);
            let new = its.filter(|claim| claim.is_new_to(loss.since));
            let new: Vec<Claim> = new.cloned().collect();
            for together in new.chunks(lease::TOGETHER_MAX) {
                if let Err(failure) = self.tell(loss.slot, speaker, together).await {
                    tracing::debug!(?failure, "what Redis may have lost is not told yet");
                    return;
                }
                speaker.touched.told(together, loss.since);
            }
        }
        self.client.asserted(loss);
    }

    async fn tell(&self, slot: Slot, by: Voice<'_>, claims: &[Claim]) -> Result<(), Failure> {
        let questions = claims.iter().map(|claim| {
            let sequence = by.sequence.fetch_add(1, Relaxed);
            let key = (claim.key.clone(), claim.limit.clone());
            Question::telling(key, sequence, claim.asserted)
        });
        let questions: Vec<Question> = questions.collect();
        let since = Timestamp::from_micros(self.client.doubt(slot));
        let mut args = lease::args(by.name, since, &questions);
        if let Some(now) = self.time.told() {
            args.extend(told(now));
        }
        let keys = claims.iter().map(|claim| claim.key.to_bytes());
        let call = Call { script: self.time.lease, slot, keys: keys.collect(), args };
        let value = self.client.call_early(&call).await?;
        let (now, answers) = lease::read(&value).unwrap_or_default();
        for (claim, answer) in claims.iter().zip(answers) {
            // What is odd or foreign cannot be told: exact decisions meet it, and say so.
            if let Answer::Granted(grant) | Answer::Collapse(grant) = answer {
                self.told.keys.fetch_add(1, Relaxed);
                if grant.lost > 0 && by.name == self.node {
                    self.ledger.told_again(&claim.key, now.steady);
                }
                let counted = claim.asserted.present.saturating_add(claim.asserted.before);
                let units = units(&claim.limit, grant.lost.min(counted));
                self.told.units.fetch_add(units, Relaxed);
            }
        }
        Ok(())
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
