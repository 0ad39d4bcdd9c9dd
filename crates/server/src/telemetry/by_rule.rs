//! Counters for each rule, as long as the rule is in force.

use std::{collections::HashMap, sync::Arc};

use foldhash::fast::RandomState;
use tollgate::Ruling;
use tollgate_core::RuleId;
use tollgate_rules::{Action, Rule, Snapshot};

use super::{counts::Counts, outcome::Outcome};

/// The counters of the rules in force. Another revision is another table, which takes over the counts of
/// the rules that stay.
#[derive(Debug, Default)]
pub(super) struct ByRule {
    rules: HashMap<RuleId, Entry, RandomState>,
    /// Decisions that show the numbers of no rule.
    none: Arc<Counts>,
    /// Decisions by the limits of API keys and of users: one series for all of a kind, however many there are.
    api_keys: Arc<Counts>,
    quotas: Arc<Counts>,
    /// Decisions of rules beyond [`ByRule::RULES_MAX`], and of those that vanished a moment ago.
    other: Arc<Counts>,
    revision: Option<u64>,
    walked: usize,
}

#[derive(Debug)]
struct Entry {
    rule: Arc<Rule>,
    counts: Arc<Counts>,
}

impl ByRule {
    /// The most rules with series of their own: what scrapes cost has a bound, whatever the rules.
    pub(super) const RULES_MAX: usize = 1_000;

    /// Stands for a rule where there is none.
    pub(super) const NONE: &str = "(none)";

    /// Stands for the limits of all API keys.
    pub(super) const API_KEYS: &str = "(api-key)";

    /// Stands for the limits of all users.
    pub(super) const QUOTAS: &str = "(quota)";

    /// Stands for all rules beyond the bound. No rule can be called so.
    pub(super) const OTHER: &str = "(other)";

    /// The table of a snapshot. Rules that have series keep them before others get any.
    pub(super) fn succeed(&self, snapshot: &Snapshot) -> Self {
        let has_series = |rule: &&Arc<Rule>| self.rules.contains_key(&rule.id);
        let (staying, new): (Vec<_>, Vec<_>) = snapshot.deciding().partition(has_series);
        let entries = staying.into_iter().chain(new).take(Self::RULES_MAX);
        let rules = entries.map(|rule| {
            let former = self.rules.get(&rule.id);
            let counts = former.map(|former| Arc::clone(&former.counts));
            let entry = Entry { rule: Arc::clone(rule), counts: counts.unwrap_or_default() };
            (rule.id, entry)
        });
        Self {
            rules: rules.collect(),
            none: Arc::clone(&self.none),
            api_keys: Arc::clone(&self.api_keys),
            quotas: Arc::clone(&self.quotas),
            other: Arc::clone(&self.other),
            revision: Some(snapshot.revision()),
            walked: snapshot.rules(),
        }
    }

    #[inline]
    pub(super) fn count(&self, rule: Option<&Rule>, outcome: Outcome) {
        let counts = match rule {
            None => &self.none,
            Some(rule) => match self.rules.get(&rule.id) {
                Some(entry) => &entry.counts,
                None => self.beside(rule.name.as_str()),
            },
        };
        counts.add(outcome.slot(), 1);
    }

    /// The rules that an admitted request was charged to beside the one whose numbers it shows: each once, by the
    /// limit of the rule that is nearest to its end. Limits of one rule follow each other.
    pub(super) fn count_others(&self, shown: &Rule, ruling: &Ruling) {
        let mut charged: Option<(&Rule, Outcome)> = None;
        for (met, decision) in ruling.decisions() {
            let outcome = Outcome::of_band(decision.band());
            charged = match charged {
                Some((rule, worst)) if rule.id == met.rule.id => {
                    Some((rule, worst.worse_of(outcome)))
                }
                before => {
                    self.count_other(shown, before);
                    Some((&met.rule, outcome))
                }
            };
        }
        self.count_other(shown, charged);
    }

    fn count_other(&self, shown: &Rule, charged: Option<(&Rule, Outcome)>) {
        if let Some((rule, outcome)) = charged
            && rule.id != shown.id
        {
            self.count(Some(rule), outcome);
        }
    }

    fn beside(&self, name: &str) -> &Arc<Counts> {
        if name.starts_with("api-key:") {
            &self.api_keys
        } else if name.starts_with("quota:") {
            &self.quotas
        } else {
            &self.other
        }
    }

    /// The number of the revision, once there is one.
    pub(super) const fn revision(&self) -> Option<u64> {
        self.revision
    }

    /// How many rules there are, with and without series.
    pub(super) const fn walked(&self) -> usize {
        self.walked
    }

    /// Every series: rule, outcome, count.
    pub(super) fn decisions(&self) -> Vec<(String, &'static str, u64)> {
        let mut all = Vec::new();
        for entry in self.sorted() {
            let name = entry.rule.name.as_str();
            series(name, &Outcome::BY_RULE, &entry.counts, &mut all);
        }
        series(Self::API_KEYS, &Outcome::BY_RULE, &self.api_keys, &mut all);
        series(Self::QUOTAS, &Outcome::BY_RULE, &self.quotas, &mut all);
        series(Self::OTHER, &Outcome::BY_RULE, &self.other, &mut all);
        series(Self::NONE, &Outcome::BY_NONE, &self.none, &mut all);
        all
    }

    /// Every limit of the rules that have series: rule, period, amount.
    pub(super) fn limits(&self) -> Vec<(String, String, u64)> {
        let mut all = Vec::new();
        for entry in self.sorted() {
            let Action::Throttle(throttle) = &entry.rule.action else {
                continue;
            };
            let name = entry.rule.name.as_str();
            let limit = |limit: &tollgate_core::Limit| {
                (name.to_owned(), limit.period().to_string(), limit.amount())
            };
            all.extend(throttle.limits.iter().map(limit));
        }
        all
    }

    fn sorted(&self) -> Vec<&Entry> {
        let mut entries: Vec<&Entry> = self.rules.values().collect();
        entries.sort_unstable_by(|one, two| one.rule.name.cmp(&two.rule.name));
        entries
    }
}

fn series(
    name: &str,
    outcomes: &[Outcome],
    counts: &Counts,
    all: &mut Vec<(String, &'static str, u64)>,
) {
    let one = |outcome: &Outcome| (name.to_owned(), outcome.word(), counts.total(outcome.slot()));
    all.extend(outcomes.iter().map(one));
}
