//! What somebody should know of the way to Redis.

use std::collections::BTreeSet;

use tollgate_core::Consistency;
use tollgate_redis::{Doubt, Health, Layout, ShardHealth, Standing};
use tollgate_rules::{Action, Live, Rule};

use super::Fleet;
use crate::when;

/// The most shards that are told of.
const SHARDS_TOLD_MAX: usize = 16;

impl Fleet {
    /// What is not as it should be, each in a sentence.
    pub(crate) fn troubles(&self, live: &Live) -> Vec<String> {
        let Health { layout, shards, findings, .. } = self.redis().health();
        let mut told: Vec<String> = Vec::new();
        let away = shards.iter().filter(|shard| shard.standing != Standing::Up);
        let away: Vec<&ShardHealth> = away.collect();
        if layout == Layout::Unknown && away.is_empty() {
            told.push(format!("redis: no server has answered yet; {}", meanwhile(live)));
        } else if !away.is_empty() {
            let meanwhile = meanwhile(live);
            let shown = away.iter().take(SHARDS_TOLD_MAX);
            told.extend(shown.map(|shard| in_words(shard, &meanwhile)));
        }
        let doubts = shards.iter().filter_map(|shard| in_doubt(shard, live));
        told.extend(doubts.take(SHARDS_TOLD_MAX));
        let untold = away.len().saturating_sub(SHARDS_TOLD_MAX);
        if untold > 0 {
            told.push(format!("redis: {untold} more shards are not as they should be"));
        }
        let findings = findings.iter().take(SHARDS_TOLD_MAX);
        told.extend(findings.map(|finding| format!("redis {}: {}", finding.shard, finding.text)));
        told
    }
}

fn in_words(shard: &ShardHealth, meanwhile: &str) -> String {
    let ShardHealth { name, standing, trouble, .. } = shard;
    let why = trouble.as_deref().map(|why| format!(" ({why})"));
    let why = why.unwrap_or_default();
    match standing {
        Standing::Returning(percent) => format!(
            "redis shard {name} is returning: it is asked for {percent} % of its keys, and for the others \
             {meanwhile}"
        ),
        _ => format!("redis shard {name} is down{why}: {meanwhile}"),
    }
}

/// What may be lost, until when, and who ends it.
fn in_doubt(shard: &ShardHealth, live: &Live) -> Option<String> {
    let doubt = shard.doubt.filter(|_| shard.standing == Standing::Up)?;
    let Doubt { awaited, until, .. } = doubt;
    let (name, meanwhile) = (&shard.name, meanwhile(live));
    let until = when::shown(until);
    Some(format!(
        "redis shard {name}: counters that it has lost may be in doubt until {until}, since {awaited} of the processes          that spent on them have not told what: for those {meanwhile}; `tollgate redis trust` ends it"
    ))
}

/// Which policies answer meanwhile: those that the rules in force have.
fn meanwhile(live: &Live) -> String {
    let policy = |rule: &Rule| match &rule.action {
        Action::Throttle(throttle) if throttle.consistency != Consistency::Local => {
            Some(throttle.on_failure.word())
        }
        _ => None,
    };
    let policies: Option<BTreeSet<&str>> = live
        .with_snapshot(|snapshot| snapshot.deciding().filter_map(|rule| policy(rule)).collect());
    let policies: Vec<&str> = policies.unwrap_or_default().into_iter().collect();
    if policies.is_empty() {
        return "no rule in force needs it".to_owned();
    }
    format!("each rule's on_failure answers ({})", policies.join(", "))
}
