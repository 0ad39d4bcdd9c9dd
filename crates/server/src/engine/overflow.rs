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
/// The name of what no rule is about.
const THROTTLES: &str = "CL.THROTTLE";

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
            let RuleOverflow {
                rule,
                keys,
                odds_millionths,
                ..
            } = overflow;
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
                rule: THROTTLES.to_owned(),
                keys: cells.overflow_keys,
                odds_millionths: cells.odds_millionths,
                is_unreliable: false,
            });
        }
        found
    }
}
