//! Looking for rules with more keys than the counters have room for.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use tokio::{task::spawn_blocking, time::interval};
use tollgate_core::RuleId;
use tollgate_memory::RuleOverflow;

use super::Engine;
use crate::{stop::Stop, telemetry::Overflow};

/// How often that is looked at: it takes a look at every sketch.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// The name of limits that share a sketch, since there are very many.
const SEVERAL: &str = "several rules";

impl Engine {
    /// Looks now and then, until told to stop.
    pub(crate) async fn watch_overflows(self: Arc<Self>, mut stop: Stop) {
        let mut turn = interval(LOOK_EVERY);
        loop {
            tokio::select! {
                _ = turn.tick() => {
                    let engine = Arc::clone(&self);
                    // Joins badly only if it panicked, and then the next turn looks again.
                    drop(spawn_blocking(move || engine.note_overflows()).await);
                }
                () = stop.heard() => return,
            }
        }
    }

    /// Takes note of the rules that overflow now, and logs what has changed since the last look.
    pub(crate) fn note_overflows(&self) {
        let names = self.live().with_snapshot(|snapshot| {
            let rules = snapshot.deciding();
            rules.map(|rule| (rule.id, rule.name.to_string())).collect()
        });
        let found = self.overflows(&names.unwrap_or_default());
        let before = self.recorder().overflows();
        for overflow in &found {
            let known = before.iter().find(|it| it.rule == overflow.rule);
            if known.is_none_or(|known| !known.is_unreliable && overflow.is_unreliable) {
                let Overflow { rule, keys, .. } = overflow;
                let (odds, what) = (overflow.percent(), overflow.in_words());
                tracing::warn!(%rule, keys, odds_percent = %odds, "The table of counters is full: {what}.");
            }
        }
        for Overflow { rule, .. } in before.iter() {
            if found.iter().all(|it| it.rule != *rule) {
                tracing::info!(%rule, "The counters have room for all keys of the rule again.");
            }
        }
        self.recorder().note_overflows(found);
    }

    fn overflows(&self, names: &BTreeMap<RuleId, String>) -> Vec<Overflow> {
        let mut found: Vec<Overflow> = Vec::new();
        for overflow in self.store().overflows() {
            let RuleOverflow { rule, keys, odds_millionths, .. } = overflow;
            let name = match rule {
                Some(rule) => names.get(&rule).cloned(),
                None => Some(SEVERAL.to_owned()),
            };
            // A rule that was deleted counts nothing any more.
            let Some(name) = name else { continue };
            found.push(Overflow {
                rule: name,
                keys,
                odds_millionths,
                is_unreliable: overflow.is_unreliable(),
            });
        }
        let cells = self.cells().stats();
        if cells.overflow_keys > 0 {
            found.push(Overflow {
                rule: Overflow::THROTTLES.to_owned(),
                keys: cells.overflow_keys,
                odds_millionths: cells.odds_millionths,
                is_unreliable: false,
            });
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use tollgate_core::{Micros, OnFailure, Reason};
    use tollgate_memory::Throttle;
    use tollgate_rules::{Query, Snapshot};

    use super::*;
    use crate::engine::Ask;

    const RULES: &str = "version: 1
rules:
  - { name: signup, match: { endpoint: /signup }, key: [user], limit: 1/day, on_failure: closed }
  - { name: calm, match: { endpoint: /calm }, key: [user], limit: 5/h }
";

    fn ask<'a>(user: &'a str, endpoint: &'a str) -> Ask<'a> {
        Ask::new(Query::new().user(user).unwrap().endpoint(endpoint).unwrap())
    }

    fn scraped(engine: &Engine, series: &str) -> String {
        let text = engine.recorder().scrape();
        let line = text.lines().find(|line| line.starts_with(series));
        line.and_then(|line| line.rsplit(' ').next()).unwrap_or("none").to_owned()
    }

    // Proves: C1, O1
    #[test]
    fn the_rule_that_overflows_is_named_with_its_odds() {
        let (engine, clock) = Engine::of_rules(RULES);
        let told = |snapshot: &Snapshot| engine.recorder().rules_changed(snapshot);
        engine.live().with_snapshot(told);
        engine.note_overflows();
        assert_eq!(scraped(&engine, "tollgate_overflow_keys{rule=\"signup\"}"), "0");
        assert!(engine.check_now(&ask("ann", "/calm")).unwrap().ruling.is_allowed());
        for user in 0..40_000 {
            let user = format!("user-{user}");
            assert!(engine.check_now(&ask(&user, "/signup")).unwrap().ruling.is_allowed());
        }
        engine.note_overflows();
        let found = engine.recorder().overflows();
        let [overflow] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!(overflow.rule, "signup");
        assert!(overflow.keys > 20_000 && !overflow.is_unreliable, "{overflow:?}");
        let words = overflow.in_words();
        assert!(
            words.contains("keys of \"signup\"") && words.ends_with("raise keys_max"),
            "{words}"
        );
        let keys = scraped(&engine, "tollgate_overflow_keys{rule=\"signup\"}");
        assert_eq!(keys, overflow.keys.to_string());
        assert_eq!(scraped(&engine, "tollgate_overflow_keys{rule=\"calm\"}"), "0");
        clock.advance(Micros::from_secs(3 * 86_400));
        engine.note_overflows();
        assert!(engine.recorder().overflows().is_empty());
    }

    // Proves: C1
    #[test]
    fn keys_of_throttle_that_overflow_are_named() {
        let (engine, _clock) = Engine::of_rules(RULES);
        let once = Throttle { max_burst: 0, count: 1, period_s: 86_400, quantity: 1 };
        for key in 0..40_000_u64 {
            engine.throttle(&key.to_be_bytes(), once).unwrap();
        }
        engine.note_overflows();
        let found = engine.recorder().overflows();
        assert_eq!(found.iter().map(|it| it.rule.as_str()).collect::<Vec<_>>(), ["CL.THROTTLE"]);
    }

    // Proves: C1
    #[test]
    fn the_rules_policy_answers_where_the_sketch_is_unreliable() {
        let (engine, _clock) = Engine::of_rules_with_room(RULES, 1_000, 0);
        for user in 0..60_000 {
            engine.check_now(&ask(&format!("user-{user}"), "/signup")).unwrap();
        }
        engine.note_overflows();
        let found = engine.recorder().overflows();
        assert!(found.iter().any(|it| it.rule == "signup" && it.is_unreliable), "{found:?}");
        let asked = (0..50).map(|user| engine.check_now(&ask(&format!("new-{user}"), "/signup")));
        let mut rulings = asked.map(|answer| answer.unwrap().ruling);
        let denied = rulings.find(|ruling| ruling.fallback().is_some()).unwrap();
        assert!(!denied.is_allowed());
        let why = (denied.fallback(), denied.reason());
        assert_eq!(why, (Some(OnFailure::Closed), Reason::Fallback));
    }
}
