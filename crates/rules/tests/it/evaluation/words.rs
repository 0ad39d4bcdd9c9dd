//! Short words for rules, requests, and what becomes of them.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use tollgate_core::{
    Clock as _, Decision, ImmediateStore as _, LimitSet, ManualClock, Timestamp, Verdict,
};
use tollgate_memory::MemoryStore;
use tollgate_rules::{
    Action, AttributeCondition, Change, Directory, Field, Key, KeyField, Missing, Override, Query,
    Rule, RuleSet, Snapshot, Throttle,
};

/// A throttle; the key as in a file, without the brackets.
pub(crate) fn throttle(name: &str, key: &str, limits: &str) -> Rule {
    Rule::throttle(name.parse().unwrap(), key_of(key), limit_set(limits))
}

pub(crate) fn allow(name: &str) -> Rule {
    Rule::new(name.parse().unwrap(), Action::Allow)
}

pub(crate) fn block(name: &str) -> Rule {
    Rule::new(name.parse().unwrap(), Action::Block)
}

/// As `5/min, 20/h burst 3 leaky_bucket`.
pub(crate) fn limit_set(text: &str) -> LimitSet {
    let limits = text.split(',').map(|one| tollgate_testkit::limit(one.trim()));
    LimitSet::new(limits).unwrap()
}

fn key_of(text: &str) -> Key {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let part = |part: &str| {
        let (fields, prefix) = match part.split_once("/") {
            Some((fields, prefix)) => (fields, Some(prefix.parse().unwrap())),
            None => (part, None),
        };
        let fields: Vec<Field> = fields.split('|').map(|one| one.parse().unwrap()).collect();
        let field = KeyField::first_of(fields).unwrap();
        match prefix {
            Some(bits) => field.with_ipv6_prefix(bits).unwrap(),
            None => field,
        }
    };
    Key::new(parts.map(part)).unwrap()
}

/// One more thing said about a rule.
pub(crate) trait Said: Sized {
    fn but(self, change: impl FnOnce(&mut Rule)) -> Self;

    fn priority(self, priority: i32) -> Self {
        self.but(|rule| rule.priority = priority)
    }
    fn disabled(self) -> Self {
        self.but(|rule| rule.enabled = false)
    }
    fn endpoint(self, pattern: &str) -> Self {
        self.but(|rule| rule.matches.endpoint = Some(pattern.parse().unwrap()))
    }
    fn network(self, networks: &str) -> Self {
        let networks = networks.split(", ").map(|one| one.parse().unwrap());
        self.but(|rule| rule.matches.networks = networks.collect())
    }
    fn user(self, user: &str) -> Self {
        self.but(|rule| rule.matches.users = vec![user.into()])
    }
    fn org(self, org: &str) -> Self {
        self.but(|rule| rule.matches.orgs = vec![org.into()])
    }
    fn api_key(self, id: &str) -> Self {
        self.but(|rule| rule.matches.api_keys = vec![id.into()])
    }
    fn tier(self, tier: &str) -> Self {
        self.but(|rule| rule.matches.tiers = vec![tier.parse().unwrap()])
    }
    fn method(self, method: &str) -> Self {
        self.but(|rule| rule.matches.methods = vec![method.parse().unwrap()])
    }
    fn attribute(self, name: &str, condition: AttributeCondition) -> Self {
        self.but(|rule| drop(rule.matches.attributes.insert(name.into(), condition)))
    }
    fn group(self, group: &str) -> Self {
        self.counted(|throttle| throttle.group = Some(group.parse().unwrap()))
    }
    fn missing(self, missing: Missing) -> Self {
        self.counted(|throttle| throttle.missing = missing)
    }
    fn counted(self, change: impl FnOnce(&mut Throttle)) -> Self {
        self.but(|rule| {
            if let Action::Throttle(throttle) = &mut rule.action {
                change(throttle);
            }
        })
    }
}

impl Said for Rule {
    fn but(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

pub(crate) fn rules(rules: impl IntoIterator<Item = Rule>) -> RuleSet {
    let mut set = RuleSet::default();
    for rule in rules {
        set.rules.insert(rule.name.clone(), Arc::new(rule));
    }
    set
}

/// An override of a rule's counter: `user=alice, method=GET`.
pub(crate) fn exception(rule: &str, key: &str, change: Change) -> Override {
    let mut exception = Override::new(Some(rule.parse().unwrap()));
    let facts = key.split(", ").filter_map(|fact| fact.split_once('='));
    exception.key = facts
        .map(|(field, value)| (field.parse().unwrap(), value.into()))
        .collect::<BTreeMap<Field, Arc<str>>>();
    exception.change = change;
    exception
}

/// Limits as an override of all of them, or of one.
pub(crate) fn all(limits: &str) -> Change {
    Change::Limits(limit_set(limits))
}

pub(crate) fn one(limit: &str) -> Change {
    Change::Limit(tollgate_testkit::limit(limit))
}

/// Rules, counters and a clock.
pub(crate) struct House {
    pub(crate) clock: ManualClock,
    pub(crate) directory: Directory,
    pub(crate) snapshot: Snapshot,
    store: MemoryStore<ManualClock>,
}

impl House {
    pub(crate) fn new(set: &RuleSet) -> Self {
        let clock = ManualClock::start();
        Self {
            snapshot: Snapshot::compile(set, 1),
            directory: Directory::new(),
            store: MemoryStore::new(clock.clone()),
            clock,
        }
    }

    /// The house of rules without anything else.
    pub(crate) fn of(all: impl IntoIterator<Item = Rule>) -> Self {
        Self::new(&rules(all))
    }

    /// The rules are replaced; the counters stay.
    pub(crate) fn replace(&mut self, set: &RuleSet) {
        self.snapshot = self.snapshot.succeed(set, self.snapshot.revision() + 1);
    }

    pub(crate) fn wall(&self) -> Timestamp {
        self.clock.now().wall
    }

    pub(crate) fn pass_time(&self, secs: u64) {
        self.clock.advance(Duration::from_secs(secs));
    }

    /// The limits that a request meets, as `rule limit`, or why it is denied.
    pub(crate) fn meets(&self, query: &Query<'_>) -> Vec<String> {
        let plan = self.snapshot.plan(query, &self.directory, self.wall());
        if let Some(stop) = plan.stop() {
            assert!(plan.charges().is_empty());
            let by = stop.rule().map_or("caller", |rule| rule.name.as_str());
            return vec![format!("denied by {by}")];
        }
        let lines = plan.lines().iter();
        let line = |line: &tollgate_rules::Line<'_>| {
            format!("{} {}", line.rule().name, line.limit().limit)
        };
        lines.map(line).collect()
    }

    /// Whether anything was found to say about a request.
    pub(crate) fn is_matched(&self, query: &Query<'_>) -> bool {
        let plan = self.snapshot.plan(query, &self.directory, self.wall());
        plan.has_matched()
    }

    /// The rules that charge a request, in order.
    pub(crate) fn charged(&self, query: &Query<'_>) -> Vec<String> {
        let plan = self.snapshot.plan(query, &self.directory, self.wall());
        let lines = plan.lines().iter();
        lines.map(|line| line.rule().name.to_string()).collect()
    }

    /// The limit of the only line a request meets.
    pub(crate) fn limit(&self, query: &Query<'_>) -> String {
        let plan = self.snapshot.plan(query, &self.directory, self.wall());
        let [line] = plan.lines() else {
            return format!("{} limits", plan.lines().len());
        };
        let limit = &line.limit().limit;
        let burst = limit.burst().map(|burst| format!(" burst {burst}"));
        format!("{limit} {}{}", limit.algorithm(), burst.unwrap_or_default())
    }

    /// Sends a request: `None` if the rules deny it.
    pub(crate) fn send(&self, query: &Query<'_>) -> Option<Verdict> {
        let plan = self.snapshot.plan(query, &self.directory, self.wall());
        let is_asked = plan.stop().is_none();
        is_asked.then(|| self.store.charge_now(&plan.charges()))
    }

    /// How many of `times` requests pass.
    pub(crate) fn passes(&self, query: &Query<'_>, times: usize) -> usize {
        let verdicts = (0..times).filter_map(|_| self.send(query));
        verdicts.filter(Verdict::is_allowed).count()
    }

    /// The numbers to show for a request, with the rule they are of.
    pub(crate) fn shown(&self, query: &Query<'_>) -> (String, Decision) {
        let plan = self.snapshot.plan(query, &self.directory, self.wall());
        let verdict = self.store.charge_now(&plan.charges());
        let line = &plan.lines()[verdict.binding_index().unwrap()];
        (line.rule().name.to_string(), *verdict.binding())
    }
}

/// A request with these facts: `user=alice, endpoint=/api`.
pub(crate) fn request(facts: &str) -> Query<'_> {
    let mut query = Query::new();
    for (field, value) in facts.split(", ").filter_map(|fact| fact.split_once('=')) {
        query = match field {
            "user" => query.user(value),
            "org" => query.org(value),
            "api_key" => query.api_key(value),
            "tier" => query.tier(value),
            "region" => query.region(value),
            "ip" => query.ip(value),
            "endpoint" => query.endpoint(value),
            "method" => query.method(value),
            name => query.attribute(name, value),
        }
        .unwrap();
    }
    query
}
