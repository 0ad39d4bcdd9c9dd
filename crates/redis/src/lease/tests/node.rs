//! A node of a schedule: a holder, its clock, and what it knows of the server.

use tollgate_core::Limit;
use tollgate_sim::{
    Rng,
    pool::{Call, Guard, ModelHolder, Reply, Totals},
};

use super::world::Faults;

/// Whatever holds leases: the model's holder, or ours. All times are the node's own.
pub(super) trait Holds {
    fn take(&mut self, now: u64, cost: u64) -> bool;

    /// What to ask; the same again while it is not answered. A wish is what it would like to have, and to give back.
    fn ask(&mut self, now: u64, sequence: u64, wish: (u64, u64)) -> Call;

    /// An answer to the call that was sent at a moment.
    fn hear(&mut self, call: &Call, reply: &Reply, sent: u64, now: u64);

    /// No answer came in time.
    fn fail(&mut self, now: u64);

    /// Forgets what it holds.
    fn burn(&mut self);

    /// When what it holds runs out.
    fn deadline(&self) -> u64;

    /// Whether all that was granted was spent, given back or forgotten, or is still there.
    fn is_conserved(&self) -> bool;
}

impl Holds for ModelHolder {
    fn take(&mut self, now: u64, cost: u64) -> bool {
        Self::take(self, now, cost)
    }

    fn ask(&mut self, now: u64, sequence: u64, wish: (u64, u64)) -> Call {
        self.call(now, sequence, wish)
    }

    fn hear(&mut self, call: &Call, reply: &Reply, _sent: u64, now: u64) {
        Self::hear(self, now, call.sequence, reply);
    }

    fn fail(&mut self, _now: u64) {}

    fn burn(&mut self) {
        Self::burn(self);
    }

    fn deadline(&self) -> u64 {
        Self::deadline(self)
    }

    fn is_conserved(&self) -> bool {
        let moved = self.moved();
        moved.granted == moved.spent + moved.returned + moved.burnt + self.balance()
    }
}

/// Makes holders of a kind.
pub(super) type Make<H> = fn(&str, &Limit, u64, Guard) -> H;

pub(super) fn model_holder(name: &str, limit: &Limit, _now: u64, guard: Guard) -> ModelHolder {
    ModelHolder::new(name, limit, guard)
}

/// One node. Times are true ones, but for those that its holder knows.
pub(super) struct Node<H> {
    pub(super) name: String,
    pub(super) holder: H,
    pub(super) limit: Limit,
    pub(super) clock: NodeClock,
    /// Of its last call of any kind.
    pub(super) sequence: u64,
    /// The call that is under way: which attempt it is, and when that was sent.
    pub(super) attempt: Option<(u64, u64)>,
    pub(super) paused_until: u64,
    pub(super) totals: Totals,
    /// The server it talks to, and since when it is not the first it knew; zero if it is.
    pub(super) lineage: u64,
    pub(super) since: u64,
    pub(super) notices_at: u64,
    pub(super) trusts_from: u64,
    pub(super) is_asserted: bool,
    pub(super) limit_known_at: u64,
}

/// A clock that may be wrong by up to a thousandth.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeClock {
    offset: u64,
    ppm: i64,
}

impl NodeClock {
    pub(super) fn new(rng: &mut Rng, faults: Faults) -> Self {
        let ppm = match (faults.drift, rng.below(3)) {
            (false, _) => 0,
            (true, 0) => -1_000,
            (true, 1) => 1_000,
            (true, _) => rng.below(2_001).cast_signed() - 1_000,
        };
        Self { offset: rng.below(1 << 40), ppm }
    }

    /// What it shows at a moment.
    pub(super) fn at(self, now: u64) -> u64 {
        let elapsed = i128::from(now - super::calls::START);
        let shown = elapsed * i128::from(1_000_000 + self.ppm) / 1_000_000;
        self.offset + u64::try_from(shown).unwrap()
    }

    /// The first moment at which it shows this much.
    pub(super) fn when(self, shown: u64) -> u64 {
        let shown = i128::from(shown.saturating_sub(self.offset)) * 1_000_000;
        let per = i128::from(1_000_000 + self.ppm);
        let elapsed = (shown + per - 1) / per;
        super::calls::START + u64::try_from(elapsed).unwrap()
    }
}
