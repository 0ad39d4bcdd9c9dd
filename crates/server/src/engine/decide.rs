//! Deciding.

use std::sync::Arc;

use tollgate::{Gate, Ruling};
use tollgate_core::{Clock, Timestamp};
use tollgate_memory::{CellStore, MemoryStore, Throttle, ThrottleError, Throttled};
use tollgate_rules::{Live, Plan};

use super::{
    Answer, Ask, Deed, Penalties, Penalty, Refusal, Time,
    answer::{DecisionId, DecisionIds},
    fleet::Fleet,
    repeat::{Repeats, Seen},
};
use crate::{counting::Counting, telemetry::Recorder};

/// Rules, counters and whoever is told, behind one door.
#[derive(Debug)]
pub(crate) struct Engine {
    gate: Gate<Arc<MemoryStore<Time>>, Time>,
    /// The same rules over counters that a fleet shares, if it does.
    pub(super) fleet: Option<Gate<Fleet, Time>>,
    cells: CellStore<Time>,
    time: Time,
    ids: DecisionIds,
    pub(super) repeats: Repeats,
    penalties: Option<Penalties>,
    recorder: Arc<Recorder>,
}

impl Engine {
    pub(crate) fn new(
        live: Arc<Live>,
        store: impl Into<Arc<MemoryStore<Time>>>,
        time: Time,
        recorder: Arc<Recorder>,
    ) -> Self {
        let store = store.into();
        // As much room for keys that no rule is about as for those of rules.
        let keys = usize::try_from(store.stats().capacity).unwrap_or(usize::MAX);
        let cells = CellStore::with_capacity(keys / 7 * 5, time.clone());
        Self {
            gate: Gate::new(live, store, time.clone()),
            fleet: None,
            cells,
            time,
            ids: DecisionIds::new(),
            repeats: Repeats::new(),
            penalties: None,
            recorder,
        }
    }

    /// With other cells than empty ones.
    pub(crate) fn with_cells(mut self, cells: CellStore<Time>) -> Self {
        self.cells = cells;
        self
    }

    /// With waits that grow for whoever keeps asking.
    pub(crate) fn with_penalties(mut self, penalties: Penalties) -> Self {
        self.penalties = Some(penalties);
        self
    }

    /// With counters that a fleet shares.
    pub(crate) fn with_fleet(mut self, fleet: Fleet) -> Self {
        let live = Arc::clone(self.gate.live());
        self.fleet = Some(Gate::new(live, fleet, self.time.clone()));
        self
    }

    /// Decides each question on its own, in order, and hands over the answers.
    pub(super) fn check_all_now(
        &self,
        asks: &[Ask<'_>],
        mut answered: impl FnMut(Result<Answer, Refusal>),
    ) {
        let mut asks = asks;
        while let Some(first) = asks.first() {
            if first.request_id.is_some() {
                answered(self.check_once(first));
                asks = asks.get(1..).unwrap_or_default();
                continue;
            }
            let plain = asks.iter().take_while(|ask| ask.request_id.is_none());
            let (these, rest) = asks.split_at(plain.count());
            asks = rest;
            let queries = these.iter().map(|ask| &ask.query);
            let at = self.time.now().wall;
            let decided = self.gate.check_all(queries, |plan, ruling| {
                answered(Ok(self.answer(plan, ruling, at)));
            });
            if decided.is_err() {
                these
                    .iter()
                    .for_each(|_| answered(Err(Refusal::NoSnapshot)));
            }
        }
    }

    /// Decides one question.
    pub(super) fn check_now(&self, ask: &Ask<'_>) -> Result<Answer, Refusal> {
        if ask.request_id.is_some() {
            return self.check_once(ask);
        }
        let mut answer = Err(Refusal::NoSnapshot);
        self.check_all_now(std::slice::from_ref(ask), |decided| answer = decided);
        answer
    }

    /// Peeks, refunds or resets. Neither is a decision, so nobody is told.
    pub(super) fn inspect_now(&self, deed: Deed<'_>, ask: &Ask<'_>) -> Result<Answer, Refusal> {
        self.knows(deed)?;
        // Before the counters are asked: a window must not seem to end later than it does.
        let at = self.time.now().wall;
        let ruling = match deed.rule {
            Some(rule) => self.gate.inspect_rule(deed.action, rule, &ask.query),
            None => self.gate.inspect(deed.action, &ask.query),
        };
        let ruling = ruling.map_err(|_| Refusal::NoSnapshot)?;
        Ok(self.named(ruling, at))
    }

    /// Decides about a key that no rule is about, by the numbers that come along.
    pub(crate) fn throttle(&self, key: &[u8], ask: Throttle) -> Result<Throttled, ThrottleError> {
        let answer = self.cells.throttle(key, ask);
        if let Ok(answer) = &answer {
            self.recorder.throttled(answer);
        }
        answer
    }

    /// Whether the rule that is named is in force.
    pub(super) fn knows(&self, deed: Deed<'_>) -> Result<(), Refusal> {
        let Some(name) = deed.rule else {
            return Ok(());
        };
        let live = self.gate.live();
        match live.with_snapshot(|snapshot| snapshot.rule_id(name).is_some()) {
            Some(false) => Err(Refusal::UnknownRule(name.chars().take(64).collect())),
            _ => Ok(()),
        }
    }

    pub(super) const fn gate(&self) -> &Gate<Arc<MemoryStore<Time>>, Time> {
        &self.gate
    }

    pub(super) fn next_id(&self) -> DecisionId {
        self.ids.next()
    }

    /// The rules in force.
    pub(crate) const fn live(&self) -> &Arc<Live> {
        self.gate.live()
    }

    /// The counters of this node.
    pub(crate) fn store(&self) -> &MemoryStore<Time> {
        self.gate.store()
    }

    /// The counters of the fleet, if it shares any.
    pub(crate) fn fleet(&self) -> Option<&Fleet> {
        self.fleet.as_ref().map(Gate::store)
    }

    /// Where counters are.
    pub(crate) fn counting(&self) -> Counting {
        match self.fleet() {
            None => Counting::Alone,
            Some(fleet) => Counting::Shared(fleet.leases()),
        }
    }

    /// The keys that no rule is about.
    pub(crate) const fn cells(&self) -> &CellStore<Time> {
        &self.cells
    }

    /// Who is told.
    pub(crate) const fn recorder(&self) -> &Arc<Recorder> {
        &self.recorder
    }

    /// The clock.
    pub(crate) const fn time(&self) -> &Time {
        &self.time
    }

    /// Decides a question that has a name, unless it was asked before.
    fn check_once(&self, ask: &Ask<'_>) -> Result<Answer, Refusal> {
        let now = self.time.now();
        let mut place = self.repeats.place(ask);
        match place.look(now.steady) {
            Seen::Before(answer) => return Ok(*answer),
            Seen::Otherwise => return Err(Refusal::RequestIdTaken),
            Seen::Never => {}
        }
        let mut answer = Err(Refusal::NoSnapshot);
        let decided = self.gate.check_all([&ask.query], |plan, ruling| {
            answer = Ok(self.answer(plan, ruling, now.wall));
        });
        decided.map_err(|_| Refusal::NoSnapshot)?;
        if let Ok(answer) = &answer {
            place.keep(answer.clone(), now.steady);
        }
        answer
    }

    pub(super) fn answer(&self, plan: &Plan<'_>, ruling: Ruling, at: Timestamp) -> Answer {
        let penalty = self.note(plan, &ruling, at);
        let id = self.ids.next();
        Answer {
            id,
            at,
            ruling,
            penalty,
        }
    }

    /// Tells whoever counts, and says what a denial costs.
    pub(super) fn note(&self, plan: &Plan<'_>, ruling: &Ruling, at: Timestamp) -> Option<Penalty> {
        self.recorder.decided(plan, ruling);
        if ruling.is_allowed() {
            plan.count_allowed(at);
            return None;
        }
        plan.count_denied(at);
        let penalties = self.penalties.as_ref()?;
        penalties.denied(plan, ruling, self.time.now().steady)
    }

    pub(super) fn named(&self, ruling: Ruling, at: Timestamp) -> Answer {
        let id = self.ids.next();
        Answer {
            id,
            at,
            ruling,
            penalty: None,
        }
    }
}
